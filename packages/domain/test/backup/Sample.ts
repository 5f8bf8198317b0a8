import { NodeCrypto } from "@effect/platform-node"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { Effect, Layer, Stream } from "effect"
import { Backup } from "../../src/backup/Backup.ts"
import { backupLines } from "../../src/backup/BackupContent.ts"
import { Restore } from "../../src/backup/Restore.ts"
import type { Account } from "../../src/model/Account.ts"
import { Accounts } from "../../src/caller/Accounts.ts"
import { Caller } from "../../src/model/Caller.ts"
import { decodeInput } from "../../src/json/Decode.ts"
import { SetReminderInput } from "../../src/json/ReminderJson.ts"
import { CreateThingInput } from "../../src/json/ThingInput.ts"
import { Lists } from "../../src/lists/Lists.ts"
import { Places } from "../../src/places/Places.ts"
import { Reminders } from "../../src/reminders/Reminders.ts"
import { Things } from "../../src/things/Things.ts"
import { useCases } from "../../src/UseCases.ts"
import { callerOf } from "@lists-and-things/testing/AsOwner"

/** All use cases over an in-memory storage of their own. */
export const backupLayer = Layer.mergeAll(Backup.layer, Restore.layer).pipe(
  Layer.provideMerge(useCases),
  Layer.provideMerge(memory),
  Layer.provide(NodeCrypto.layer)
)

export const as =
  (account: Account) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provideService(effect, Caller, callerOf(account))

export const exported = (account: Account) =>
  Effect.gen(function* () {
    const backup = yield* Backup
    const lines = yield* as(account)(backup.read((content) => Stream.runCollect(backupLines(content))))
    return lines.flat().join("\n")
  })

export const restore = (account: Account, text: string, merge = false) =>
  Effect.gen(function* () {
    return yield* as(account)((yield* Restore).run(Stream.make(text), { merge }))
  })

export const newAccount = (email: string) => Effect.flatMap(Accounts, (accounts) => accounts.create({ email }))

/** An account with lists, things, a place and reminders of every kind. */
export const sample = (email: string) =>
  Effect.gen(function* () {
    const accounts = yield* Accounts
    const made = yield* accounts.create({ email, name: "Ann", timezone: "Europe/Berlin", defaultReminderMinutes: 30 })
    const { account } = yield* accounts.update(made.id, {
      defaultListSort: "modified",
      defaultReminderColor: "#3366cc"
    })
    yield* as(account)(fill)
    return account
  })

const fill = Effect.gen(function* () {
  const lists = yield* Lists
  const things = yield* Things
  const reminders = yield* Reminders
  const places = yield* Places
  const create = (input: unknown) => Effect.flatMap(decodeInput(CreateThingInput)(input), things.create)
  const remind = (id: string, input: unknown) =>
    Effect.flatMap(decodeInput(SetReminderInput)(input), (decoded) => reminders.set(id, decoded))

  const { list: trip } = yield* lists.importMarkdown({
    markdown: "# Trip 🚆\n- [ ] Pack\n  - [x] socks\n- [-] umbrella\n## Notes\n> quote\n\n```\ncode\n```\n"
  })
  yield* lists.update(trip.id, { emoji: "🧳", favorited: true, sort: "alphabetical" })
  const { list: old } = yield* lists.importMarkdown({ markdown: "- [x] done", title: "Old" })
  yield* lists.update(old.id, { archived: true })
  const { list: day } = yield* lists.day("2026-11-21")
  const dentist = yield* create({ text: "Dentist", list_id: day.id, tags: ["Health"], note: "Room 5\nsecond floor" })
  yield* remind(dentist.id, { at: "2026-11-23T09:00", repeat: "weekly", days: ["mon"], alert_minutes: 10 })
  const home = yield* places.save({ name: "Home", address: "Main St 1", latitude: 52.5, longitude: 13.4 })
  const water = yield* create({
    text: "Water plants",
    list_id: trip.id,
    list_ref: old.id,
    photos: ["https://example.com/a.png"]
  })
  yield* reminders.setAtPlace(water.id, { place: home.place.id, trigger: "arrive", radiusMeters: undefined })
  yield* create({ clone_of: dentist.id, list_id: trip.id, text: "" })
  yield* create({ text: "early", list_id: trip.id, created: "2020-01-01T00:00:00Z", url: "https://example.com" })
})
