import { Effect, Stream } from "effect"
import { instantOf } from "../days/IsoTime.ts"
import { InvalidInput } from "../model/Errors.ts"
import { decodeInput } from "../json/Decode.ts"
import { lat } from "../text/CommandLine.ts"
import { BackupChecks, type BackupRecord, type Broken } from "./BackupChecks.ts"
import {
  BackupDocument,
  backupFormat,
  BackupList,
  BackupPlace,
  BackupReminder,
  BackupThing,
  backupVersion,
  BackupWebhook
} from "./BackupDocument.ts"
import {
  type BackupText,
  type Head,
  OtherLayout,
  type Part,
  type Parts,
  partsOf,
  type Records,
  type Section,
  sections
} from "./BackupLayout.ts"
import { dumpFormat } from "./FileFormats.ts"
import { brokenAt, lineAt, lineOf, pathOf } from "../json/JsonLines.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import { traced } from "../scheduling/Traced.ts"

/** A checked export. What can be numerous is read from its text again, in its order. */
export interface OpenedBackup<E> {
  readonly account: BackupDocument["account"]
  readonly places: ReadonlyArray<BackupRecord<"places">>
  readonly lists: ReadonlyArray<BackupRecord<"lists">>
  readonly webhooks: ReadonlyArray<BackupRecord<"webhooks">>
  readonly things: Stream.Stream<BackupRecord<"things">, E | InvalidInput>
  readonly reminders: Stream.Stream<BackupRecord<"reminders">, E | InvalidInput>
}

/**
 * Checks an export strictly; `InvalidInput` names the line and the field of the first problem. JSON of another layout
 * than an export has, as from a formatter, is read as one text, whose length is limited.
 */
export const openBackup = traced("openBackup")(function* <E>(
  text: BackupText<E>
): Effect.fn.Return<OpenedBackup<E>, E | InvalidInput> {
  const parts = partsOf(text)
  return yield* Effect.catch(open(parts), (error) =>
    error instanceof OtherLayout
      ? Effect.flatMap(wholeText(text, error.line), (whole) => Effect.flatMap(partsOfWhole(whole), open<E>))
      : Effect.fail(error)
  )
})

/** A time that the schema has validated; it has its own offset, so that no zone decides. */
export const instantIn = (text: string): EpochMillis => instantOf(text, "UTC")

const open = Effect.fnUntraced(function* <E>(
  parts: Parts<E>
): Effect.fn.Return<OpenedBackup<Exclude<E, OtherLayout>>, E | InvalidInput> {
  const checks = new BackupChecks()
  let account: BackupDocument["account"] | undefined
  let things: Records | undefined
  yield* Stream.runForEach(parts, (part) => {
    if (part._tag === "Head") return Effect.map(decodedHead(part), (head) => void (account = head.account))
    if (part.section === "things") things = part
    return checked(checks, part.section, part)
  })
  const orphan = checks.orphan()
  if (things !== undefined && orphan !== undefined) return yield* refusal(things, orphan.at, orphan)
  const { lists, places, webhooks } = checks
  const again = Stream.mapError(parts, (error) =>
    error instanceof OtherLayout
      ? onLine(error.line, "", "was changed while the export was restored")
      : (error as Exclude<E, OtherLayout>)
  )
  return {
    ...{ account: account!, places, lists, webhooks },
    things: recordsOf("things", again),
    reminders: recordsOf("reminders", again)
  }
})

const decodeDocument = decodeInput(BackupDocument, { at: "The export" })

/** Errors about a record as a whole have no field. */
const record = { at: "" }
const decoders: { readonly [S in Section]: (value: unknown) => Effect.Effect<BackupRecord<S>, InvalidInput> } = {
  places: decodeInput(BackupPlace, record),
  lists: decodeInput(BackupList, record),
  things: decodeInput(BackupThing, record),
  reminders: decodeInput(BackupReminder, record),
  webhooks: decodeInput(BackupWebhook, record)
}

const onLine = (line: number, field: string, reason: string): InvalidInput =>
  new InvalidInput({ field: `line ${line}${field === "" ? "" : `: ${field}`}`, reason })

const refusal = ({ lineOf, section }: Records, at: number, { field, reason }: Broken): InvalidInput => {
  const path = `${section}[${at}]${field === "" ? "" : `.${field}`}`
  return onLine(lineOf(path, at), path, reason)
}

const decodedHead = ({ lineOf, value }: Head): Effect.Effect<BackupDocument, InvalidInput> => {
  const problem = ofAnotherKind(value)
  if (problem !== undefined) return Effect.fail(onLine(1, "", problem))
  return Effect.mapError(decodeDocument(value), ({ field, reason }) => onLine(lineOf(field), field, reason))
}

const ofAnotherKind = (value: unknown): string | undefined => {
  const head = (typeof value === "object" && value !== null ? value : {}) as { format?: unknown; version?: unknown }
  if (head.format !== backupFormat) return `does not begin an export: "format" must be "${backupFormat}"`
  if (typeof head.version === "number" && head.version > backupVersion) {
    return `says version ${head.version}, which a newer release wrote: this one reads version ${backupVersion}`
  }
  return undefined
}

const decoded = <S extends Section>(section: S, part: Records) =>
  Effect.forEach(part.values, (value, at) =>
    Effect.mapError(decoders[section](value), (error) => refusal(part, part.from + at, error))
  )

const checked = <S extends Section>(
  checks: BackupChecks,
  section: S,
  part: Records
): Effect.Effect<void, InvalidInput> =>
  Effect.flatMap(decoded(section, part), (records) => {
    for (const [n, each] of records.entries()) {
      const at = part.from + n
      const broken = checks.add[section](each, at)
      if (broken !== undefined) return Effect.fail(refusal(part, at, broken))
    }
    return Effect.void
  })

const recordsOf = <S extends Section, E>(
  section: S,
  parts: Parts<E>
): Stream.Stream<BackupRecord<S>, E | InvalidInput> =>
  parts.pipe(
    Stream.filter((part): part is Records => part._tag === "Records" && part.section === section),
    Stream.mapEffect((part) => decoded(section, part)),
    Stream.flattenIterable
  )

/** Characters that fit into one text. */
const maxText = 500_000_000

/** The text as a whole; `line` is where its layout differs from that of an export. */
const wholeText = <E>(text: BackupText<E>, line: number): Effect.Effect<string, E | InvalidInput> =>
  Effect.suspend(() => {
    const pieces: Array<string> = []
    let length = 0
    const collected = Stream.runForEach(text, (piece) => {
      length += piece.length
      pieces.push(piece)
      return length > maxText
        ? Effect.fail(onLine(line, "", `is not as an export has it, one record per line: ${orDamaged}`))
        : Effect.void
    })
    return Effect.map(collected, () => pieces.join(""))
  })

const orDamaged = `the file is damaged, or laid out in another way, which may have at most ${maxText / 1_000_000} million characters`

/** The parts of JSON in any layout. */
const partsOfWhole = (text: string): Effect.Effect<Parts<never>, InvalidInput> =>
  Effect.map(parseJson(text), (value) => {
    const lineOfField = (field: string) => lineOf(text, pathOf(field))
    const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>
    const filled = sections.filter((section) => Array.isArray(given[section]))
    const empty = Object.fromEntries(filled.map((section) => [section, []]))
    const head: Head = { _tag: "Head", value: { ...given, ...empty }, lineOf: lineOfField }
    const records = filled.map((section): Part => {
      const values = given[section] as ReadonlyArray<unknown>
      return { _tag: "Records", section, from: 0, values, lineOf: lineOfField }
    })
    return Stream.fromIterable([head, ...records])
  })

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
