/**
 * Edit distance (insertions, deletions, substitutions) between two texts; undefined when it exceeds `max`. Only cells
 * within `max` edits are computed, in time proportional to the shorter text times `max`.
 */
export const editsWithin = (a: string, b: string, max: number): number | undefined => {
  if (Math.abs(a.length - b.length) > max) return undefined
  const far = max + 1
  let previous = Array.from({ length: b.length + 1 }, (_, at) => Math.min(at, far))
  let current = previous.map(() => far)
  for (let row = 1; row <= a.length; row++) {
    const from = Math.max(1, row - max)
    const to = Math.min(b.length, row + max)
    current[from - 1] = from === 1 ? Math.min(row, far) : far
    let fewest = current[from - 1]!
    for (let column = from; column <= to; column++) {
      const substituted = previous[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1)
      const left = current[column - 1]! + 1
      const above = column === row + max ? far : previous[column]! + 1
      const edits = Math.min(substituted, left, above, far)
      current[column] = edits
      if (edits < fewest) fewest = edits
    }
    if (fewest === far) return undefined
    ;[previous, current] = [current, previous]
  }
  const edits = previous[b.length]!
  return edits > max ? undefined : edits
}

/** Maximum length of a name that is compared, in UTF-16 units. */
const comparedLength = 100

/** A name as compared: without case and separators. */
export const comparable = (name: string): string =>
  name
    .slice(0, comparedLength)
    .toLowerCase()
    .replaceAll(/[_\-\s]/g, "")

/** The candidates by edit distance, ignoring case and separators; at most `max`, without distant ones. */
export const nearestOf = (name: string, candidates: ReadonlyArray<string>, max: number): ReadonlyArray<string> => {
  const wanted = comparable(name)
  return candidates
    .flatMap((candidate) => {
      const known = comparable(candidate)
      const edits = editsWithin(wanted, known, Math.max(2, Math.ceil(Math.min(wanted.length, known.length) / 2)))
      return edits === undefined ? [] : [{ candidate, edits }]
    })
    .sort((a, b) => a.edits - b.edits)
    .slice(0, max)
    .map(({ candidate }) => candidate)
}

/** The candidate that a misspelled name most likely means. */
export const nearest = (name: string, candidates: ReadonlyArray<string>): string | undefined =>
  nearestOf(name, candidates, 1)[0]
