import { Effect } from "effect"
import { occurrencesJson, previewJson, reminderJson } from "@lists-and-things/domain/json/ReminderJson"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import type { ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import { Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import { Things } from "@lists-and-things/domain/things/Things"
import { answering, matching, success, Tagged } from "./Conditional.ts"
import { type Operations, prefetching } from "./Handlers.ts"
import { serve } from "./Serve.ts"

const setJson = (view: ReminderView) => ({ reminder: reminderJson(view) })

/** See docs/contract.md#reminders. */
const operations = Effect.gen(function* () {
  const reminders = yield* Reminders
  const things = yield* Things
  const tags = yield* EntityTags
  const whenMatching = matching(yield* Preconditions)
  const taggedView = (view: ReminderView) =>
    Effect.map(tags.ofView({ thing: view.thing, reminder: view }), ({ tag }) => new Tagged(setJson(view), tag))
  const taggedWithout = (thing: Thing) => Effect.map(tags.ofThing(thing, null), (tag) => new Tagged(success, tag))
  return {
    setReminder: prefetching(
      ({ params }) => things.prefetch(params.id),
      ({ params, payload }, seen) => Effect.flatMap(reminders.set(params.id, payload, seen), taggedView),
      ({ payload }, seen, conditions) =>
        whenMatching(seen, conditions, (seen, keyed) =>
          Effect.flatMap(reminders.setIfUnchanged(seen, payload, keyed && answering(keyed, setJson)), (view) =>
            view === undefined ? Effect.undefined : taggedView(view)
          )
        )
    ),
    removeReminder: prefetching(
      ({ params }) => things.prefetch(params.id),
      ({ params }, seen) =>
        Effect.gen(function* () {
          const thing = yield* reminders.remove(params.id, seen)
          return thing === undefined ? new Tagged(success, undefined) : yield* taggedWithout(thing)
        }),
      (_, seen, conditions) =>
        whenMatching(seen, conditions, (seen, keyed) =>
          Effect.flatMap(reminders.removeIfUnchanged(seen, keyed && answering(keyed, () => success)), (gone) =>
            gone ? taggedWithout(seen.thing) : Effect.undefined
          )
        )
    ),
    listReminders: () => Effect.map(reminders.upcoming, (views) => ({ reminders: views.map(reminderJson) })),
    listOccurrences: ({ params, query }) => Effect.map(reminders.occurrences(params.id, query.count), occurrencesJson),
    previewReminder: ({ payload }) => Effect.map(reminders.preview(payload), previewJson)
  } satisfies Operations<"reminders">
})

export const layer = serve("reminders", operations)
