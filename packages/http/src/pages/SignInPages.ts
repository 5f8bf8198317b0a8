import { Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { passwordLinkPath, PasswordLinks } from "@lists-and-things/domain/caller/PasswordLinks"
import { latOnPage } from "@lists-and-things/domain/text/CommandLine"
import { canBeEmail, minPasswordLength } from "@lists-and-things/domain/caller/Credentials"
import { CurrentOperation } from "@lists-and-things/domain/model/CurrentOperation"
import type { Session } from "@lists-and-things/domain/model/Grant"
import { SignIn } from "@lists-and-things/domain/signin/SignIn"
import { ClientAddress } from "@lists-and-things/web/ClientAddress"
import { readForm } from "../edge/FormBody.ts"
import { type Html, html } from "./Html.ts"
import { errorPage, page, redirect, zoneScriptTag } from "./Page.ts"
import { SiteCookies } from "./SiteCookies.ts"
import {
  actorOf,
  checkOrigin,
  renderErrors,
  safeNext,
  signedInForms,
  signOutPath,
  unsentName
} from "./CurrentSession.ts"
import { currentTime, secondsUntil } from "@lists-and-things/domain/model/EpochMillis"

const zoneOffered = html`<div data-offer-zone="" hidden>
  <label class="check"
    ><input type="checkbox" id="timezone" name="timezone" /><span
      >Set my time zone to <strong data-zone></strong>, where this browser is</span
    ></label
  >
</div>
${zoneScriptTag}`

/** The sign-in form, with `said` above its fields. */
const form = (next: string, email: string, said: Html, status = 200) =>
  page(
    "Sign in",
    html`<div class="sign-in">
      <h1>Sign in</h1>
      ${said}
      <form method="post" action="/sign-in">
        <input type="hidden" name="next" value="${next}" />
        <p class="field">
          <label for="email">Email</label
          ><input id="email" name="email" type="email" autocomplete="username" required value="${email}" />
        </p>
        <p class="field">
          <label for="password">Password</label
          ><input id="password" name="password" type="password" autocomplete="current-password" required />
        </p>
        ${zoneOffered}
        <button>Sign in</button>
      </form>
      <p class="soft">
        No password yet, or forgot it? Whoever runs this server can create a link with
        <code>${latOnPage("account link EMAIL")}</code>, and you choose one.
      </p>
    </div>`,
    { status }
  )

const problem = (text: string): Html => html`<p class="problem" role="alert">${text}</p>`

const accessEnded = html`<p class="notice" role="status">All access has ended: keys, connected programs, every browser and the address of the calendar feed.</p>`

const unsent = html`<p class="notice" role="status">Nothing was changed, because you were signed out. Sign in and try again.</p>`

const saidBy = (query: URLSearchParams): Html =>
  query.has("ended") ? accessEnded : query.has(unsentName) ? unsent : html``

/** The page of a password link; `secret` is the link's. */
const welcome = (secret: string, email: string, refusal: string | undefined) =>
  page(
    "Choose a password",
    html`<div class="sign-in">
      <h1>Choose a password</h1>
      ${refusal === undefined ? "" : problem(refusal)}
      <form method="post" action="${passwordLinkPath}">
        <input type="hidden" name="link" value="${secret}" />
        <p class="field">
          <label for="email">Email</label
          ><input id="email" type="email" autocomplete="username" readonly value="${email}" />
        </p>
        <p class="field">
          <label for="password">Password</label
          ><input id="password" name="password" type="password" autocomplete="new-password" minlength="${minPasswordLength}" required aria-describedby="password-hint" /><span
            class="hint"
            id="password-hint"
            >At least ${minPasswordLength} characters.</span
          >
        </p>
        ${zoneOffered}
        <button>Set the password and sign in</button>
      </form>
    </div>`,
    { status: refusal === undefined ? 200 : 400 }
  )

const ended = () =>
  errorPage(
    410,
    "This link no longer works",
    `It was used already, is more than an hour old, or was replaced by a newer one. Whoever runs this server can create another one with ${latOnPage("account link EMAIL")}.`
  )

/** Signing in and out. */
export const layer = (siteUrl: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const addresses = yield* ClientAddress
      const cookies = yield* SiteCookies
      const sent = yield* signedInForms
      const signIn = yield* SignIn
      const accounts = yield* Accounts
      const links = yield* PasswordLinks

      const show = Effect.map(HttpServerRequest.HttpServerRequest, (request) => {
        const query = new URL(request.url, siteUrl).searchParams
        return form(safeNext(query.get("next")), "", saidBy(query))
      })

      const enter = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* checkOrigin(request)
        const fields = yield* readForm(request)
        const [next, email] = [safeNext(fields.get("next")), fields.get("email") ?? ""]
        const old = cookies.session(request)
        const attempt = {
          email,
          password: Redacted.make(fields.get("password") ?? ""),
          address: addresses.network(request),
          device: cookies.device(request)
        }
        const again = canBeEmail(email) ? email : ""
        return yield* signIn.signIn(attempt).pipe(
          Effect.tap(() => (old === undefined ? Effect.void : signIn.signOut(old))),
          Effect.tap(({ session }) => setZone(session, fields.get("timezone"))),
          Effect.map((entry) => redirect(next).pipe(cookies.withEntry(entry))),
          Effect.catchTags({
            Unauthorized: () => Effect.succeed(form(next, again, problem("The email or password is wrong."), 401)),
            RateLimited: (error) =>
              Effect.map(currentTime, (now) => {
                const seconds = secondsUntil(error.resetAt, now)
                const wait = seconds > 60 ? "Try again in 15 minutes." : "Try again in a moment."
                return HttpServerResponse.setHeader(
                  form(next, again, problem(`Too many attempts. ${wait}`), 429),
                  "retry-after",
                  String(seconds)
                )
              })
          })
        )
      })

      /** Sets the browser's zone if the person ticked that; an unknown zone changes nothing. */
      const setZone = Effect.fnUntraced(function* (session: Session, timezone: string | null) {
        if (timezone === null) return
        const call = { name: "updateAccount", surface: "web", by: actorOf(session), requestId: null } as const
        yield* accounts.update(session.owner, { timezone }).pipe(
          Effect.provideService(CurrentOperation, call),
          Effect.catchTag(["InvalidInput", "NotFound", "Conflict"], () => Effect.void)
        )
      })

      const showWelcome = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        const secret = new URL(request.url, siteUrl).searchParams.get("link") ?? ""
        const { email } = yield* links.account(secret)
        return welcome(secret, email, undefined)
      }).pipe(Effect.catchTag("Unauthorized", () => Effect.succeed(ended())))

      const begin = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* checkOrigin(request)
        const fields = yield* readForm(request)
        const [secret, password] = [fields.get("link") ?? "", Redacted.make(fields.get("password") ?? "")]
        const { email } = yield* links.account(secret)
        return yield* signIn.welcome(secret, password, cookies.device(request)).pipe(
          Effect.tap(({ session }) => setZone(session, fields.get("timezone"))),
          Effect.map((entry) => redirect("/today").pipe(cookies.withEntry(entry))),
          Effect.catchTag("InvalidInput", ({ reason }) =>
            Effect.succeed(welcome(secret, email, `The password ${reason}.`))
          )
        )
      }).pipe(Effect.catchTag("Unauthorized", () => Effect.succeed(ended())))

      const leave = sent(({ request }) =>
        Effect.as(signIn.signOut(cookies.session(request) ?? ""), cookies.withoutSession(redirect("/sign-in")))
      )

      yield* router.add("GET", "/", redirect("/today"))
      yield* router.add("GET", "/sign-in", show)
      yield* router.add("POST", "/sign-in", renderErrors(enter))
      yield* router.add("GET", passwordLinkPath, renderErrors(showWelcome))
      yield* router.add("POST", passwordLinkPath, renderErrors(begin))
      yield* router.add("POST", signOutPath, leave)
      yield* router.add("GET", signOutPath, redirect("/account"))
    })
  )
