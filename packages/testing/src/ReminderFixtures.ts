import { Effect } from "effect"
import type { Account } from "@lists-and-things/domain/model/Account"
import type { Reminder } from "@lists-and-things/domain/model/Reminder"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { asOwner } from "./AsOwner.ts"
import { freshId, newAccount, newList, newThings, place, type Plain, reminder, timeTrigger } from "./Fixtures.ts"

/** An owner with a thing and a reminder on it for each of the given times. */
export const setup = Effect.fnUntraced(function* (
  times: ReadonlyArray<number>,
  overrides: ReadonlyArray<Partial<Plain<Thing>>> = times.map(() => ({}))
) {
  const { id: owner } = yield* newAccount()
  const home = yield* newList(owner)
  const things = yield* newThings(owner, home.id, overrides)
  const reminders = yield* ReminderStore
  const made = times.map((at, index) => reminder(things[index]!, { trigger: timeTrigger(at) }))
  yield* reminders.put(owner, made)
  return { owner, home, things, reminders, made }
})

export const byThing = (all: ReadonlyArray<Reminder>): ReadonlyArray<Reminder> =>
  all.toSorted((a, b) => (a.thingId < b.thingId ? -1 : 1))

export const newPlace = Effect.fnUntraced(function* (...[owner]: Parameters<typeof place>) {
  const made = place(owner, { name: freshId() })
  yield* Effect.flatMap(PlaceStore, (places) => places.put(made))
  return made
})

/** Runs a test as a new account in Berlin, with the clock at `noon`. */
export const asOwnerInBerlin = <A, E, R>(
  test: (account: Account) => Effect.Effect<A, E, R>,
  overrides: Partial<Account> = {}
) => asOwner(test, { timezone: "Europe/Berlin", ...overrides })

/** A thing of the account, in a list of its own. */
export const newThing = (account: Account, text = "A thing") =>
  Effect.gen(function* () {
    const list = yield* newList(account.id)
    const [thing] = yield* newThings(account.id, list.id, [{ text }])
    return { list, thing: thing! }
  })
