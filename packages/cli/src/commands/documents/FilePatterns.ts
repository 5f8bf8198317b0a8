import { existsSync } from "node:fs"
import { glob } from "node:fs/promises"
import { Failure } from "../../Failure.ts"

/** Expands names and patterns to files, without duplicates, in order; fails for a pattern without a match. */
export const expandFiles = async (names: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const files = new Set<string>()
  for (const name of names) {
    if (name === "-" || existsSync(name) || !/[*?[{]/.test(name)) {
      files.add(name)
      continue
    }
    const found = await matching(name)
    if (found.length === 0) throw new Failure(`No file fits ${name}.`)
    for (const file of found) files.add(file)
  }
  return [...files]
}

const matching = async (pattern: string): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for await (const file of glob(pattern)) found.push(file)
  return found.toSorted()
}
