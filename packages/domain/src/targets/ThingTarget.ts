import { Context, Effect, Layer } from "effect"
import { thingTitle } from "../markdown/Document.ts"
import { plainText, searchForms } from "../markdown/TextMarkup.ts"
import { type Caller, callerWith } from "../model/Caller.ts"
import { type AccessError, Ambiguous, NotFound } from "../model/Errors.ts"
import { type AccountId, isIdForm } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import type { Thing } from "../model/Thing.ts"
import { ListStore } from "../ports/ListStore.ts"
import { SizeStore } from "../ports/SizeStore.ts"
import { type ThingState, ThingStore, type ThingText } from "../ports/ThingStore.ts"
import { runSteps } from "../scheduling/Yielding.ts"
import { isStorable, truncate } from "../text/Characters.ts"
import { quoted } from "../text/Quoted.ts"
import { searchKey, searchRank } from "../text/SearchRank.ts"
import { closestHint, closestTitles } from "./ClosestTitles.ts"
import { idPart, isShorterThanShown, shortIdsOf } from "./ShortId.ts"
import { makeUnknownIds, shownId } from "./UnknownId.ts"
import { traced } from "../scheduling/Traced.ts"

/** Resolves the thing that a person means (docs/decisions.md#ids). */
export class ThingTarget extends Context.Service<
  ThingTarget,
  {
    /**
     * The thing with this id, this short id, or these words in its text. Words mean things of `state` only: one whose
     * whole text they are, else the only one that has them. What is shorter than a short id of the account counts beside
     * the words. `Ambiguous` names at most five candidates, `NotFound` the nearest texts.
     */
    readonly find: (ref: string, state: ThingState) => Effect.Effect<Thing, NotFound | Ambiguous | AccessError, Caller>
    /** The lists that hold these things, by id. */
    readonly listsOf: (things: ReadonlyArray<Thing>) => Effect.Effect<ReadonlyMap<string, List>, AccessError, Caller>
    /** The short ids of things that are shown together; `find` takes them. */
    readonly shortIds: (ids: ReadonlyArray<string>) => Effect.Effect<(id: string) => string, AccessError, Caller>
  }
