import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { IdempotencyRecords } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { withLineFeeds } from "./FormActions.ts"
import { type Html, html } from "./Html.ts"
import { digestOf } from "./Seen.ts"

const formName = "form"

/** What a form that makes something is known by. Each page that is shown has its own. */
export const newFormId: Effect.Effect<string> = Effect.sync(() => randomUUID())

export const hiddenFormId = (id: string): Html => html`<input type="hidden" name="${formName}" value="${id}" />`

/**
 * Runs what a form asks for once, although it is sent again because its answer was lost: within a day, by the same form
 * and with the same fields, it ends as the first time (docs/decisions.md#writes).
 */
export const makeOnceSent = Effect.map(
  IdempotencyRecords,
  (records) =>
    <E, R>(fields: URLSearchParams, operation: string, write: Effect.Effect<string, E, R>) => {
      const id = fields.get(formName) ?? ""
      if (!isIdForm(id)) return write
      const sent = digestOf(typedIn(fields))
      return records.once(`form ${id} ${operation} ${sent}`, sent, write)
    }
)

/** What was typed. The session and the page may be others when it is sent again, and an empty file is left out then. */
const typedIn = (fields: URLSearchParams): string => {
  const typed = [...fields].filter(([name, text]) => name !== "csrf" && name !== "back" && text !== "")
  return JSON.stringify(typed.map(([name, text]) => JSON.stringify([name, withLineFeeds(text)])).toSorted())
}
