import { describe, expect, it } from "@effect/vitest"
import { Result } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { type Cursor, formatCursor, parseCursor } from "../../src/history/Cursor.ts"
import { epoch, EpochMillis } from "../../src/model/EpochMillis.ts"
import { AccountId } from "../../src/model/Ids.ts"
import { operationIdAt } from "../../src/model/Operation.ts"

const mine = AccountId.make("019bd000-0000-7000-8000-000000000001")
const theirs = AccountId.make("019bd000-0000-7000-8000-000000000002")
const operation = operationIdAt(EpochMillis(1_795_255_200_000), new Uint8Array(10))

const cursors: ReadonlyArray<Cursor> = [
  { _tag: "Following", point: { at: EpochMillis(1_795_255_200_000), operation }, skip: 7 },
  { _tag: "Following", point: { at: epoch, operation: undefined }, skip: 0 },
  { _tag: "State", point: { at: EpochMillis(9), operation }, part: "copies", after: operation },
  { _tag: "State", point: { at: epoch, operation: undefined }, part: "account", after: undefined }
]

describe("a cursor", () => {
  it("is parsed to the value that was formatted", () => {
    for (const cursor of cursors) {
      const text = formatCursor(mine, cursor)
      expect(text).toMatch(/^[\w-]+$/)
      expect(Result.getOrThrow(parseCursor(mine, text))).toStrictEqual(cursor)
    }
  })

  it("is refused if it belongs to another account or is malformed", () => {
    const encoded = (value: unknown) => Base64Url.encode(JSON.stringify(value))
    const wrong = [
      formatCursor(theirs, cursors[0]!),
      "",
      "now",
      "%",
      "é",
      "x".repeat(100_000),
      Base64Url.encode(JSON.stringify(["f", mine, 1, operation, 0]) + " ".repeat(1_000)),
      encoded(null),
      encoded(["f", mine]),
      encoded(["f", mine, 1, "not an id", 0]),
      encoded(["f", mine, 1, operation, -1]),
      encoded(["f", mine, -1, operation, 0]),
      encoded(["f", mine, 1, operation, 1e300]),
      encoded(["s", mine, 1, operation, "nothing", null]),
      encoded(["s", mine, 1, operation, "copies", "'; drop"])
    ]
    for (const text of wrong) expect(Result.isFailure(parseCursor(mine, text)), text.slice(0, 80)).toBe(true)
  })
})
