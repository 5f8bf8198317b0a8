import { Effect } from "effect"
import type * as Crypto from "effect/Crypto"
import type { Accounts } from "@lists-and-things/domain/caller/Accounts"
import type { IdempotencyRecords } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { Operations } from "@lists-and-things/domain/history/Operations"
import { Undo } from "@lists-and-things/domain/history/Undo"
import type { Lists } from "@lists-and-things/domain/lists/Lists"
import type { OperationCall } from "@lists-and-things/domain/model/CurrentOperation"
import type { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import type { Places } from "@lists-and-things/domain/places/Places"
import type { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import type { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import type { Things } from "@lists-and-things/domain/things/Things"
import { makeCall, withCall } from "./Operations.ts"
import type { Ports } from "./HistoryStoreSuite.ts"

export type UseCases =
  | Accounts
  | BulkThings
  | Crypto.Crypto
  | IdempotencyRecords
  | Lists
  | Operations
  | Places
  | PlaceStore
  | Ports
  | Reminders
  | Things
  | Undo

/** Runs an effect and returns the id of the operation that it recorded. */
export const done = Effect.fnUntraced(function* <A, E, R>(
  effect: Effect.Effect<A, E, R>,
  overrides: Partial<OperationCall> = {}
) {
  const call = makeCall(overrides)
  const value = yield* effect.pipe(withCall(call))
  return { value, id: call.recorded ?? (yield* Effect.die(new Error("No operation was recorded"))) }
})

export const undone = Effect.fnUntraced(function* (id: string, overrides: Partial<OperationCall> = {}) {
  const undo = yield* Undo
  return yield* undo.undo(id).pipe(withCall(makeCall({ name: "undoOperation", ...overrides })))
})

export const refusal = (id: string) => Effect.flip(undone(id))

export const undoState = (id: string) =>
  Effect.map(
    Effect.flatMap(Operations, (operations) => operations.view(id)),
    ({ undo }) => undo
  )
