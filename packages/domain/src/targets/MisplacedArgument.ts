import { isDayWord } from "../days/Day.ts"
import { isIdForm } from "../model/Ids.ts"

/** Says where an id belongs that was given as the name of a list; undefined for what may be a name. */
export const hintForIdAsName = (list: string): string | undefined =>
  isIdForm(list.trim().toLowerCase()) ? "Give an id as list_id." : undefined

/** Says where a day belongs that was given as the id of a list; undefined for what may be an id. */
export const hintForDayAsId = (listId: string): string | undefined => {
  const day = listId.trim().toLowerCase()
  return isDayWord(day) ? `Give the day as list: ${JSON.stringify(day)}.` : undefined
}
