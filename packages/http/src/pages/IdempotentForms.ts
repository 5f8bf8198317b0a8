import { randomUUID } from "node:crypto"
import { Effect } from "effect"
import { IdempotencyRecords } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { currentTime, EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { withLineFeeds } from "./FormActions.ts"
import { type Html, html } from "./Html.ts"
import { digestOf } from "./Seen.ts"

const formName = "form"

/** Identifies a form; new each time a page is shown, and a UUID of version 7, which tells when that was. */
export const newFormId: Effect.Effect<string> = Effect.map(currentTime, (now) => {
  const time = now.toString(16).padStart(timeDigits, "0")
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice("00000000-0000-4".length)}`
})

/** The hexadecimal digits of the milliseconds in an id. */
const timeDigits = 12

export const formIdIn = (fields: URLSearchParams): string | undefined => {
  const id = fields.get(formName) ?? ""
  return isIdForm(id) ? id : undefined
}

/** When a form was shown; undefined if it has no id. */
export const shownAt = (fields: URLSearchParams): EpochMillis | undefined => {
  const id = formIdIn(fields)
  return id === undefined ? undefined : EpochMillis(Number.parseInt(id.replace("-", "").slice(0, timeDigits), 16))
}

export const hiddenFormId = (id: string): Html => html`<input type="hidden" name="${formName}" value="${id}" />`

/**
 * Runs a form's write once, even if the form is sent again because its answer was lost. Within a day, the same form
 * with the same fields gets the result of the first run (docs/decisions.md#writes).
 */
export const makeRunOnce = Effect.map(
  IdempotencyRecords,
  (records) =>
    <E, R>(fields: URLSearchParams, operation: string, write: Effect.Effect<string, E, R>) => {
      const id = formIdIn(fields)
      if (id === undefined) return write
      const sent = digestOf(typedIn(fields))
      return records.once(`form ${id} ${operation} ${sent}`, sent, write)
    }
)

/** What was typed. A repetition may come from another session or page, and omits an empty file. */
const typedIn = (fields: URLSearchParams): string => {
  const typed = [...fields].filter(([name, text]) => name !== "csrf" && name !== "back" && text !== "")
  return JSON.stringify(typed.map(([name, text]) => JSON.stringify([name, withLineFeeds(text)])).toSorted())
}
