import { feedGone } from "@lists-and-things/domain/history/Changes"
import { blockedMessage } from "@lists-and-things/domain/history/UndoMessages"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { exampleIds } from "@lists-and-things/domain/json/Described"
import { CreateThingInput } from "@lists-and-things/domain/json/ThingInput"
import { addMillis } from "@lists-and-things/domain/model/EpochMillis"
import {
  Forbidden,
  IdempotencyMismatch,
  RateLimited,
  StorageUnavailable,
  Unauthorized
} from "@lists-and-things/domain/model/Errors"
import { changedSince } from "@lists-and-things/domain/preconditions/Preconditions"
import { unknownIdMessage } from "@lists-and-things/domain/targets/UnknownId"
import { notJson, tooLarge } from "@lists-and-things/web/RequestBody"
import { Effect } from "effect"
import { milk, updated } from "../api/Examples.ts"
import { completedMilk } from "../api/HistoryExamples.ts"
import { defectMessage } from "../edge/ErrorResponses.ts"

const examples: Readonly<Record<number, () => string>> = {
  400: () => Effect.runSync(Effect.flip(decodeInput(CreateThingInput)({ text: "Oat milk", tabs: "two" }))).message,
  401: () => new Unauthorized({}).message,
  403: () => new Forbidden({ scopes: ["write:lists"] }).message,
  404: () => unknownIdMessage("list", exampleIds.list),
  409: () =>
    blockedMessage(
      [{ key: { type: "thing", id: milk.id }, entity: { type: "thing", value: milk }, change: "updated" }],
      [completedMilk()]
    ),
  410: () => feedGone.message,
  412: () => changedSince("thing"),
  413: () => tooLarge().message,
  415: () => notJson().message,
  422: () => new IdempotencyMismatch({}).message,
  429: () => new RateLimited({ limit: 1000, resetAt: addMillis(updated, 3_600_000) }).message,
  500: () => defectMessage("0f7c1a52-6c1c-4f0e-9d0f-3f7d8f6f2b11"),
  503: () => new StorageUnavailable({ outcome: "not-applied" }).message,
  507: () => new StorageUnavailable({ outcome: "not-applied", full: true }).message
}

/** Example of an answer's `error` for a status, worded by the code that answers requests. */
export const errorExample = (status: number): string | undefined => examples[status]?.()
