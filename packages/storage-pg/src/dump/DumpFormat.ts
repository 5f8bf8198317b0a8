import { dumpFormat, isGzip } from "@lists-and-things/domain/backup/FileFormats"
import { lat } from "@lists-and-things/domain/text/CommandLine"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import { Effect, Option, Schema } from "effect"
import { createHash } from "node:crypto"

/**
 * A dump is lines of JSON in UTF-8: a header, then for each table its name with its columns and a line per row, and the
 * end with the number of rows and the SHA-256 of all bytes before it. Nothing follows the end.
 */
const formatVersion = 1

const Header = Schema.Struct({
  format: Schema.Literal(dumpFormat),
  version: Schema.Int,
  /** Versions of the schema, ascending, that the tables were made by. */
  schema: Schema.Array(Schema.Int),
  created: Schema.String
})

const TableLine = Schema.Tuple([Schema.String, Schema.Array(Schema.String)])
const EndLine = Schema.Tuple([Schema.Literal("end"), Schema.Int, Schema.String])

/** The name of a table and its columns. */
export type TableLine = typeof TableLine.Type

export type DumpLine =
  | { readonly _tag: "Header"; readonly header: typeof Header.Type }
  | { readonly _tag: "Table"; readonly table: TableLine }
  | { readonly _tag: "Row"; readonly json: string }

export const damaged = (reason: string): InvalidInput => new InvalidInput({ field: "the dump", reason })

const decodeHeader = Schema.decodeUnknownOption(Schema.fromJsonString(Header))
const decodeTable = Schema.decodeUnknownOption(Schema.fromJsonString(TableLine))
const decodeEnd = Schema.decodeUnknownOption(Schema.fromJsonString(EndLine))

const notOurs = `must be a file that '${lat("db dump")}' wrote; an export of one account is what '${lat("restore")}' reads`
const compressed = `is compressed by gzip: unpack it on its way, as in 'gunzip -c FILE | ${lat("db load -")}'`

/** Bytes; longer than any row that the caps allow. */
const maxLineBytes = 256 * 1024 ** 2

export class DumpWriter {
  private readonly hash = createHash("sha256")
  private rows = 0

  header(schema: ReadonlyArray<number>, created: Date): string {
    const header: typeof Header.Type = {
      format: dumpFormat,
      version: formatVersion,
      schema,
      created: created.toISOString()
    }
    return this.counted(`${JSON.stringify(header)}\n`)
  }

  table(table: TableLine): string {
    return this.counted(`${JSON.stringify(table)}\n`)
  }

  lines(rows: ReadonlyArray<string>): string {
    this.rows += rows.length
    return this.counted(rows.map((row) => `${row}\n`).join(""))
  }

  end(): string {
    return `${JSON.stringify(["end", this.rows, this.hash.digest("hex")])}\n`
  }

  private counted(text: string): string {
    this.hash.update(text)
    return text
  }
}

/** Reads a dump from chunks of bytes, wherever they are cut, and checks that it is whole. */
export class DumpReader {
  private readonly hash = createHash("sha256")
  private readonly utf8 = new TextDecoder("utf-8", { fatal: true })
  private rest: Array<Uint8Array> = []
  private length = 0
  private rows = 0
  private isBegun = false
  private isEnded = false

  /** The lines that this chunk completes. */
  push(chunk: Uint8Array): Effect.Effect<ReadonlyArray<DumpLine>, InvalidInput> {
    return Effect.gen({ self: this }, function* () {
      if (!this.isBegun && this.length === 0 && isGzip(chunk)) return yield* damaged(compressed)
      const lines: Array<DumpLine> = []
      let from = 0
      for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
        const line = yield* this.line(Buffer.concat([...this.rest, chunk.subarray(from, at + 1)]))
        if (line !== undefined) lines.push(line)
        this.rest = []
        this.length = 0
        from = at + 1
      }
      if (from < chunk.length) {
        this.rest.push(chunk.subarray(from))
        this.length += chunk.length - from
      }
      if (this.length > maxLineBytes)
        return yield* damaged("has a line that is too long: it is not one that was written here")
      return lines
    })
  }

  /** Fails unless the end was the last. */
  get finish(): Effect.Effect<void, InvalidInput> {
    return Effect.suspend(() => {
      if (this.isEnded && this.length > 0) return damaged("goes on behind its end")
      return this.isEnded ? Effect.void : damaged("is incomplete: its end is missing")
    })
  }

  private line(bytes: Uint8Array): Effect.Effect<DumpLine | undefined, InvalidInput> {
    return Effect.suspend((): Effect.Effect<DumpLine | undefined, InvalidInput> => {
      if (this.isEnded) return damaged("goes on behind its end")
      const text = this.text(bytes)
      if (text === undefined) return damaged("is damaged: it is not UTF-8")
      const end = text.startsWith('["end",') ? decodeEnd(text) : Option.none()
      if (Option.isSome(end)) return this.end(text)
      this.hash.update(bytes)
      return this.isBegun ? this.content(text) : this.begin(text)
    })
  }

  private text(bytes: Uint8Array): string | undefined {
    try {
      return this.utf8.decode(bytes)
    } catch {
      return undefined
    }
  }

  private begin(text: string): Effect.Effect<DumpLine, InvalidInput> {
    const header = decodeHeader(text)
    if (Option.isNone(header)) return Effect.fail(damaged(notOurs))
    this.isBegun = true
    return header.value.version > formatVersion
      ? Effect.fail(
          damaged(
            `is of a newer release: its format has version ${header.value.version}, and this program knows ${formatVersion}`
          )
        )
      : Effect.succeed({ _tag: "Header", header: header.value })
  }

  private content(text: string): Effect.Effect<DumpLine, InvalidInput> {
    if (text.startsWith("{")) {
      this.rows++
      return Effect.succeed({ _tag: "Row", json: text })
    }
    const table = decodeTable(text)
    return Option.isSome(table)
      ? Effect.succeed({ _tag: "Table", table: table.value })
      : Effect.fail(damaged("is damaged: a line is neither a table nor a row"))
  }

  private end(text: string): Effect.Effect<undefined, InvalidInput> {
    this.isEnded = true
    const expected = `${JSON.stringify(["end", this.rows, this.hash.digest("hex")])}\n`
    return text === expected ? Effect.undefined : Effect.fail(damaged("is damaged: its checksum is another one"))
  }
}
