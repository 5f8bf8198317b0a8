import { Effect, Layer } from "effect"
import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { fold } from "@lists-and-things/domain/text/TextFold"
import { Database } from "../Database.ts"
import { newOwner, noSecrets, type OwnerData } from "../OwnerData.ts"
import { byCreated } from "../Order.ts"

const make = (database: Database["Service"]): AccountStore["Service"] => ({
  get: (id) => database.read(id, (data) => data.account),
  byEmail: (email) => database.readAll((owners) => owners.find(hasEmail(email))?.account),
  all: database.readAll((owners) => owners.map((data) => data.account).toSorted(byCreated)),
  isEmpty: database.readAll((owners) => owners.length === 0),
  only: database.readAll((owners) => (owners.length === 1 ? owners[0]!.account : undefined)),
  insert: (account) =>
    database.writeAccount(account.id, (draft, others) => {
      if (draft.data !== undefined || others.some(hasEmail(account.email))) return false
      draft.data = newOwner(account)
      return true
    }),
  put: (account) =>
    database.writeAccount(account.id, (draft, others) => {
      if (others.some(hasEmail(account.email))) return false
      if (draft.data !== undefined) draft.data.account = account
      return true
    }),
  remove: (id) =>
    database.writeAccount(id, (draft) => {
      const existed = draft.data !== undefined
      draft.data = undefined
      return existed
    }),
  secrets: (id) => database.read(id, (data) => data.secrets, noSecrets),
  putSecrets: (id, secrets) =>
    database.write(id, (data) => {
      data.secrets = secrets
    }),
  byFeedToken: (token) =>
    database.readAll((owners) => owners.find((data) => data.secrets.feedToken === token)?.account),
  byPasswordLink: (hash) =>
    database.readAll((owners) => owners.find((data) => data.secrets.passwordLink?.hash === hash)?.account)
})

const hasEmail =
  (email: string) =>
  (data: OwnerData): boolean =>
    fold(data.account.email) === fold(email)

export const accountStoreLayer = Layer.effect(AccountStore, Effect.map(Database, make))
