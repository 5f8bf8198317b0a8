/** Edits (insertions, deletions, substitutions) from one string to the other. */
const distance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const substituted = previous[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1)
      current.push(Math.min(substituted, previous[column]! + 1, current[column - 1]! + 1))
    }
    previous = current
  }
  return previous[b.length]!
}

const comparable = (name: string): string =>
  name
    .slice(0, 100)
    .toLowerCase()
    .replaceAll(/[_\-\s]/g, "")

/** The candidates by how few edits they are away, ignoring case and separators; at most `most`, none that is far. */
export const nearestOf = (name: string, candidates: ReadonlyArray<string>, most: number): ReadonlyArray<string> => {
  const wanted = comparable(name)
  return candidates
    .map((candidate) => {
      const known = comparable(candidate)
      return { candidate, edits: distance(wanted, known), limit: Math.max(2, Math.ceil(known.length / 2)) }
    })
    .filter(({ edits, limit }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

/** The one candidate that a mistyped name most likely means. */
export const nearest = (name: string, candidates: ReadonlyArray<string>): string | undefined =>
  nearestOf(name, candidates, 1)[0]
