import { comparable, editsWithin } from "../text/Nearest.ts"
import { firstCharacters } from "../text/Characters.ts"
import { fold } from "../text/TextFold.ts"
import type { Steps } from "../scheduling/Yielding.ts"

/** Maximum candidates in a message about an unknown name (docs/decisions.md#lists-and-day-lists). */
const maxCandidates = 5

const wordsOf = (folded: string): ReadonlySet<string> => new Set(folded.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [])

const lettersIn = (words: Iterable<string>): number => {
  let letters = 0
  for (const word of words) letters += word.length
  return letters
}

interface Name {
  readonly comparable: string
  readonly words: ReadonlySet<string>
  readonly letters: number
}

const nameOf = (text: string): Name => {
  const folded = fold(text)
  const words = wordsOf(folded)
  return { comparable: comparable(folded), words, letters: lettersIn(words) }
}

/** The share of the name's letters in whole words of the title; a share below a third counts as none. */
const sharedWords = (name: Name, title: Name): number => {
  if (name.letters === 0) return 0
  const share = lettersIn(name.words.values().filter((word) => title.words.has(word))) / name.letters
  return share < 1 / 3 ? 0 : share
}

/** 1 when equal, less with each edit; 0 when more than a third of the letters (at least two) differ. */
const nearness = (name: Name, title: Name): number => {
  const longer = Math.max(name.comparable.length, title.comparable.length)
  const edits = editsWithin(name.comparable, title.comparable, Math.max(2, Math.floor(longer / 3)))
  return edits === undefined || edits >= longer ? 0 : 1 - edits / longer
}

/** The share of the title that the name is, where the title or one of its words begins with it; 0 for one letter. */
const beginning = (name: Name, title: Name): number => {
  const { comparable: begun } = name
  if (begun.length < 2) return 0
  const begins = title.comparable.startsWith(begun) || title.words.values().some((word) => word.startsWith(begun))
  return begins ? begun.length / title.comparable.length : 0
}

interface Titled {
  readonly title: string
}

interface Candidate<A> {
  readonly item: A
  readonly score: number
  readonly near: number
}

const isBetter = (a: Candidate<unknown>, b: Candidate<unknown>): boolean =>
  a.score > b.score || (a.score === b.score && a.near > b.near)

/**
 * What an unknown name may mean, best first: titles with the same words, that it may misspell, or that begin with it, at
 * their first word or another. Ties keep the input order. Linear in the number of titles.
 */
export function* closestTitles<A extends Titled>(text: string, titled: Iterable<A>): Steps<ReadonlyArray<A>> {
  const name = nameOf(firstCharacters(text, 100))
  const best: Array<Candidate<A>> = []
  for (const item of titled) {
    const title = nameOf(item.title)
    const near = nearness(name, title)
    const candidate = { item, near, score: Math.max(near, sharedWords(name, title), beginning(name, title)) }
    if (candidate.score > 0) {
      const worse = best.findIndex((other) => isBetter(candidate, other))
      best.splice(worse === -1 ? best.length : worse, 0, candidate)
      best.length = Math.min(best.length, maxCandidates)
    }
    yield
  }
  return best.map(({ item }) => item)
}

/** What a message about an unknown name ends with: the names that it may mean, if there are any. */
export const closestHint = (names: ReadonlyArray<string>): string =>
  names.length === 0 ? "" : ` Closest: ${names.join(", ")}.`
