import type { Outdated } from "@lists-and-things/domain/days/ClockSkew"
import { utf8Bytes } from "@lists-and-things/domain/model/Size"
import { Effect, Layer } from "effect"
import { type FoundRecord, IdempotencyStore } from "@lists-and-things/domain/ports/IdempotencyStore"
import { Database } from "../Database.ts"
import type { OwnerData, StoredRecord } from "../OwnerData.ts"
import { outdatedKeys, prune } from "../Pruning.ts"

const make = (database: Database["Service"]): IdempotencyStore["Service"] => ({
  get: (owner, key, after) =>
    database.read(owner, (data): FoundRecord | undefined => {
      const found = data.records.get(key)
      if (found === undefined || found.created <= after) return undefined
      const { writeTimestamp, ...record } = found
      const operation = data.operations.get(String(writeTimestamp))?.operation
      return operation === undefined ? record : { ...record, operationId: operation.id }
    }),
  put: (owner, record) =>
    database.write(owner, (data, writeTimestamp) => data.records.set(record.key, { ...record, writeTimestamp })),
  dropAnswers: (owner, bytes) => database.write(owner, dropAnswers(bytes), 0),
  pruneOf: (owner, created, max) => database.write(owner, pruneOwner(created, max), 0),
  prune: (created, max) =>
    Effect.gen(function* () {
      const owners = yield* database.readAll((all) =>
        all
          .filter((data) => outdatedKeys(data.records, createdOf, created, 1).length > 0)
          .map((data) => data.account.id)
      )
      let removed = 0
      for (const owner of owners)
        if (removed < max) removed += yield* database.write(owner, pruneOwner(created, max - removed), 0)
      return removed
    })
})

const createdOf = ({ created }: StoredRecord) => created

const dropAnswers =
  (bytes: number) =>
  (data: OwnerData): number => {
    let [total, dropped] = [0, 0]
    const newestFirst = [...data.records.values()].sort((a, b) => b.created - a.created)
    for (const record of newestFirst) {
      total += utf8Bytes(record.answer)
      if (record.answer === "" || total <= bytes) continue
      data.records.set(record.key, { ...record, answer: "" })
      dropped++
    }
    return dropped
  }

const pruneOwner =
  (created: Outdated, max: number) =>
  (data: OwnerData): number =>
    prune(data.records, createdOf, created, max)

export const idempotencyStoreLayer = Layer.effect(IdempotencyStore, Effect.map(Database, make))
