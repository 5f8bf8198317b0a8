import { Equal } from "effect"
import type { Account } from "../model/Account.ts"
import { InvalidInput } from "../model/Errors.ts"
import type { ListId } from "../model/Ids.ts"
import { shownValue } from "../json/ShownValue.ts"
import { type ListItemInput, thingKeys } from "../json/ThingInput.ts"
import { instantOf } from "../days/IsoTime.ts"
import { contentIn, contentKeys, defaultContent, type Thing, type ThingContent } from "../model/Thing.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"

/** A new thing before it has an id and a position. */
export interface ThingDraft {
  readonly content: ThingContent
  readonly tabs: number
  readonly favorited: boolean
  /** For backdating; undefined means the time of the write. */
  readonly created: EpochMillis | undefined
  /** Makes it a live linked copy. */
  readonly clone: CloneDraft | undefined
}

/** Which thing a draft copies. */
export interface CloneDraft {
  /** The id that was sent: of an original, or of a copy of it. */
  readonly of: string
  /** What was sent of the content, which is the original's. A blank text stands for none. */
  readonly given: Partial<ThingContent>
}

/** The fields of new and changed things of which some exclude each other. */
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

/**
 * Pairs of flags of which at most one may be true: a request with both is refused, and setting one clears the other.
 */
export const exclusiveFlags = [
  ["header", "subheader"],
  ["quote", "code"],
  ["completed", "canceled"]
] as const

/** The first broken rule about combinations of fields (docs/contract.md#things, docs/decisions.md#errors). */
export const brokenCombination = (flags: Flags, at: string): InvalidInput | undefined => {
  for (const [one, other] of exclusiveFlags) {
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
export const draftThing = (input: ListItemInput, account: Account): ThingDraft => {
  const listRef = (input.listRef || null) as ListId | null
  const given = { ...contentIn(input), ...(input.listRef !== undefined && { listRef }) }
  return {
    content: {
      ...defaultContent,
      type: account.defaultThingType,
      bold: input.header === true || input.subheader === true,
      ...given
    },
    tabs: input.tabs ?? 0,
    favorited: input.favorited ?? false,
    created: input.created === undefined ? undefined : instantOf(input.created, account.timezone),
    clone: input.cloneOf ? { of: input.cloneOf, given } : undefined
  }
}

/**
 * The first field that was sent for a live linked copy with another value than the original's: it would be lost, or
 * change the original.
 */
export const lostOnCopy = ({ given }: CloneDraft, original: Thing, at: string): InvalidInput | undefined => {
  const { text = "", ...others } = given
  const sent: Partial<ThingContent> = text.trim() === "" ? others : given
  const key = contentKeys.find((each) => sent[each] !== undefined && !Equal.equals(sent[each], original[each]))
  if (key === undefined) return undefined
  return new InvalidInput({
    field: `${at}${key === "listRef" ? thingKeys.listRef : key}`,
    reason: `(${shownValue(sent[key])}) must be that of the original, with which a live linked copy shares it: leave it ${key === "text" ? "empty" : "out"} beside ${thingKeys.cloneOf}, and change it afterwards`,
    example: `"${thingKeys.cloneOf}": "${original.id}", "list": "today"`
  })
}

/** Whether there is nothing to store: no text, photo, url or sub-list. */
export const isBlank = ({
  text,
  photos,
  url,
  listRef
}: Pick<ThingContent, "text" | "photos" | "url" | "listRef">): boolean =>
  text.trim() === "" && photos.length === 0 && url === "" && listRef === null

/** Whether a draft has nothing to store and is no live linked copy. */
export const isBlankDraft = ({ clone, content }: ThingDraft): boolean => isBlank(content) && clone === undefined

export const blankText = () =>
  new InvalidInput({
    field: "text",
    reason: "is required and must not be blank, unless there is a url, a photo or a list_ref",
    example: '"text": "Oat milk"'
  })
