import type { InvalidInput } from "../model/Errors.ts"
import type { ListId } from "../model/Ids.ts"
import type { BulkSetInput, UpdateThingInput } from "../json/ThingInput.ts"
import { contentIn, type Thing, type ThingContent } from "../model/Thing.ts"
import { blankText, brokenCombination, exclusiveFlags, isBlank } from "./ThingDraft.ts"

/** Changes to a thing; omitted fields stay as they are. */
export type ThingPatch = Omit<UpdateThingInput, "id" | "created" | "updated" | "clone_of" | "has_clones"> | BulkSetInput

type Changes = Partial<{ -readonly [Key in keyof ThingContent]: ThingContent[Key] }>

/** The content after a patch, with mutually exclusive flags resolved (docs/decisions.md#things). */
export const contentChanges = (patch: ThingPatch): Partial<ThingContent> => {
  const changes: Changes = contentIn(patch)
  if (patch.listRef !== undefined) changes.listRef = (patch.listRef || null) as ListId | null
  for (const [one, other] of exclusiveFlags) {
    if (patch[one] === true) changes[other] = false
    if (patch[other] === true) changes[one] = false
  }
  if ((patch.header === true || patch.subheader === true) && patch.bold === undefined) changes.bold = true
  return changes
}

/** Changes to the member itself and not to its family: `tabs` and `favorited`. */
export const memberChanges = (patch: ThingPatch): Partial<Pick<Thing, "tabs" | "favorited">> => ({
  ...(patch.tabs === undefined ? {} : { tabs: patch.tabs }),
  ...(patch.favorited === undefined ? {} : { favorited: patch.favorited })
})

/** Whether the patch is empty. */
export const isEmptyPatch = (patch: ThingPatch): boolean =>
  Object.keys(contentChanges(patch)).length === 0 &&
  Object.keys(memberChanges(patch)).length === 0 &&
  patch.listId === undefined &&
  patch.list === undefined

/** Whether the patch completes or cancels. */
export const completes = ({ canceled, completed }: ThingPatch): boolean => completed === true || canceled === true

/** Why a patch cannot be applied to a thing; undefined when it can. */
export const problemOf = (thing: Thing, patch: UpdateThingInput): InvalidInput | undefined =>
  brokenCombination(patch, "") ?? leavesBlank(thing, patch)

/** A thing must keep something to show: its text may only be cleared when a photo, a url or a sub-list remains. */
const leavesBlank = (thing: Thing, patch: UpdateThingInput): InvalidInput | undefined => {
  if (patch.text === undefined || patch.text === thing.text) return undefined
  return isBlank({ ...thing, ...contentChanges(patch) }) ? blankText() : undefined
}