>()("@lists-and-things/domain/targets/ThingTarget") {
  static readonly layer = Layer.effect(
    ThingTarget,
    Effect.gen(function* () {
      const things = yield* ThingStore
      const lists = yield* ListStore
      const sizes = yield* SizeStore
      const unknownIds = yield* makeUnknownIds

      const shortIn = Effect.fnUntraced(function* (owner: AccountId, ids: ReadonlyArray<string>) {
        const short = yield* shortIdsOf(ids, (yield* sizes.ofAccount(owner)).things)
        return (id: string) => short.get(id) ?? id
      })

      const listsIn = Effect.fnUntraced(function* (owner: AccountId, some: ReadonlyArray<Thing>) {
        const found = yield* lists.getMany(owner, [...new Set(some.map(({ listId }) => listId))])
        return new Map<string, List>(found.map((list) => [list.id, list]))
      })

      const ambiguous = Effect.fnUntraced(function* (owner: AccountId, what: string, found: ReadonlyArray<Thing>) {
        const some = found.slice(0, maxCandidates)
        const holding = yield* listsIn(owner, some)
        const shortOf = yield* shortIn(owner, idsOf(some))
        const candidates = some.map((thing) => ({
          id: thing.id,
          title: truncate(thingTitle(thing), shownText),
          short: shortOf(thing.id),
          list: holding.get(thing.listId)?.title ?? ""
        }))
        const named = candidates.map(({ list, short, title }) => `${quoted(title)} in ${quoted(list)} (${short})`)
        const hasMore = found.length > some.length
        return yield* new Ambiguous({
          field: "thing",
          message: `${what} fits several things: ${named.join(", ")}${hasMore ? " and more" : ""}. Name one by its short id.`,
          candidates,
          hasMore
        })
      })

      const withWords = Effect.fnUntraced(function* (owner: AccountId, words: string, state: ThingState) {
        const key = searchKey(words)
        if (key === "" || !isStorable(words)) return []
        const { items } = yield* things.search(owner, words, maxCandidates + 1, state)
        const whole = items.filter((thing) => searchRank(searchForms(thing.text, thing.code), key) === 0)
        return whole.length > 0 ? whole : items
      })

      const withPart = Effect.fnUntraced(function* (owner: AccountId, part: string, state: ThingState) {
        const found = yield* things.byIdPart(owner, part, maxCandidates + 1)
        if (found.length === 0 || !isShorterThanShown(part, (yield* sizes.ofAccount(owner)).things)) return found
        const ids = new Set(idsOf(found))
        return [...(yield* withWords(owner, part, state)).filter(({ id }) => !ids.has(id)), ...found]
      })

      /** The only one of the things that fit, if there is any. */
      const onlyOf = (owner: AccountId, ref: string, found: ReadonlyArray<Thing>) =>
        found.length > 1 ? ambiguous(owner, shownId(ref), found) : Effect.succeed(found[0])

      /** Fails with the nearest texts, and with the thing of the other state that has the words. */
      const unknown = Effect.fnUntraced(function* (owner: AccountId, words: string, state: ThingState) {
        const what = idPart(words) === undefined ? "has the words" : "has the short id or the words"
        const message = `No ${state} thing ${what} ${shownId(words)}.`
        if (searchKey(words) === "" || !isStorable(words)) return yield* new NotFound({ message })
        const other = state === "open" ? "closed" : "open"
        const [elsewhere] = (yield* things.search(owner, words, 1, other)).items
        if (elsewhere !== undefined) {
          const shortOf = yield* shortIn(owner, [elsewhere.id])
          const one = `${quoted(thingTitle(elsewhere))} (${shortOf(elsewhere.id)})`
          return yield* new NotFound({ message: `${message} Of the ${other} ones ${one} has.` })
        }
        const recent = yield* things.recentTexts(owner, state, comparedThings)
        const closest = yield* runSteps(() => closestTitles(words, namesOf(recent)))
        const ids = [...new Set(idsOf(closest))]
        const found = new Map<string, Thing>((yield* things.getMany(owner, ids)).map((thing) => [thing.id, thing]))
        const shortOf = yield* shortIn(owner, ids)
        const named = ids.flatMap((id) => {
          const thing = found.get(id)
          return thing === undefined ? [] : [`${quoted(thingTitle(thing))} (${shortOf(id)})`]
        })
        return yield* new NotFound({ message: `${message}${closestHint(named)}` })
      })

      const find = traced("ThingTarget.find")(function* (ref: string, state: ThingState) {
        const { account } = yield* callerWith("read:things")
        const text = ref.trim()
        if (isIdForm(text.toLowerCase())) {
          const thing = yield* things.get(account.id, text.toLowerCase())
          return thing ?? (yield* unknownIds.notFound(account.id, "thing", text))
        }
        const part = idPart(text)
        const named = part === undefined ? [] : yield* withPart(account.id, part, state)
        const found = named.length > 0 ? named : yield* withWords(account.id, text, state)
        return (yield* onlyOf(account.id, text, found)) ?? (yield* unknown(account.id, text, state))
      })

      const shortIds = traced("ThingTarget.shortIds")(function* (ids: ReadonlyArray<string>) {
        const { account } = yield* callerWith("read:things")
        return yield* shortIn(account.id, ids)
      })

      const listsOf = traced("ThingTarget.listsOf")(function* (some: ReadonlyArray<Thing>) {
        const { account } = yield* callerWith("read:things")
        return yield* listsIn(account.id, some)
      })

      return ThingTarget.of({ find, listsOf, shortIds })
    })
  )
}

/** What mistyped words are compared with: the whole texts and, for one word among many, the words of each. */
function* namesOf(texts: ReadonlyArray<ThingText>) {
  for (const { code, id, text: written } of texts) {
    const text = plainText(written, code)
    for (const title of new Set([text, ...text.split(/\s+/)])) yield { id, title }
  }
}

const maxCandidates = 5

/** Characters of a text in a message. */
const shownText = 80

/** How many of the most recently changed things unknown words are compared with. */
const comparedThings = 5_000

const idsOf = (some: ReadonlyArray<{ readonly id: string }>): ReadonlyArray<string> => some.map(({ id }) => id)
