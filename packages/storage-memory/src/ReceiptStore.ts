import type { Outdated } from "@lists-and-things/domain/ClockSkew"
import { Effect, Layer } from "effect"
import { type Receipt, ReceiptStore } from "@lists-and-things/domain/ports/ReceiptStore"
import { Database } from "./Database.ts"
import type { OwnerData } from "./OwnerData.ts"
import { outdatedKeys } from "./Pruning.ts"

const make = (database: Database["Service"]): ReceiptStore["Service"] => ({
  get: (owner, key, notBefore) =>
    database.read(
      owner,
      (data): Receipt | undefined => {
        const receipt = data.receipts.get(key)
        return receipt !== undefined && receipt.created > notBefore ? receipt : undefined
      },
      undefined
    ),
  put: (owner, receipt) => database.write(owner, (data) => data.receipts.set(receipt.key, receipt), undefined),
  pruneOf: (owner, created, most) => database.write(owner, pruneOwner(created, most), 0),
  prune: (created, most) =>
    Effect.gen(function* () {
      const owners = yield* database.readAll((all) =>
        all.filter((data) => oldOf(data, created, 1).length > 0).map((data) => data.account.id)
      )
      let removed = 0
      for (const owner of owners)
        if (removed < most) removed += yield* database.write(owner, pruneOwner(created, most - removed), 0)
      return removed
    })
})

const oldOf = (data: OwnerData, created: Outdated, most: number) =>
  outdatedKeys(
    Array.from(data.receipts.values(), (receipt) => [receipt.key, receipt] as const),
    (receipt) => receipt.created,
    created,
    most
  )

const pruneOwner =
  (created: Outdated, most: number) =>
  (data: OwnerData): number => {
    const old = oldOf(data, created, most)
    for (const key of old) data.receipts.delete(key)
    return old.length
  }

export const receiptStoreLayer = Layer.effect(ReceiptStore, Effect.map(Database, make))
