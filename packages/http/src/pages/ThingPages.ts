import { Effect, Layer } from "effect"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { SetReminderInput } from "@lists-and-things/domain/json/ReminderJson"
import { UpdateThingInput } from "@lists-and-things/domain/json/ThingInput"
import { treeOf, withNested } from "@lists-and-things/domain/lists/Outline"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { thingTitle } from "@lists-and-things/domain/markdown/Document"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import { type DomainError, InvalidInput } from "@lists-and-things/domain/model/Errors"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import { Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import { Nesting } from "@lists-and-things/domain/things/Nesting"
import { Things } from "@lists-and-things/domain/things/Things"
import {
  asLabelled,
  backIn,
  idInPath,
  inForm,
  type Posted,
  retryIfChanged,
  textIn,
  withOccurrenceOperation,
  withOperation
} from "./FormActions.ts"
import { html } from "./Html.ts"
import { formIdIn, makeRemoveOnce, makeReportFirstCopy, makeTick, newFormId } from "./IdempotentForms.ts"
import { page } from "./Page.ts"
import { makePageRoutes } from "./PageRoutes.ts"
import { isStaleReminder, reminderInput, staleZoneIn } from "./ReminderForm.ts"
import { Deleted, editOf, goneHtml, Stale, staleMessage, StaleReminder, StaleZone } from "./ThingEdit.ts"
import { thingMain, type ThingShown } from "./ThingForms.ts"

/** Occurrences that the page of a thing shows. */
const shownOccurrences = 3

const decode = decodeInput(UpdateThingInput, inForm)

/** The patch of a state button. */
const states: Readonly<Record<string, object>> = {
  completed: { completed: true },
  canceled: { canceled: true },
  open: { completed: false, canceled: false },
  starred: { favorited: true },
  unstarred: { favorited: false }
}

const isStale = ({ isStaleReminder = false, stale }: NonNullable<ThingShown["refused"]>): boolean =>
  stale !== undefined || isStaleReminder

/** The page of a thing, and the forms that change, move and delete it. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { action, get, noticeOf } = yield* makePageRoutes
    const things = yield* Things
    const nesting = yield* Nesting
    const lists = yield* Lists
    const reminders = yield* Reminders
    const tags = yield* EntityTags
    const preconditions = yield* Preconditions
    const tick = yield* makeTick
    const removeOnce = yield* makeRemoveOnce
    const reportFirstCopy = yield* makeReportFirstCopy

    const show = Effect.fnUntraced(function* (
      { current, id, request }: Pick<Posted, "current" | "id" | "request">,
      refused?: ThingShown["refused"]
    ) {
      const { thing, reminder } = yield* things.get(id)
      const [view, others, next, notice, now] = yield* Effect.all(
        [
          lists.view(thing.listId),
          lists.page(0, "ordinary"),
          reminder === null ? Effect.succeed([]) : reminders.occurrences(id, shownOccurrences),
          noticeOf(current, request),
          currentTime
        ],
        { concurrency: "unbounded" }
      )
      const title = thingTitle(thing)
      const { account, session } = current
      // A refused form is still the one that was shown before.
      const form = (refused === undefined ? undefined : formIdIn(refused.typed)) ?? (yield* newFormId)
      const origin = { csrf: session.csrf, back: `/things/${thing.id}`, form }
      const { list } = view
      const node = (yield* runSteps(() => treeOf(view.things))).get(thing.id)
      const under = withNested(view.things, thing).length - 1
      const at = view.things.findIndex((each) => each.id === thing.id)
      const beside = view.things[at + under + 1] ?? view.things[at - 1]
      const shown = {
        account,
        now,
        origin,
        thing,
        reminder,
        next,
        list,
        node,
        beside,
        under,
        others: others.items.filter(({ id }) => id !== list.id)
      }
      const main = yield* runSteps(() => thingMain(refused === undefined ? shown : { ...shown, refused }))
      return page(title === "" ? "A thing" : title, html`${notice}${main}`, {
        signedInAs: account.email,
        section: list.day === null ? "lists" : "today",
        status: refused === undefined ? 200 : isStale(refused) ? 409 : (refused.status ?? 400)
      })
    })

    const goneOf = ({ current, fields }: Posted) =>
      page("Deleted", goneHtml(fields), { signedInAs: current.account.email, status: 404 })

    const toThing = (id: string) => `/things/${id}`

    /** A form whose refusal is shown beside what was typed. */
    const changeOf = (
      path: `/things/:id/${string}`,
      name: string,
      change: (
        posted: Posted
      ) => Effect.Effect<unknown, DomainError | Stale | StaleReminder | StaleZone | Deleted, Caller>
    ) =>
      action(path, name, toThing, (posted, call) =>
        change(posted).pipe(
          Effect.andThen(reportFirstCopy({ thingId: posted.id }, call, posted.fields)),
          Effect.map(() => withOperation(`/things/${posted.id}`, call)),
          Effect.catchTags({
            InvalidInput: (error) =>
              show(posted, { problem: asLabelled(error).message, field: error.field, typed: posted.fields }),
            Ambiguous: ({ messageWithoutFields }) =>
              show(posted, { problem: messageWithoutFields, typed: posted.fields }),
            // An entity that the form names is missing. If it is the thing itself, there is no page to show the problem
            // on.
            NotFound: (error) =>
              show(posted, { problem: error.message, typed: posted.fields, status: 404 }).pipe(
                Effect.catchTag("NotFound", () => Effect.fail(error))
              ),
            Deleted: () => Effect.succeed(goneOf(posted)),
            Stale: ({ fields }) => show(posted, { problem: staleMessage(fields), typed: posted.fields, stale: fields }),
            StaleReminder: ({ message }) =>
              show(posted, { problem: message, typed: posted.fields, isStaleReminder: true }),
            StaleZone: ({ message }) => show(posted, { problem: message, typed: posted.fields, status: 409 })
          })
        )
      )

    yield* get("/things/:id", (current, request) => Effect.flatMap(idInPath, (id) => show({ current, request, id })))

    yield* action("/things/:id/state", "updateThing", toThing, ({ fields, id }, call) =>
      Effect.gen(function* () {
        const state = fields.get("state") ?? ""
        const occurrence = fields.get("occurrence")
        const named = occurrence === null || !["completed", "canceled"].includes(state) ? {} : { occurrence }
        yield* tick(fields, id, yield* decode({ ...states[state], ...named }), call)
        return withOccurrenceOperation(id, `/things/${id}`, call)
      })
    )

    /** Applies the changes made in the form to the current thing. */
    const edit = Effect.fnUntraced(function* (fields: URLSearchParams, id: string) {
      const view = yield* things.get(id)
      const { stale, typed } = editOf(fields, view.thing)
      if (stale.length > 0) return yield* new Stale({ fields: stale })
      const patch = yield* decode(typed)
      const { tag } = yield* tags.ofView(view)
      return yield* preconditions.ifMatch({ kind: "thing", id, isRemoval: false }, [tag], things.update(id, patch))
    })

    yield* changeOf("/things/:id/edit", "updateThing", ({ fields, id }) =>
      retryIfChanged(edit(fields, id)).pipe(Effect.catchTag("NotFound", () => Effect.fail(new Deleted())))
    )

    yield* changeOf("/things/:id/move", "updateThings", ({ fields, id }) =>
      Effect.gen(function* () {
        const typed = ["day", "other_day", "list"].map((name) => textIn(fields, name).trim())
        const [list, another] = typed.filter((place) => place !== "")
        if (list === undefined)
          return yield* new InvalidInput({ field: "", reason: "Name a list or a day to move to." })
        if (another !== undefined)
          return yield* new InvalidInput({ field: "", reason: "Name a list or a day, not both." })
        return yield* nesting.moveTo(id, yield* decode(isIdForm(list) ? { list_id: list } : { list }))
      })
    )

    /** Sets the reminder of the form, unless the stored one was changed elsewhere since the form was shown. */
    const setReminder = Effect.fnUntraced(function* ({ current, fields, id }: Posted) {
      const view = yield* things.get(id)
      const input = yield* decodeInput(SetReminderInput, inForm)(reminderInput(fields))
      const { account } = current
      const shown = staleZoneIn(fields, account)
      if (shown !== undefined) return yield* new StaleZone({ shown, zone: account.timezone })
      if (isStaleReminder(fields, input, { account, reminder: view.reminder?.reminder }))
        return yield* new StaleReminder()
      const { tag } = yield* tags.ofView(view)
      return yield* preconditions.ifMatch({ kind: "thing", id, isRemoval: false }, [tag], reminders.set(id, input))
    })

    yield* changeOf("/things/:id/reminder", "setReminder", (posted) => retryIfChanged(setReminder(posted)))

    yield* changeOf("/things/:id/reminder/remove", "removeReminder", ({ id }) => reminders.remove(id))

    yield* action("/things/:id/delete", "deleteThings", toThing, ({ fields, id }, call) =>
      removeOnce({ thingId: id }, call, nesting.remove(id)).pipe(
        Effect.map(() => {
          const beside = textIn(fields, "beside")
          return withOperation(
            backIn(fields, "/today"),
            call,
            isIdForm(beside) ? `t-${beside}` : "",
            isIdForm(id) ? `t-${id}` : ""
          )
        })
      )
    )
  })
)
