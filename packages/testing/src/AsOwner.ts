import { Effect } from "effect"
import type { Account } from "@lists-and-things/domain/model/Account"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { type Scope, scopes } from "@lists-and-things/domain/model/Scope"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { SetReminderInput } from "@lists-and-things/domain/json/ReminderJson"
import {
  BulkCreateInput,
  BulkSetInput,
  CreateThingInput,
  UpdateThingInput
} from "@lists-and-things/domain/json/ThingInput"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { Things } from "@lists-and-things/domain/things/Things"
import { at, newAccount, noon } from "./Fixtures.ts"

/** Use cases for the suites of behaviour, with bodies as a client would send them. */

export const callerOf = (account: Account, allowed: ReadonlyArray<Scope> = scopes): Caller["Service"] => ({
  account,
  scopes: new Set(allowed),
  by: { type: "key", id: "key", name: "A key" }
})

/** Runs a test as a new account, with the clock at `noon`. */
export const asOwner = <A, E, R>(
  test: (account: Account) => Effect.Effect<A, E, R>,
  overrides: Partial<Account> = {}
) =>
  Effect.gen(function* () {
    const account = yield* newAccount(overrides)
    return yield* test(account).pipe(Effect.provideService(Caller, callerOf(account)), at(noon))
  })

export const make = (value: unknown) =>
  Effect.gen(function* () {
    return yield* (yield* Things).create(yield* decodeInput(CreateThingInput)(value))
  })

export const patch = (id: string, value: unknown) =>
  Effect.gen(function* () {
    return yield* (yield* Things).update(id, yield* decodeInput(UpdateThingInput)(value))
  })

export const remind = (id: string, value: unknown) =>
  Effect.gen(function* () {
    return yield* (yield* Reminders).set(id, yield* decodeInput(SetReminderInput)(value))
  })

export const bulk = (value: unknown) =>
  Effect.gen(function* () {
    return yield* (yield* BulkThings).create(yield* decodeInput(BulkCreateInput)(value))
  })

export const bulkSet = (ids: ReadonlyArray<string>, value: unknown) =>
  Effect.gen(function* () {
    return yield* (yield* BulkThings).update({ ids, set: yield* decodeInput(BulkSetInput)(value) })
  })

export const listNamed = (title: string) =>
  Effect.gen(function* () {
    return (yield* (yield* Lists).create({ title })).list
  })

export const shown = (id: string) =>
  Effect.gen(function* () {
    return (yield* (yield* Lists).view(id)).things
  })

export const texts = (things: ReadonlyArray<Thing>) => things.map((thing) => thing.text)
