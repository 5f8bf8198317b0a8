import { Effect } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import { callOf, CurrentOperation, type OperationCall } from "@lists-and-things/domain/model/CurrentOperation"
import { type DomainError, InvalidInput } from "@lists-and-things/domain/model/Errors"
import type { Refused } from "@lists-and-things/web/ErrorAnswers"
import { safeNext, type SentForm, signedInForms } from "./CurrentSession.ts"
import { type NoticeName, placeName, withoutNotice } from "./Notices.ts"
import { redirect } from "./Page.ts"
import { typedLabels } from "./TypedTexts.ts"

/** A form for what its address names. */
export interface Posted extends SentForm {
  /** The last part of the address, or empty. */
  readonly id: string
}

/** The id or date in the address of the request. */
export const idInPath = Effect.map(HttpRouter.params, (params) => params["id"] ?? "")

export const withLineFeeds = (text: string): string => text.replaceAll("\r\n", "\n")

/** A field as one line's or several lines' text: browsers send CR LF. */
export const textIn = (fields: URLSearchParams, name: string): string => withLineFeeds(fields.get(name) ?? "")

/** Labels of fields by their names in a request. */
const formLabels: Readonly<Record<string, string>> = {
  ...typedLabels,
  type: "Kind",
  sort: "Order",
  at: "Day",
  repeat: "Repeats",
  every: "Interval",
  repeat_until: "Until",
  days: "Weekdays",
  duration_minutes: "Length",
  alert_minutes: "Alert before",
  second_alert_minutes: "Second alert",
  color: "Color"
}

const labelOf = (name: string): string => formLabels[name] ?? name

/** How messages about the fields of a form speak of them. */
export const inForm = {
  at: "The form",
  written: (name: string, value: unknown) => `${labelOf(name)}: ${String(value)}`
}

/** What a form says in the place of a reason that speaks of the fields of a request. */
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
 * A refusal as its form would say it: `Link` for `url`, `Photos 2` for `photos[1]`, and no example in JSON. `labels` are
 * those of a form that calls its fields otherwise.
 */
export const asLabelled = (error: InvalidInput, labels = formLabels): InvalidInput => {
  const { index, name = "" } = /^(?<name>\w+)(?:\[(?<index>\d+)\])?$/.exec(error.field)?.groups ?? {}
  if (!Object.hasOwn(labels, name)) return error
  const field = index === undefined ? labels[name]! : `${labels[name]} ${Number(index) + 1}`
  const { example, reason, sent } = error
  const said = reasonsInForm.find(([inRequest]) => inRequest.test(reason))
  return new InvalidInput({
    field,
    reason: said === undefined ? reason : reason.replace(...said),
    // The form shows what was typed; of an array the size is said.
    ...(sent !== undefined && name !== "repeat_until" && { sent: sent.replace(/^an array of /, "") }),
    ...(example !== undefined && !example.startsWith('"') && { example })
  })
}

/** The page that a form was sent from, on this site; else the given one. */
export const backIn = (fields: URLSearchParams, otherwise: string): string => safeNext(fields.get("back"), otherwise)

/**
 * The address of a page that says what an operation did and offers its undo, which leads to `undone`: a part of that
 * page, or the path of another.
 */
export const withDone = (path: string, { recorded }: OperationCall, anchor = "", undone = anchor): string =>
  noticing(path, { done: recorded }, anchor, recorded === undefined ? anchor : undone)

/** The same for one occurrence of a thing; the page says why nothing was done where that is over. */
export const withDoneTo = (id: string, path: string, { notice, recorded }: OperationCall, anchor = ""): string =>
  noticing(path, { done: recorded, missed: recorded === undefined && notice !== undefined ? id : undefined }, anchor)

/** An address whose page says something; `said` are ids by names of notices. */
export const noticing = (
  path: string,
  said: Readonly<Partial<Record<NoticeName, string | undefined>>>,
  anchor = "",
  undone = anchor
): string => {
  const url = new URL(path, "http://site")
  withoutNotice(url)
  for (const [name, id] of Object.entries(said)) if (id !== undefined) url.searchParams.set(name, id)
  if (anchor !== "") url.hash = anchor
  const place = undone === "" ? url.hash.slice(1) : undone
  if (place !== "") url.searchParams.set(placeName, place)
  // A path that begins with two slashes names another site.
  return `${url.pathname.replace(/^\/+/, "/")}${url.search}${url.hash}`
}

/** Again where what a form is about was changed between reading and writing it. */
export const whileChanged = <A, E extends { readonly _tag: string }, R>(change: Effect.Effect<A, E, R>) =>
  Effect.retry(change, { while: ({ _tag }) => _tag === "PreconditionFailed", times: 10 })

/**
 * Registers forms that change something. What is changed is answered by a redirect, so that a reload repeats nothing;
 * and each address is also a page for those who come back to it, who are sent to `home`.
 */
export const makeFormActions = Effect.gen(function* () {
  const router = yield* HttpRouter.HttpRouter
  const sent = yield* signedInForms

  /** `change` answers the path to go to, or a page where it changed nothing; `name` is the operation's in the history. */
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
