/** UAX #15, "Stream-Safe Text Format": the maximum number of consecutive non-starters. */
const maxNonStarters = 30
/** COMBINING GRAPHEME JOINER: an invisible starter without meaning. */
const joiner = "\u034f"

/**
 * A character with the marks after it, where they may come to more than 30 non-starters. Fewer than 14 marks cannot:
 * each counts as at most two, and the character before them ends in at most three.
 */
const manyMarks = /.?\p{M}{14,}/gsu

/**
 * The text in Normalization Form C, in time linear in its length. Normalization sorts each run of combining marks by
 * insertion, so that a run as long as a text would take time quadratic in it; runs of more than 30 are broken up first,
 * as Unicode's Stream-Safe Text Format breaks them. No language has such.
 */
export const normalize = (text: string): string => streamSafe(text).normalize("NFC")

/** The text in Stream-Safe Text Format: itself, unless more than 30 non-starters follow each other in it. */
export const streamSafe = (text: string): string => text.replace(manyMarks, breakUp)

const breakUp = (marked: string): string => {
  let safe = ""
  let taken = 0
  let run = 0
  for (let at = 0; at < marked.length;) {
    const code = marked.codePointAt(at)!
    const { leading, trailing } = at === 0 ? nonStarters(String.fromCodePoint(code)) : ofMark(code)
    if (run + leading > maxNonStarters) {
      safe += marked.slice(taken, at) + joiner
      taken = at
      run = 0
    }
    run = trailing === undefined ? run + leading : trailing
    at += code > 0xffff ? 2 : 1
  }
  return safe + marked.slice(taken)
}

interface NonStarters {
  /** Number of non-starters that the character begins with. */
  readonly leading: number
  /** Number of non-starters after its last starter; undefined when it has none. */
  readonly trailing: number | undefined
}

const nonStarters = (character: string): NonStarters => {
  const starts = [...character.normalize("NFD")].map((each) => !isNonStarter(each))
  const first = starts.indexOf(true)
  if (first < 0) return { leading: starts.length, trailing: undefined }
  return { leading: first, trailing: starts.length - 1 - starts.lastIndexOf(true) }
}

/** U+0345 has the highest combining class, so every other mark that has one is sorted before it. */
const isNonStarter = (character: string): boolean =>
  character === "\u0345" || `\u0345${character}`.normalize("NFD") !== `\u0345${character}`

/** By code point; Unicode has some 2,500 marks. */
const marks = new Map<number, NonStarters>()

const ofMark = (code: number): NonStarters => {
  const known = marks.get(code)
  if (known !== undefined) return known
  const counted = nonStarters(String.fromCodePoint(code))
  marks.set(code, counted)
  return counted
}
