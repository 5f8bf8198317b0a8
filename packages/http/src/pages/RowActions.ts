import { Effect, Layer } from "effect"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { UpdateThingInput } from "@lists-and-things/domain/json/ThingInput"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { Nesting } from "@lists-and-things/domain/things/Nesting"
import { backIn, inForm, type Posted, withOccurrenceOperation, withOperation } from "./FormActions.ts"
import { makeRunOnce, makeTick } from "./IdempotentForms.ts"
import { errorPage } from "./Page.ts"
import { makePageRoutes } from "./PageRoutes.ts"
import { wayBack } from "./HistoryLinks.ts"
import { withNotice } from "./PageAddress.ts"

/** The answer when a list still showed a thing that is deleted. */
const deletedThing = (id: string, fields: URLSearchParams, { account }: Posted["current"]) =>
  errorPage(404, "Not found", "Nothing was done: this thing no longer exists.", {
    ...(isIdForm(id) && { more: wayBack({ thingId: id }) }),
    back: backIn(fields, "/today"),
    signedInAs: account.email
  })

/** Stored as the outcome of a nesting that changed something. */
const moved = "moved"

/** The actions of the buttons in a row, wherever things are listed: tick a thing, or nest it. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { action } = yield* makePageRoutes
    const tick = yield* makeTick
    const nesting = yield* Nesting
    const runOnce = yield* makeRunOnce

    yield* action(
      "/things/tick",
      "updateThing",
      () => "/today",
      ({ current, fields }, call) => {
        const reopened = fields.get("reopen")
        const [id = "", occurrence] = (reopened ?? fields.get("complete") ?? "").split("@", 2)
        return Effect.gen(function* () {
          const state = reopened === null ? { completed: true } : { completed: false, canceled: false }
          const patch = yield* decodeInput(
            UpdateThingInput,
            inForm
          )({ ...state, ...(occurrence === undefined ? {} : { occurrence }) })
          yield* tick(fields, id, patch, call)
          return withOccurrenceOperation(id, backIn(fields, "/today"), call, isIdForm(id) ? `t-${id}` : "")
        }).pipe(Effect.catchTag("NotFound", () => Effect.succeed(deletedThing(id, fields, current))))
      }
    )

    yield* action(
      "/things/nest",
      "updateThings",
      () => "/today",
      ({ current, fields }, call) => {
        const direction = fields.has("deeper") ? "deeper" : "shallower"
        const id = fields.get(direction) ?? ""
        return Effect.gen(function* () {
          const nest = Effect.map(nesting.nest(id, direction), (isMoved) => (isMoved ? moved : "stayed"))
          const isMoved = (yield* runOnce(fields, "nestThing", nest)) === moved
          const back = backIn(fields, "/today")
          if (!isMoved) return withNotice(back, { [direction === "deeper" ? "deepest" : "topmost"]: id }, `t-${id}`)
          return withOperation(back, call, `t-${id}`)
        }).pipe(Effect.catchTag("NotFound", () => Effect.succeed(deletedThing(id, fields, current))))
      }
    )
  })
)
