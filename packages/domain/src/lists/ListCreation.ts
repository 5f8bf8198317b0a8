import { Effect } from "effect"
import { dateOfWrite } from "../days/ClockSkew.ts"
import type { CreateListInput, ImportMarkdownInput } from "../json/ListInput.ts"
import type { Account } from "../model/Account.ts"
import { callerWith } from "../model/Caller.ts"
import { caps } from "../model/Caps.ts"
import { describe, notify } from "../model/CurrentOperation.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import { Ids, type ListId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import { ListStore } from "../ports/ListStore.ts"
import { Storage } from "../ports/Storage.ts"
import { traced } from "../scheduling/Traced.ts"
import { firstCharacters } from "../text/Characters.ts"
import { createdList, importedList } from "../summaries/OperationSummaries.ts"
import { Insertion, type Placed } from "../things/Insertion.ts"
import { outdentKept } from "../things/LeftOutParents.ts"
import { markdownDrafts } from "../things/MarkdownDrafts.ts"
import { notifySkipped, type Skipped } from "../things/Skipped.ts"
import { notifyTitle } from "./TitleNotices.ts"
import { mapYielding, runSteps } from "../scheduling/Yielding.ts"
import { brokenCombination, draftThing, isBlankDraft, type ThingDraft } from "../things/ThingDraft.ts"
import { typedDrafts } from "../things/TypedDrafts.ts"

/** A draft, and the prefix of its fields in errors. */
type Item = Pick<Placed, "draft" | "at">

/** What a new list gets. */
interface Content {
  /** All drafts of the request, in order. */
  readonly drafts: ReadonlyArray<ThingDraft>
  /** Those that are not blank. */
  readonly items: ReadonlyArray<Item>
  /** What a notice calls the draft at an index. */
  readonly nameOf: (index: number) => string
  /** The summary of the operation. */
  readonly summary: (title: string, things: number) => string
}

/** The use cases of `Lists` that make a list with its things. */
export const makeListCreation = Effect.gen(function* () {
  const storage = yield* Storage
  const store = yield* ListStore
  const insertion = yield* Insertion
  const ids = yield* Ids

  const insert = Effect.fnUntraced(function* (
    account: Account,
    input: Omit<CreateListInput, "things">,
    items: ReadonlyArray<Item>,
    writeTimestamp: EpochMillis
  ) {
    const list = yield* store.insert(
      newList(account, input, {
        id: (yield* ids.next) as ListId,
        created: yield* dateOfWrite(writeTimestamp),
        updated: writeTimestamp
      })
    )
    yield* notifyTitle(store, list)
    yield* insertion.insert(
      account,
      items.map((item) => ({ ...item, list })),
      writeTimestamp
    )
    return list
  })

  /** Makes a list in one transaction, and says which of its drafts were skipped as blank. */
  const make = Effect.fnUntraced(function* (
    account: Account,
    input: Omit<CreateListInput, "things">,
    { drafts, items, nameOf, summary }: Content
  ) {
    const list = yield* storage.transact(account.id, (writeTimestamp) =>
      Effect.tap(insert(account, input, items, writeTimestamp), describe(summary(input.title, items.length)))
    )
    const skipped = drafts.length - items.length
    yield* notifySkipped(blanksOf(drafts, nameOf), skipped)
    return { list, created: items.length, skipped }
  })

  const create = traced("Lists.create")(function* (input: CreateListInput) {
    const { account } = yield* callerWith("write:lists")
    const given = input.things ?? []
    for (const [index, item] of given.entries()) {
      const broken = brokenCombination(item, `things[${index}].`)
      if (broken !== undefined) return yield* broken
    }
    const drafts = given.map((item) => draftThing(item, account))
    const items = drafts
      .map((draft, index) => ({ draft, at: `things[${index}].` }))
      .filter((item) => !isBlankDraft(item.draft))
    return yield* make(account, input, { drafts, items, nameOf: (index) => `things[${index}]`, summary: createdList })
  })

  const makeOfDocument = Effect.fnUntraced(function* (
    account: Account,
    input: Omit<CreateListInput, "things">,
    drafts: ReadonlyArray<ThingDraft>,
    summary: Content["summary"]
  ) {
    const all = yield* mapYielding(drafts, (draft): Item => ({ draft, at: "" }))
    const items = yield* runSteps(() => outdentKept(all, ({ draft }) => !isBlankDraft(draft)))
    return yield* make(account, input, {
      drafts,
      items,
      nameOf: (index) => `item ${index + 1} of the document`,
      summary
    })
  })

  const importMarkdown = traced("Lists.importMarkdown")(function* (input: ImportMarkdownInput, fileName = "") {
    const { account } = yield* callerWith("write:lists")
    const { title, drafts } = yield* markdownDrafts(input.markdown, {
      title: input.title === undefined ? "first-heading" : "none",
      given: input.title
    })
    if (drafts.length === 0) yield* notify("The list is empty: the document has no items.")
    return yield* makeOfDocument(
      account,
      { ...input, title: input.title ?? (title?.trim() ? title : titleOfFile(fileName)) },
      drafts,
      importedList
    )
  })

  const createTyped = traced("Lists.createTyped")(function* (input: ImportMarkdownInput & { readonly title: string }) {
    const { account } = yield* callerWith("write:lists")
    return yield* makeOfDocument(account, input, yield* typedDrafts(input.markdown, account), createdList)
  })

  return { create, importMarkdown, createTyped }
})

/** The title of an imported document without a heading: the name of its file, without the ending. */
const titleOfFile = (name: string): string => {
  const stem = name.replace(/(?<=.)\.[^.]*$/s, "").trim()
  return firstCharacters(stem, caps.title) || "Imported list"
}

const newList = (
  account: Account,
  input: Omit<CreateListInput, "things">,
  assigned: Pick<List, "id" | "created" | "updated">
): List => ({
  ...assigned,
  owner: account.id,
  title: input.title,
  emoji: input.emoji ?? "",
  day: null,
  favorited: input.favorited ?? false,
  archived: input.archived ?? false,
  sort: input.sort ?? account.defaultListSort
})

function* blanksOf(drafts: ReadonlyArray<ThingDraft>, nameOf: (index: number) => string): Iterable<Skipped> {
  for (const [index, draft] of drafts.entries()) if (isBlankDraft(draft)) yield { at: nameOf(index), why: "blank" }
}
