import { Effect, Layer } from "effect"
import { type Receipt, ReceiptStore } from "@lists-and-things/domain/ports/ReceiptStore"
import { Database } from "./Database.ts"
import type { OwnerData } from "./OwnerData.ts"

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
  prune: (before) =>
    Effect.gen(function* () {
      const owners = yield* database.readAll((all) => all.map((data) => data.account.id))
      const counts = yield* Effect.forEach(owners, (owner) => database.write(owner, pruneOwner(before), 0))
      return counts.reduce((sum, count) => sum + count, 0)
    })
})

const pruneOwner =
  (before: number) =>
  (data: OwnerData): number => {
    const old = [...data.receipts.values()].filter((receipt) => receipt.created < before)
    for (const { key } of old) data.receipts.delete(key)
    return old.length
  }

export const receiptStoreLayer = Layer.effect(ReceiptStore, Effect.map(Database, make))
