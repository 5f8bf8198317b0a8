import type { AccountId, ListId } from "@lists-and-things/domain/model/Ids"
import { SizeStore } from "@lists-and-things/domain/ports/SizeStore"
import { nothing } from "@lists-and-things/domain/model/Size"
import { Effect, Layer } from "effect"
import { Database } from "../Database.ts"
import type { ListRef } from "@lists-and-things/domain/ports/ListStore"
import { idOf, type OwnerData } from "../OwnerData.ts"

const sizesIn = (data: OwnerData, lists: ReadonlyArray<ListRef>) => ({
  account: data.size,
  lists: new Map(
    lists
      .map((list) => idOf(data, list))
      .filter((id) => id !== undefined && data.lists.has(id))
      .map((id) => [id as ListId, data.sizes.get(id!) ?? nothing] as const)
  )
})

const make = (database: Database["Service"]): SizeStore["Service"] => ({
  ofList: (owner, id) =>
    database.read(owner, (data) => (data.lists.has(id) ? (data.sizes.get(id) ?? nothing) : undefined)),
  ofAccount: (owner) => database.read(owner, (data) => data.size, nothing),
  sizes: (owner: AccountId, lists) =>
    database.read(owner, (data) => sizesIn(data, lists), { account: nothing, lists: new Map() })
})

export const sizeStoreLayer = Layer.effect(SizeStore, Effect.map(Database, make))
