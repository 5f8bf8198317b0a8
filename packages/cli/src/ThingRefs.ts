import type { Account } from "@lists-and-things/domain/model/Account"
import type { Ambiguous } from "@lists-and-things/domain/model/Errors"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import type { List } from "@lists-and-things/domain/model/List"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { thingTitle } from "@lists-and-things/domain/markdown/Document"
import type { ThingState } from "@lists-and-things/domain/ports/ThingStore"
import { idPart } from "@lists-and-things/domain/targets/ShortId"
import { ThingTarget } from "@lists-and-things/domain/targets/ThingTarget"
import { Effect } from "effect"
import { Failure } from "./Failure.ts"
import { onBehalfOf } from "./Owner.ts"
import { withoutControls } from "./ControlCharacters.ts"

/**
 * The references in the arguments: one per argument if each is an id, a short id or contains a blank (it was quoted);
 * otherwise all arguments are the words of one unquoted text.
 */
const refsOf = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.every((word) => isIdForm(word) || idPart(word) !== undefined || /\s/.test(word.trim()))
    ? words
    : [words.join(" ")]

/** The thing that `ref` names, with its short id and its name for messages. */
export const findThing = (account: Account, ref: string, state: ThingState) =>
  Effect.gen(function* () {
    const target = yield* ThingTarget
    const thing = yield* target.find(ref, state)
    const short = (yield* target.shortIds([thing.id]))(thing.id)
    return { thing, short, name: nameOf(thing, short) }
  }).pipe(
    onBehalfOf(account),
    Effect.catchTag("Ambiguous", (error) => Effect.fail(listed(ref, error)))
  )

/** What a command shows with things: their lists by id, and their short ids. */
export interface ThingContext {
  readonly lists: ReadonlyMap<string, List>
  readonly shortOf: (id: string) => string
}

/** Reads the lists and short ids of all the things together. */
export const thingContextOf = (things: ReadonlyArray<Thing>) =>
  Effect.gen(function* () {
    const target = yield* ThingTarget
    const [lists, shortOf] = yield* Effect.all([target.listsOf(things), target.shortIds(things.map(({ id }) => id))])
    return { lists, shortOf } satisfies ThingContext
  })

/** The name of a thing in messages. */
export const nameOf = (thing: Thing, short: string): string => `${withoutControls(thingTitle(thing))} (${short})`

/**
 * The distinct ids of the things that the arguments name. `name` is set for a single thing that was not named by its
 * full id. Of several references, full ids are not checked for existence.
 */
export const findThings = (account: Account, words: ReadonlyArray<string>, state: ThingState) =>
  Effect.gen(function* () {
    const refs = refsOf(words)
    const [only, ...others] = refs
    if (only !== undefined && others.length === 0) {
      const { name, thing } = yield* findThing(account, only, state)
      return { ids: [thing.id], name: isIdForm(only) ? undefined : name }
    }
    const found = yield* Effect.forEach(refs, (ref) =>
      isIdForm(ref) ? Effect.succeed(ref) : Effect.map(findThing(account, ref, state), ({ thing }) => thing.id)
    )
    return { ids: [...new Set<string>(found)], name: undefined }
  })

const listed = (ref: string, { candidates, hasMore }: Ambiguous): Failure => {
  const lines = candidates.map(({ list, short, title }) => withoutControls(`  ${short}  ${title}  (${list})`))
  const more = hasMore === true ? ["  and more"] : []
  return new Failure(
    `'${ref}' fits several things, and nothing was done. Name one by its short id:`,
    [...lines, ...more].join("\n")
  )
}
