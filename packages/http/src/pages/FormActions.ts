import { Effect } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import { callOf, CurrentOperation, type OperationCall } from "@lists-and-things/domain/model/CurrentOperation"
import { type DomainError, InvalidInput } from "@lists-and-things/domain/model/Errors"
import type { Refused } from "@lists-and-things/web/ErrorAnswers"
import { safeNext, type SentForm, signedInForms } from "./CurrentSession.ts"
import { redirect } from "./Page.ts"
import { typedLabels } from "./TypedTexts.ts"
import { withNotice } from "./PageAddress.ts"

/** A sent form for the entity that its address names. */
export interface Posted extends SentForm {
  /** The id or date in the address; empty if it has none. */
  readonly id: string
}

/** The id or date in the address of the request. */
export const idInPath = Effect.map(HttpRouter.params, (params) => params["id"] ?? "")

/** `replaceAll` takes five times as long for a text of many short lines. */
export const withLineFeeds = (text: string): string => text.split("\r\n").join("\n")

/** The text of a field with LF line ends: browsers send CR LF. */
export const textIn = (fields: URLSearchParams, name: string): string => withLineFeeds(fields.get(name) ?? "")

/** Labels of fields by their names in a request. */
const formLabels: Readonly<Record<string, string>> = {
  ...typedLabels,
  type: "Type",
  sort: "Order",
  at: "Day",
  repeat: "Repeats",
  every: "Interval",
  repeat_until: "Until",
  days: "Weekdays",
  duration_minutes: "Duration",
  alert_minutes: "Alert before",
  second_alert_minutes: "Second alert",
  color: "Color"
}

const labelOf = (name: string): string => formLabels[name] ?? name

/** Wording of messages about the fields of a form. */
export const inForm = {
  at: "The form",
  written: (name: string, value: unknown) => `${labelOf(name)}: ${String(value)}`
}

/** Reasons that name fields of a request, and their wording for a form. */
const reasonsInForm: ReadonlyArray<readonly [inRequest: RegExp, inForm: string]> = [
  [/^must be an array of at most /, "must be at most "],
  [/^must keep every item within the caps: /, "cannot be added: "],
  [
    /^cannot be combined with repeat \w+; days make a reminder weekly$/,
    "need a reminder that repeats weekly, or never"
  ],
  [/^must be after at\b/, "must be after the day and time"],
  [/, unless there is a url, a photo or a list_ref$/, ", unless there is a link or a photo"]
]

/**
 * A refusal in the words of a form: `Link` for `url`, `Photos 2` for `photos[1]`, and no JSON examples. `labels` are
 * for a form with other names of fields.
 */
export const asLabelled = (error: InvalidInput, labels = formLabels): InvalidInput => {
  const { index, name = "" } = /^(?<name>\w+)(?:\[(?<index>\d+)\])?$/.exec(error.field)?.groups ?? {}
  if (!Object.hasOwn(labels, name)) return error
  const field = index === undefined ? labels[name]! : `${labels[name]} ${Number(index) + 1}`
  const { example, reason, sent } = error
  const notices = reasonsInForm.find(([inRequest]) => inRequest.test(reason))
  const wording = notices === undefined ? reason : reason.replace(...notices)
  return new InvalidInput({
    field,
    reason: wording,
    // The form still shows what was typed; for an array, its size is named.
    ...(sent !== undefined && sent !== '""' && name !== "repeat_until" && { sent: sent.replace(/^an array of /, "") }),
    // What is too long or too many needs no example.
    ...(example !== undefined && !example.startsWith('"') && !wording.startsWith("must be at most ") && { example })
  })
}

/** The page that a form was sent from, on this site; else the given one. */
export const backIn = (fields: URLSearchParams, otherwise: string): string => safeNext(fields.get("back"), otherwise)

/**
 * The address of a page that says what an operation did, if anything, and offers to undo it. The undo leads to
 * `undone`: an anchor of that page, or the path of another.
 */
export const withOperation = (path: string, { recorded }: OperationCall, anchor = "", undone = anchor): string =>
  recorded === undefined
    ? withNotice(path, { unchanged: "" }, anchor)
    : withNotice(path, { done: recorded }, anchor, undone)

/** Like `withOperation`, for one occurrence of a thing; if that is over, the page says why nothing was done. */
export const withOccurrenceOperation = (
  id: string,
  path: string,
  { notice, recorded }: OperationCall,
  anchor = ""
): string =>
  withNotice(path, { done: recorded, missed: recorded === undefined && notice !== undefined ? id : undefined }, anchor)

/** Retries, up to 10 times, a change whose entity was changed between reading and writing. */
export const retryIfChanged = <A, E extends { readonly _tag: string }, R>(change: Effect.Effect<A, E, R>) =>
  Effect.retry(change, { while: ({ _tag }) => _tag === "PreconditionFailed", times: 10 })

/**
 * Registers forms that change something. A form is answered with a redirect, so that a reload repeats nothing. Its
 * address is also a page, which redirects to `home` those who come back to it.
 */
export const makeFormActions = Effect.gen(function* () {
  const router = yield* HttpRouter.HttpRouter
  const sent = yield* signedInForms

  /**
   * `change` returns the path to go to, or a page if it changed nothing; `name` is that of the operation in the
   * history.
   */
  return <E extends DomainError | Refused>(
    path: `/${string}`,
    name: string,
    home: (id: string) => string,
    change: (
      posted: Posted,
      call: OperationCall
    ) => Effect.Effect<string | HttpServerResponse.HttpServerResponse, E, Caller>
  ) =>
    Effect.gen(function* () {
      const post = sent((form) =>
        Effect.gen(function* () {
          const call = yield* callOf(name, "web")
          const posted = { ...form, id: yield* idInPath }
          const to = yield* change(posted, call).pipe(
            Effect.mapError((error) => (error instanceof InvalidInput ? asLabelled(error) : error)),
            Effect.provideService(CurrentOperation, call)
          )
          return typeof to === "string" ? redirect(to) : to
        })
      )
      yield* router.add("POST", path, post)
      yield* router.add(
        "GET",
        path,
        Effect.map(idInPath, (id) => redirect(home(encodeURIComponent(id))))
      )
    })
})
