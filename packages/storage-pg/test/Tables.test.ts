import type { Row } from "@effect/sql-pg/PgConnection"
import { afterAll, describe, expect, it } from "@effect/vitest"
import type { AccountId } from "@lists-and-things/domain/model/Ids"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { ReminderStore } from "@lists-and-things/domain/ports/ReminderStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import {
  hostileTexts,
  newAccount,
  newList,
  noon,
  place,
  placeTrigger,
  reminder,
  thing,
  timeTrigger
} from "@lists-and-things/testing/Fixtures"
import { full } from "@lists-and-things/testing/ThingStoreSuite"
import { Effect, Layer } from "effect"
import { Database } from "../src/connection/Database.ts"
import * as PgStorage from "../src/PgStorage.ts"
import type { Table } from "../src/Columns.ts"
import * as Tables from "../src/Tables.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

const weekly = timeTrigger(noon, {
  allDay: true,
  rule: { repeat: "weekly", every: 2, days: ["monday", "friday"], until: noon + 5 },
  durationMinutes: 30,
  end: noon + 1_800_000
})

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())
  // An operator's settings that would read null in an array as text, and cut the digits of coordinates; behind a pooler
  // the role has the needed settings.
  const isDirect = server.config().pooler === undefined
  const altered = (setting: string) =>
    `do $$ begin execute format('alter database %I set ${setting}', current_database()); end $$`
  if (isDirect)
    for (const setting of ["array_nulls = off", "extra_float_digits = 0"]) await server.sql(altered(setting))
  const layer = Layer.merge(PgStorage.layer(server.config()), Database.layer(server.config()))

  describe(`PostgreSQL ${version}: columns`, () => {
    it.live("of every table can be decoded from the JSON of a row to the stored entity", () =>
      Effect.gen(function* () {
        const db = yield* Database
        const [things, reminders, places] = [yield* ThingStore, yield* ReminderStore, yield* PlaceStore]
        const { id: owner } = yield* newAccount()
        const home = yield* newList(owner, { title: 'a "list"', emoji: "🦊", day: "2026-11-21", favorited: true })
        const spot = place(owner, { name: "Büro", address: "Street 1", latitude: 0.1 + 0.2, longitude: 11.5755 })
        yield* places.put(spot)
        const made = [
          full(thing(owner, home.id), home.id, null),
          thing(owner, home.id),
          ...hostileTexts.map((text) =>
            thing(owner, home.id, { text, note: text, tags: [...new Set([text.trim(), ",", "null"])].filter(Boolean) })
          )
        ] as const
        yield* things.insert(owner, made)
        const reminded = [
          reminder(made[0], { trigger: weekly, alertMinutes: 5, secondAlertMinutes: 10, color: "#aabbcc" }),
          reminder(made[1], { trigger: placeTrigger(spot.id, { on: "leave", radiusMeters: 12.5 }) })
        ]
        yield* reminders.put(owner, reminded)
        const rows = (table: string) =>
          Effect.map(db.read(`select to_jsonb(t) as row from ${table} t where owner_id = $1`, [owner]), (found) =>
            found.map(({ row }) => row as Row)
          )
        expect((yield* rows("lists")).map(Tables.lists.ofRow(owner))).toStrictEqual([home])
        expect((yield* rows("places")).map(Tables.places.ofRow(owner))).toStrictEqual([spot])
        const ofThings = (yield* rows("things")).map(Tables.things.ofRow(owner))
        expect(new Set(ofThings)).toStrictEqual(new Set(made))
        const ofReminders = (yield* rows("reminders")).map(Tables.reminders.ofRow(owner)).map(Tables.reminderOf)
        expect(new Set(ofReminders)).toStrictEqual(new Set(reminded))

        const texts = <E extends { readonly owner: AccountId }>(table: Table<E>, name: string, alias: string) =>
          Effect.map(
            db.read(
              `select i::text as row from (select ${table.selected} from ${name} ${alias} where owner_id = $1) i`,
              [owner]
            ),
            (found) => new Set(found.map(({ row }) => table.ofText(owner)(table.columns, row as string)))
          )
        expect(yield* texts(Tables.lists, "lists", "l")).toStrictEqual(new Set([home]))
        expect(yield* texts(Tables.places, "places", "p")).toStrictEqual(new Set([spot]))
        expect(yield* texts(Tables.things, "things", "t")).toStrictEqual(new Set(made))
        const reminderTexts = yield* texts(Tables.reminders, "reminders", "r")
        expect(new Set([...reminderTexts].map(Tables.reminderOf))).toStrictEqual(new Set(reminded))
      }).pipe(Effect.provide(layer))
    )
  })
}
