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
import { harmless } from "./ControlCharacters.ts"

/**
 * What the arguments name, one thing each where they are ids or were quoted together; otherwise they are the words of
 * one text, which nobody quoted.
 */
export const refsOf = (words: ReadonlyArray<string>): ReadonlyArray<string> =>
  words.every((word) => isIdForm(word) || idPart(word) !== undefined || /\s/.test(word.trim()))
    ? words
    : [words.join(" ")]

/** The thing that the words name, with its short id. */
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

/** What a command shows beside things: their lists, by id, and their short ids. */
export interface Around {
  readonly lists: ReadonlyMap<string, List>
  readonly shortOf: (id: string) => string
}

/** Reads them for these things, all at once. */
export const aroundOf = (things: ReadonlyArray<Thing>) =>
  Effect.gen(function* () {
    const target = yield* ThingTarget
    const [lists, shortOf] = yield* Effect.all([target.listsOf(things), target.shortIds(things.map(({ id }) => id))])
    return { lists, shortOf } satisfies Around
  })

/** The name of a thing in the output of a command. */
export const nameOf = (thing: Thing, short: string): string => `${harmless(thingTitle(thing))} (${short})`

/**
 * The ids of the things that the arguments name, each once, and the name of a single one, unless whoever asks knows
 * which it is by its id. Of several that are named by their ids it is not checked whether they exist.
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
  const lines = candidates.map(({ list, short, title }) => harmless(`  ${short}  ${title}  (${list})`))
  const more = hasMore === true ? ["  and more"] : []
  return new Failure(
    `'${ref}' fits several things, and nothing was done. Name one by its short id:`,
    [...lines, ...more].join("\n")
  )
}
