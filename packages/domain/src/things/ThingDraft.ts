import type { Account } from "../model/Account.ts"
import { InvalidInput } from "../model/Errors.ts"
import type { ListId } from "../model/Ids.ts"
import type { ListItemInput } from "../json/ThingInput.ts"
import { instantOf } from "../days/IsoTime.ts"
import { contentIn, defaultContent, type ThingContent } from "../model/Thing.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/** A new thing before it has an id and a position. */
export interface ThingDraft {
  readonly content: ThingContent
  readonly tabs: number
  readonly favorited: boolean
  /** For backdating; undefined means the time of the write. */
  readonly created: EpochMillis | undefined
  readonly cloneOf: string | undefined
}

/** Fields common to new and changed things; `undefined` and `null` both mean "not given". */
interface Flags {
  readonly header?: boolean
  readonly subheader?: boolean
  readonly quote?: boolean
  readonly code?: boolean
  readonly completed?: boolean
  readonly canceled?: boolean
  readonly listId?: string
  readonly list?: string
}

const exclusive = [
  ["header", "subheader"],
  ["quote", "code"],
  ["completed", "canceled"]
] as const

/** The first broken rule about combinations of fields (docs/contract.md#things, docs/decisions.md#errors). */
export const brokenCombination = (flags: Flags, at: string): InvalidInput | undefined => {
  for (const [one, other] of exclusive) {
    if (flags[one] === true && flags[other] === true)
      return new InvalidInput({
        field: `${at}${one}`,
        reason: `and ${at}${other} cannot both be true`,
        example: `"${one}": true`
      })
  }
  if (flags.listId !== undefined && flags.list !== undefined)
    return new InvalidInput({
      field: `${at}list_id`,
      reason: `and ${at}list cannot both be given`,
      example: '"list": "today"'
    })
  return undefined
}

/** Applies the account's defaults to omitted fields. A heading is bold unless the input says otherwise. */
export const draftThing = (input: ListItemInput, account: Account): ThingDraft => ({
  content: {
    ...defaultContent,
    type: account.defaultThingType,
    bold: input.header === true || input.subheader === true,
    ...contentIn(input),
    listRef: (input.listRef || null) as ListId | null
  },
  tabs: input.tabs ?? 0,
  favorited: input.favorited ?? false,
  created: input.created === undefined ? undefined : instantOf(input.created, account.timezone),
  cloneOf: input.cloneOf || undefined
})

/** Whether there is nothing to store: no text, photo, url or sub-list. */
export const isBlank = ({
  text,
  photos,
  url,
  listRef
}: Pick<ThingContent, "text" | "photos" | "url" | "listRef">): boolean =>
  text.trim() === "" && photos.length === 0 && url === "" && listRef === null

/** Whether a draft has nothing to store and is no live linked copy. */
export const isBlankDraft = ({ content, cloneOf }: ThingDraft): boolean => isBlank(content) && cloneOf === undefined

export const blankText = () =>
  new InvalidInput({
    field: "text",
    reason: "is required and must not be blank, unless there is a url, a photo or a list_ref",
    example: '"text": "Oat milk"'
  })
