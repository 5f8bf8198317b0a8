import { type AccountId, byId, type ListId, type ThingId } from "./Ids.ts"
import type { EpochMillis } from "./EpochMillis.ts"

/** How a thing is shown (docs/contract.md#thing). */
export const thingTypes = ["todo", "dash", "number", "bullet", "none", "photo"] as const
export type ThingType = (typeof thingTypes)[number]

/** What a request may call a type; `note` is `none` (docs/contract.md#thing). */
export const writtenTypes = [...thingTypes, "note"] as const
export type WrittenType = (typeof writtenTypes)[number]

/** The type that is stored for one that was written. */
export const typeWritten = (as: WrittenType): ThingType => (as === "note" ? "none" : as)

/**
 * Where a thing stands in its list: `sortTime` is the `created` it was inserted with, or later for what was appended
 * behind a later thing, `sequence` orders things of one sortTime. Ascending in both.
 */
export interface Position {
  readonly sortTime: EpochMillis
  readonly sequence: number
}

/** The position directly behind another one, in the gap that `ThingStore.openGaps` has opened. */
export const rightAfter = ({ sequence, sortTime }: Position): Position => ({ sortTime, sequence: sequence + 1 })

/** Orders the things of one list as they stand in it. */
export const byPosition = (a: Pick<Thing, "id" | "position">, b: Pick<Thing, "id" | "position">): number =>
  a.position.sortTime - b.position.sortTime || a.position.sequence - b.position.sequence || byId(a, b)

/** What live linked copies share: an edit to any member of the family applies to all. */
export interface ThingContent {
  /** The contract's markdown dialect, never parsed when `code`. */
  readonly text: string
  readonly type: ThingType
  /** Empty for none, as are the other texts. */
  readonly url: string
  /** As they were spelled, without the `#` before them; each once under `TextFold.tagKey`. */
  readonly tags: ReadonlyArray<string>
  /** Addresses of images, in order. */
  readonly photos: ReadonlyArray<string>
  /** The sub-list. */
  readonly listRef: ListId | null
  /** At most one of `completed` and `canceled` is true. */
  readonly completed: boolean
  readonly canceled: boolean
  readonly bold: boolean
  readonly italic: boolean
  readonly underline: boolean
  readonly header: boolean
  readonly subheader: boolean
  readonly quote: boolean
  readonly code: boolean
  readonly note: string
  /**
   * How markdown wrote the thing, where nothing else records it: for `code`, the language of its fence; `raw` for the
   * first and `raw+` for each further line of a table or of HTML. Otherwise empty.
   */
  readonly markup: string
}

/** A todo or a line in a list, with what is its own beside the content that a family shares (docs/contract.md#thing). */
export interface Thing extends ThingContent {
  readonly id: ThingId
  readonly owner: AccountId
  readonly listId: ListId
  readonly position: Position
  /** Levels of nesting, 0 to `caps.tabs`, inclusive. */
  readonly tabs: number
  readonly favorited: boolean
  /** The original of a live linked copy; never itself a copy. */
  readonly cloneOf: ThingId | null
  /** Whether live linked copies of it exist. */
  readonly hasClones: boolean
  /** May be earlier than the write that made it (backdating); the position follows from it. */
  readonly created: EpochMillis
  /** The write timestamp of the last change of the thing itself, not of its reminder. */
  readonly updated: EpochMillis
}

/** The content of a thing that nothing was said about: the fields of content, each with its default. */
export const defaultContent: ThingContent = {
  text: "",
  type: "todo",
  url: "",
  tags: [],
  photos: [],
  listRef: null,
  completed: false,
  canceled: false,
  bold: false,
  italic: false,
  underline: false,
  header: false,
  subheader: false,
  quote: false,
  code: false,
  note: "",
  markup: ""
}

/** The fields that a family shares. */
export const contentKeys = Object.keys(defaultContent) as ReadonlyArray<keyof ThingContent>

/** The fields of content among others, except undefined ones. */
export const contentIn = (fields: object): Partial<ThingContent> => {
  const given = fields as Readonly<Record<string, unknown>>
  const content: Record<string, unknown> = {}
  for (const key of contentKeys) if (given[key] !== undefined) content[key] = given[key]
  return content
}

/** The shared content of a thing, without the fields of the individual member. */
export const contentOf = (thing: Thing): ThingContent => contentIn(thing) as ThingContent

/** The id of the family of live linked copies that a thing belongs to. */
export const originalOf = (thing: Thing): ThingId => thing.cloneOf ?? thing.id

/** Whether it is a live linked copy, or has some. */
export const hasFamily = ({ cloneOf, hasClones }: Pick<Thing, "cloneOf" | "hasClones">): boolean =>
  cloneOf !== null || hasClones

/** Orders originals before the copies, which refer to them. */
export const originalsFirst = (a: Thing, b: Thing): number => Number(a.cloneOf !== null) - Number(b.cloneOf !== null)

export const isHeading = ({ header, subheader }: Pick<ThingContent, "header" | "subheader">): boolean =>
  header || subheader

/** A heading has none, as in markdown. */
export const hasCheckBox = (thing: Pick<ThingContent, "header" | "subheader" | "type">): boolean =>
  thing.type === "todo" && !isHeading(thing)

/** Neither completed nor canceled. */
export const isOpen = ({ canceled, completed }: Pick<Thing, "canceled" | "completed">): boolean =>
  !completed && !canceled
