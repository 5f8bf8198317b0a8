import { Effect } from "effect"
import { instantOf } from "../days/IsoTime.ts"
import { InvalidInput } from "../model/Errors.ts"
import { decodeInput } from "../json/Decode.ts"
import { lat } from "../text/CommandLine.ts"
import { titleKey } from "../text/TextFold.ts"
import { BackupDocument, backupFormat, backupVersion } from "./BackupDocument.ts"
import { dumpFormat } from "./FileFormats.ts"
import { brokenAt, lineAt, lineOf, pathOf } from "./JsonLines.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"

/** Parses an export strictly; `InvalidInput` names the line and the field of the first problem. */
export const parseBackup = traced("parseBackup")(function* (
  text: string
): Effect.fn.Return<BackupDocument, InvalidInput> {
  const value = yield* parseJson(text)
  const problem = ofAnotherKind(value)
  if (problem !== undefined) return yield* onLine(1, "", problem)
  const document = yield* Effect.mapError(decodeDocument(value), ({ field, reason }) =>
    onLine(lineOf(text, pathOf(field)), field, reason)
  )
  const broken = brokenReference(document)
  if (broken !== undefined) return yield* onLine(lineOf(text, pathOf(broken.field)), broken.field, broken.reason)
  return document
})

/** A time that the schema has validated; it has its own offset, so that no zone decides. */
export const instantIn = (text: string): EpochMillis => instantOf(text, "UTC")

const decodeDocument = decodeInput(BackupDocument, { at: "The export" })

const onLine = (line: number, field: string, reason: string): InvalidInput =>
  new InvalidInput({ field: `line ${line}${field === "" ? "" : `: ${field}`}`, reason })

const parseJson = (text: string): Effect.Effect<unknown, InvalidInput> =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => {
      if (text.startsWith(`{"format":"${dumpFormat}"`)) {
        const reads = `which '${lat("db load")}' reads`
        return onLine(1, "", `begins a dump of a whole installation, ${reads}, and no export of an account`)
      }
      const line = lineAt(text, Math.min(brokenAt(text), text.trimEnd().length))
      return onLine(line, "", "is where this stops being JSON: the file is cut off or damaged")
    }
  })

const ofAnotherKind = (value: unknown): string | undefined => {
  const head = (typeof value === "object" && value !== null ? value : {}) as { format?: unknown; version?: unknown }
  if (head.format !== backupFormat) return `does not begin an export: "format" must be "${backupFormat}"`
  if (typeof head.version === "number" && head.version > backupVersion) {
    return `says version ${head.version}, which a newer release wrote: this one reads version ${backupVersion}`
  }
  return undefined
}

interface Broken {
  readonly field: string
  readonly reason: string
}

/** Checks what the schema cannot: ids are unique, and every reference resolves within the document. */
const brokenReference = ({ lists, places, reminders, things, webhooks = [] }: BackupDocument): Broken | undefined => {
  const listIds = new Set(lists.map((list) => list.id))
  const originals = new Map(things.map((thing) => [thing.id, thing.clone_of]))
  const placeIds = new Set(places.map((place) => place.id))
  return (
    repeated("lists", lists, "id", (list) => list.id) ??
    repeated("lists", lists, "day", (list) => list.day) ??
    repeated("places", places, "id", (place) => place.id) ??
    repeated("places", places, "name", (place) => titleKey(place.name)) ??
    repeated("things", things, "id", (thing) => thing.id) ??
    repeated("webhooks", webhooks, "id", (webhook) => webhook.id) ??
    repeated("reminders", reminders, "id", (reminder) => reminder.id) ??
    repeated("reminders", reminders, "thing_id", (reminder) => reminder.thing_id) ??
    broken("things", things, "list_id", (thing) => listIds.has(thing.list_id), names("a list")) ??
    broken(
      "things",
      things,
      "list_ref",
      (thing) => thing.list_ref === null || listIds.has(thing.list_ref),
      names("a list")
    ) ??
    broken(
      "things",
      things,
      "clone_of",
      (thing) => thing.clone_of === null || originals.get(thing.clone_of) === null,
      names("a thing that is no clone itself")
    ) ??
    broken(
      "reminders",
      reminders,
      "thing_id",
      (each) => originals.get(each.thing_id) === null,
      names("a thing that is no clone")
    ) ??
    broken(
      "reminders",
      reminders,
      "place",
      (each) => each.place === null || placeIds.has(each.place.id),
      names("a place")
    ) ??
    broken(
      "reminders",
      reminders,
      "time",
      (each) => (each.time === null) !== (each.place === null),
      "must be there where place is not, and only there"
    )
  )
}

const repeated = <A>(
  section: string,
  items: ReadonlyArray<A>,
  field: string,
  key: (item: A) => string | null
): Broken | undefined => {
  const seen = new Set<string>()
  for (const [at, item] of items.entries()) {
    const value = key(item)
    if (value === null) continue
    if (seen.has(value)) return { field: `${section}[${at}].${field}`, reason: "is there a second time" }
    seen.add(value)
  }
  return undefined
}

const names = (what: string): string => `must name ${what} of this document`

/** The first item whose field does not hold. */
const broken = <A>(
  section: string,
  items: ReadonlyArray<A>,
  field: string,
  holds: (item: A) => boolean,
  reason: string
): Broken | undefined => {
  const at = items.findIndex((item) => !holds(item))
  return at === -1 ? undefined : { field: `${section}[${at}].${field}`, reason }
}
