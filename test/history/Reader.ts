import type { ChangesJson } from "@lists-and-things/domain/json/ChangeJson"
import type { Host, Person } from "../reliability/Installation.ts"
import { type Entities, keyOf } from "./Exported.ts"
import { readPage } from "./Mirror.ts"

interface Kept {
  readonly entities: Entities
  readonly cursor: string | undefined
  /** The time of the last operation. */
  readonly at: string
}

/**
 * A consumer of the feed in this process, which is "killed" between reading a page and storing it: once for certain,
 * then at random.
 */
export const openReader = (host: Host, person: Person, random: () => number) => {
  let kept: Kept = { entities: new Map(), cursor: undefined, at: "" }
  let wasKilled = false

  /** Reads a page; returns whether nothing more is left. */
  const step = async (isMortal = true): Promise<boolean> => {
    const limit = 1 + Math.floor(random() ** 3 * 500)
    const page = await readPage(host, person, { cursor: kept.cursor, limit, wait: isMortal ? 1 : 0 })
    const next = apply(kept, page)
    const isKilled = isMortal && (!wasKilled || random() < 0.3)
    if (isKilled) wasKilled = true
    else kept = next
    return page.changes.length === 0 && !page.has_more
  }

  return {
    step,
    catchUp: async () => {
      while (!(await step(false)));
    },
    entities: () => kept.entities
  }
}

/** Applies a page; times must never decrease, also not between pages. */
const apply = (kept: Kept, { changes, cursor }: typeof ChangesJson.Type): Kept => {
  const entities = new Map(kept.entities)
  let { at } = kept
  for (const each of changes) {
    if (each.at !== null && each.at < at) throw new Error(`${each.at} comes after ${at}`)
    at = each.at ?? at
    if (each.change === "put") entities.set(keyOf(each), each.data)
    else entities.delete(keyOf(each))
  }
  return { entities, cursor, at }
}
