import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Accounts } from "../../src/caller/Accounts.ts"
import { Webhooks } from "../../src/webhooks/Webhooks.ts"
import { as, backupLayer, exported, newAccount, restore } from "./Sample.ts"

/** As release 1.0 wrote it. Never changed: a field that was added since is missing here, and has its default. */
const written = `{
"format": "lists-and-things",
"version": 2,
"exported": "2026-11-28T21:30:51.070Z",
"account": {"id":"01a22401-7960-73b0-b816-78da8c7446a4","email":"ann@example.com","name":"Ann","timezone":"Europe/Vienna","default_thing_type":"todo","default_list_sort":"chronological","default_reminder_minutes":0,"default_alert_minutes":0,"default_reminder_color":"","repeat_moves_to_day":true,"all_day_at":"07:30"},
"places": [
{"id":"01a22412-0e6f-7a42-9f6b-0d4c5b6a7e81","name":"Home","address":"","latitude":48.2,"longitude":16.4,"radius_m":150}
],
"lists": [
{"id":"01a22407-71ee-7ff7-8433-002973cea6d6","title":"2026-11-28","emoji":"","day":"2026-11-28","favorited":false,"archived":false,"sort":"chronological","created":"2026-11-28T21:19:57.420Z","updated":"2026-11-28T21:30:46.941Z"}
],
"things": [
{"id":"01a22407-7393-75e4-aba2-5df4442c1646","list_id":"01a22407-71ee-7ff7-8433-002973cea6d6","list_ref":null,"clone_of":null,"rank":1795900797889,"seq":0,"tabs":0,"text":"Keys","type":"todo","url":"","tags":[],"photos":[],"completed":false,"canceled":false,"favorited":false,"bold":false,"italic":false,"underline":false,"header":false,"subheader":false,"quote":false,"code":false,"note":"","created":"2026-11-28T21:19:57.889Z","updated":"2026-11-28T21:19:57.889Z"},
{"id":"01a22411-4355-76c8-b137-5f917e1f933e","list_id":"01a22407-71ee-7ff7-8433-002973cea6d6","list_ref":null,"clone_of":null,"rank":1795901440862,"seq":0,"tabs":0,"text":"Water the plants","type":"todo","url":"","tags":["home"],"photos":[],"completed":false,"canceled":false,"favorited":false,"bold":false,"italic":false,"underline":false,"header":false,"subheader":false,"quote":false,"code":false,"note":"","created":"2026-11-28T21:30:40.862Z","updated":"2026-11-28T21:30:40.862Z"}
],
"reminders": [
{"id":"01a22412-1a9c-7d1e-8c5f-3b2a19087f64","thing_id":"01a22407-7393-75e4-aba2-5df4442c1646","alert_minutes":0,"second_alert_minutes":0,"color":"","created":"2026-11-28T21:31:12.004Z","time":null,"place":{"id":"01a22412-0e6f-7a42-9f6b-0d4c5b6a7e81","trigger":"leave","radius_m":null}},
{"id":"01a22411-5b35-7710-86d0-aabf46b8c7b8","thing_id":"01a22411-4355-76c8-b137-5f917e1f933e","alert_minutes":0,"second_alert_minutes":0,"color":"","created":"2026-11-28T21:30:46.941Z","time":{"at":"2026-11-29T08:00:00.000Z","all_day":false,"first":"2026-11-29T09:00:00.000","repeat":"weekly","every":1,"days":[],"until":null,"duration_minutes":null,"end":null},"place":null}
],
"webhooks": [
{"id":"01a22412-3b5d-7f10-a4c6-9e8d7c6b5a43","url":"https://ntfy.sh/my-topic","events":["reminder.due"],"format":"ntfy","description":"Phone","created":"2026-11-28T21:32:00.000Z"}
]
}`

type Records = ReadonlyArray<object>

it.effect("an export of release 1.0 is restored, with all that it holds", () =>
  Effect.gen(function* () {
    const target = yield* newAccount("bob@example.com")
    expect(yield* restore(target, written)).toStrictEqual({ lists: 1, things: 2, reminders: 2, skipped: 0 })
    expect(yield* as(target)((yield* Webhooks).list)).toHaveLength(1)
    const again = JSON.parse(yield* exported(yield* (yield* Accounts).get(target.id))) as Record<string, Records>
    const { exported: _, account, ...records } = JSON.parse(written) as Record<string, Records>
    expect(again).toMatchObject(records)
    expect(again.account).toMatchObject({ ...account, id: target.id, email: target.email })
  }).pipe(Effect.provide(backupLayer))
)
