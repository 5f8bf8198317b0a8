import { execFile } from "node:child_process"
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { isDeepStrictEqual, promisify } from "node:util"
import type { BackupDocument } from "@lists-and-things/domain/backup/BackupDocument"
import type { ChangeJson } from "@lists-and-things/domain/json/ChangeJson"
import { Redacted } from "effect"
import type { Person, Installation } from "../reliability/Installation.ts"

const run = promisify(execFile)
const root = join(import.meta.dirname, "../..")

type Document = typeof BackupDocument.Encoded

/** The entities of an account, by type and id. */
export type Entities = ReadonlyMap<string, unknown>

export const keyOf = ({ id, type }: Pick<ChangeJson, "id" | "type">): string => `${type} ${id}`

/** Runs `lat` on the database of an installation; returns the JSON that it prints. */
export const lat = async (installation: Installation, ...words: ReadonlyArray<string>): Promise<unknown> => {
  const { PATH = "", HOME = "" } = process.env
  const env = {
    PATH,
    HOME,
    DATABASE_URL: Redacted.value(installation.postgres.url())
  }
  const { stdout } = await run(process.execPath, [join(root, "bin/lat.mjs"), ...words, "--json"], { env })
  return JSON.parse(stdout)
}

/** The entities in an export of an account. */
export const exported = async (installation: Installation, { accountId }: Person): Promise<Entities> => {
  const out = join(installation.postgres.folder, "export")
  const { files } = (await lat(installation, "export", "--account", accountId, "--out", out)) as { files: [string] }
  const document = JSON.parse(await readFile(files[0], "utf8")) as Document
  await rm(out, { recursive: true })
  return entitiesOf(document)
}

/** The entities of an export, with the fields that a consumer of the feed has. */
const entitiesOf = ({ account, lists, places, reminders, things }: Document): Entities => {
  const { email: _, ...settings } = account
  const copied = new Set(things.map(({ clone_of }) => clone_of))
  const entities = new Map<string, unknown>([[`account ${account.id}`, settings]])
  for (const place of places) entities.set(`place ${place.id}`, place)
  for (const list of lists) entities.set(`list ${list.id}`, list)
  for (const { markup: _, rank, seq, ...thing } of things)
    entities.set(`thing ${thing.id}`, { ...thing, has_clones: copied.has(thing.id), position: [rank, seq] })
  for (const { created: _, time, ...reminder } of reminders)
    entities.set(`reminder ${reminder.id}`, { ...reminder, ...(time === null ? noTime : timeOf(time)) })
  return entities
}

type Time = NonNullable<Document["reminders"][number]["time"]>

const timeOf = ({ first: _, until, ...time }: Time) => ({ ...time, repeat_until: until })

const noTime = {
  at: null,
  all_day: false,
  repeat: "none",
  every: 1,
  days: [],
  repeat_until: null,
  duration_minutes: null,
  end: null
}

/** The entities that differ between two sides, with both versions. */
export const differences = (mirrored: Entities, exported: Entities): ReadonlyArray<readonly unknown[]> =>
  [...new Set([...mirrored.keys(), ...exported.keys()])]
    .map((key) => [key, mirrored.get(key), exported.get(key)] as const)
    .filter(([, mirrored, exported]) => !isDeepStrictEqual(mirrored, exported))
