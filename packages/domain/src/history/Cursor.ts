import { Result, Schema } from "effect"
import * as Base64Url from "effect/encoding/Base64Url"
import { type AccountId, isIdForm } from "../model/Ids.ts"
import { Count } from "../json/Described.ts"
import { shownValue } from "../json/ShownValue.ts"
import { InvalidInput } from "../model/Errors.ts"
import { OperationId } from "../model/Operation.ts"
import { type Following, type HistoryPoint, type StatePart, stateParts } from "../ports/HistoryStore.ts"
import { EpochMillis } from "../model/EpochMillis.ts"

/**
 * Where a consumer of the feed stands. `point` is the last operation that it has; while the state is read, the one that
 * was last when the reading began.
 */
export type Cursor = FollowingCursor | StateCursor

/** Of a consumer that has a state, and the operations up to a point. */
export interface FollowingCursor {
  readonly _tag: "Following"
  readonly point: HistoryPoint
  /** How many entities of the operation after `point` the consumer already has. */
  readonly skip: number
}

/** Of a consumer that is reading the state. */
export interface StateCursor {
  readonly _tag: "State"
  readonly point: HistoryPoint
  readonly part: StatePart
  /** The last entity of this part that the consumer has. */
  readonly after: string | undefined
}

/** The cursor of a consumer that has received these operations, at least one; the last of them possibly in part. */
export const cursorAfter = (
  { point, skip }: FollowingCursor,
  operations: ReadonlyArray<Following>
): FollowingCursor => {
  const last = operations.at(-1)!
  if (last.rest === 0) return { _tag: "Following", point: { at: last.at, operation: last.id }, skip: 0 }
  const before = operations.at(-2)
  return before === undefined
    ? { _tag: "Following", point, skip: skip + last.keys.length }
    : { _tag: "Following", point: { at: before.at, operation: before.id }, skip: last.keys.length }
}

const isId = Schema.makeFilter((text: string) => isIdForm(text))
const Operation = Schema.NullOr(OperationId.check(isId))

/** Short, since every request carries it: account, time and id of the operation, then what the tag says. */
const Written = Schema.Union([
  Schema.Tuple([Schema.Literal("f"), Schema.String, Count, Operation, Count]),
  Schema.Tuple([
    Schema.Literal("s"),
    Schema.String,
    Count,
    Operation,
    Schema.Literals(stateParts),
    Schema.NullOr(Schema.String.check(isId))
  ])
])

const decode = Schema.decodeUnknownResult(Schema.fromJsonString(Written))

/** Opaque to clients. */
export const formatCursor = (owner: AccountId, cursor: Cursor): string => {
  const { at, operation = null } = cursor.point
  const written: typeof Written.Type =
    cursor._tag === "Following"
      ? ["f", owner, at, operation, cursor.skip]
      : ["s", owner, at, operation, cursor.part, cursor.after ?? null]
  return Base64Url.encode(JSON.stringify(written))
}

/** More characters than any cursor has; parsing a long text could take seconds. */
const maxLength = 1_000

/** Fails for a text that is no cursor, and for the cursor of another account. */
export const parseCursor = (owner: AccountId, text: string): Result.Result<Cursor, InvalidInput> => {
  if (text.length > maxLength) return Result.fail(wrong(text))
  const decoded = Result.flatMap(Base64Url.decodeString(text), (json) => decode(json))
  if (Result.isFailure(decoded)) return Result.fail(wrong(text))
  const written = decoded.success
  if (written[1] !== owner) return Result.fail(wrong(text))
  const point: HistoryPoint = { at: EpochMillis(written[2]), operation: written[3] ?? undefined }
  return Result.succeed(
    written[0] === "f"
      ? { _tag: "Following", point, skip: written[4] }
      : { _tag: "State", point, part: written[4], after: written[5] ?? undefined }
  )
}

const wrong = (text: string): InvalidInput =>
  new InvalidInput({
    field: "cursor",
    reason: "must be 'now', or the cursor of an earlier answer to this account",
    sent: shownValue(text),
    example: '"cursor": "now"'
  })
