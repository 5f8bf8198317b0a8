import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { SetReminderInput } from "@lists-and-things/domain/json/ReminderJson"
import { UpdateThingInput } from "@lists-and-things/domain/json/ThingInput"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { thingTitle } from "@lists-and-things/domain/markdown/Document"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import { CurrentOperation, callOf } from "@lists-and-things/domain/model/CurrentOperation"
import { type DomainError, InvalidInput } from "@lists-and-things/domain/model/Errors"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import type { SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { Things } from "@lists-and-things/domain/things/Things"
import { postedForm, signedInPages } from "./CurrentSession.ts"
import { backIn, idInPath, inForm, makeFormActions, type Posted, textIn, withDone } from "./FormActions.ts"
import { html } from "./Html.ts"
import { makeNotices } from "./Notices.ts"
import { page, redirect } from "./Page.ts"
import { reminderInput } from "./ReminderForm.ts"
import { editInput, thingMain, type ThingShown } from "./ThingForms.ts"

/** Occurrences that the page of a thing shows. */
const shownOccurrences = 3

const decode = decodeInput(UpdateThingInput, inForm)

/** What a state button asks for. */
const states: Readonly<Record<string, object>> = {
  completed: { completed: true },
  canceled: { canceled: true },
  open: { completed: false, canceled: false },
  starred: { favorited: true },
  unstarred: { favorited: false }
}

/** The page of a thing, and the forms that change, move and delete it. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const forSignedIn = yield* signedInPages
    const action = yield* makeFormActions
    const noticeOf = yield* makeNotices
    const things = yield* Things
    const lists = yield* Lists
    const reminders = yield* Reminders

    const show = Effect.fnUntraced(function* (
      { current, id, request }: Pick<Posted, "current" | "id" | "request">,
      refused?: ThingShown["refused"]
    ) {
      const { thing, reminder } = yield* things.get(id)
      const [{ list }, others, next, notice, now] = yield* Effect.all(
        [
          lists.view(thing.listId),
          lists.page(0),
          reminder === null ? Effect.succeed([]) : reminders.occurrences(id, shownOccurrences),
          noticeOf(current, request),
          currentTime
        ],
        { concurrency: "unbounded" }
      )
      const title = thingTitle(thing)
      const { account, session } = current
      const origin = { csrf: session.csrf, back: `/things/${thing.id}` }
      const shown = { account, now, origin, thing, reminder, next, list, others: others.items }
      const main = thingMain(refused === undefined ? shown : { ...shown, refused })
      return page(title === "" ? "A thing" : title, html`${notice}${main}`, {
        signedInAs: account.email,
        section: list.day === null ? "lists" : "today",
        status: refused === undefined ? 200 : 400
      })
    })

    /** A form whose refusal is shown beside what was typed. */
    const changeOf = (
      path: `/things/:id/${string}`,
      name: string,
      change: (posted: Posted) => Effect.Effect<unknown, DomainError, Caller>
    ) =>
      Effect.gen(function* () {
        const post = forSignedIn((current: SignedIn, request) =>
          Effect.gen(function* () {
            const fields = yield* postedForm(current, request)
            const posted = { current, request, fields, id: yield* idInPath }
            const call = yield* callOf(name, "web")
            return yield* Effect.provideService(change(posted), CurrentOperation, call).pipe(
              Effect.map(() => redirect(withDone(`/things/${posted.id}`, call))),
              Effect.catchTag(["InvalidInput", "Ambiguous"], ({ message }) =>
                show(posted, { problem: message, typed: fields })
              )
            )
          })
        )
        yield* router.add("POST", path, post)
        yield* router.add(
          "GET",
          path,
          Effect.map(idInPath, (id) => redirect(`/things/${encodeURIComponent(id)}`))
        )
      })

    yield* router.add(
      "GET",
      "/things/:id",
      forSignedIn((current, request) => Effect.flatMap(idInPath, (id) => show({ current, request, id })))
    )

    yield* action(
      "/things/tick",
      "updateThing",
      () => "/today",
      ({ fields }, call) =>
        Effect.gen(function* () {
          const reopened = fields.get("reopen")
          const [id = "", occurrence] = (reopened ?? fields.get("complete") ?? "").split("@", 2)
          const state = reopened === null ? { completed: true } : states["open"]
          const patch = yield* decode({ ...state, ...(occurrence === undefined ? {} : { occurrence }) })
          yield* things.update(id, patch)
          return withDone(backIn(fields, "/today"), call, isIdForm(id) ? `t-${id}` : "")
        })
    )

    const toThing = (id: string) => `/things/${id}`

    yield* action("/things/:id/state", "updateThing", toThing, ({ fields, id }, call) =>
      Effect.gen(function* () {
        const state = fields.get("state") ?? ""
        const occurrence = fields.get("occurrence")
        const named = occurrence === null || !["completed", "canceled"].includes(state) ? {} : { occurrence }
        yield* things.update(id, yield* decode({ ...states[state], ...named }))
        return withDone(`/things/${id}`, call)
      })
    )

    yield* changeOf("/things/:id/edit", "updateThing", ({ fields, id }) =>
      Effect.gen(function* () {
        const { thing } = yield* things.get(id)
        yield* things.update(id, yield* decode(editInput(fields, thing)))
      })
    )

    yield* changeOf("/things/:id/move", "updateThing", ({ fields, id }) =>
      Effect.gen(function* () {
        const list = textIn(fields, "day") || textIn(fields, "other_day") || textIn(fields, "list").trim()
        if (list === "")
          return yield* new InvalidInput({ field: "The form", reason: "must name a list or a day to move to" })
        return yield* things.update(id, yield* decode(isIdForm(list) ? { list_id: list } : { list }))
      })
    )

    yield* changeOf("/things/:id/reminder", "setReminder", ({ fields, id }) =>
      Effect.flatMap(decodeInput(SetReminderInput, inForm)(reminderInput(fields)), (input) => reminders.set(id, input))
    )

    yield* changeOf("/things/:id/reminder/remove", "removeReminder", ({ id }) => reminders.remove(id))

    yield* action("/things/:id/delete", "deleteThing", toThing, ({ fields, id }, call) =>
      things.remove(id).pipe(Effect.map(() => withDone(backIn(fields, "/today"), call)))
    )
  })
)
