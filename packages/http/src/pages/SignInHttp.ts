import { Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { canBeEmail } from "@lists-and-things/domain/caller/Credentials"
import { sessionLifetime, SignIn } from "@lists-and-things/domain/signin/SignIn"
import { ClientAddress } from "@lists-and-things/web/ClientAddress"
import { readForm } from "../edge/FormBody.ts"
import { html } from "./Html.ts"
import { page, redirect, stylePath } from "./Page.ts"
import { style } from "./Style.ts"
import {
  checkOrigin,
  cookieOf,
  deviceOf,
  postedForm,
  safeNext,
  shown,
  signedInPages,
  withDevice,
  withSession
} from "./CurrentSession.ts"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"

const form = (next: string, email: string, problem: string | undefined, status = 200) =>
  page(
    "Sign in",
    html`<h1>Sign in</h1>
      ${problem === undefined ? "" : html`<p class="problem" role="alert">${problem}</p>`}
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
        <button>Sign in</button>
      </form>
      <p class="soft">
        No password yet? Whoever runs this server sets one with <code>lat account set EMAIL --password-stdin</code>.
      </p>`,
    { status }
  )

/** Signing in and out, and the stylesheet. */
export const layer = (siteUrl: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const addresses = yield* ClientAddress
      const forSignedIn = yield* signedInPages
      const signIn = yield* SignIn

      const show = Effect.map(HttpServerRequest.HttpServerRequest, (request) =>
        form(safeNext(new URL(request.url, siteUrl).searchParams.get("next")), "", undefined)
      )

      const enter = Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* checkOrigin(request)
        const fields = yield* readForm(request)
        const [next, email] = [safeNext(fields.get("next")), fields.get("email") ?? ""]
        const old = cookieOf(request)
        const attempt = {
          email,
          password: Redacted.make(fields.get("password") ?? ""),
          address: addresses.network(request),
          device: deviceOf(request)
        }
        const again = canBeEmail(email) ? email : ""
        return yield* signIn.signIn(attempt).pipe(
          Effect.tap(() => (old === undefined ? Effect.void : signIn.signOut(old))),
          Effect.map(({ cookie, device }) =>
            redirect(next).pipe(withSession(siteUrl, cookie, sessionLifetime / 1000), withDevice(siteUrl, device))
          ),
          Effect.catchTags({
            Unauthorized: () => Effect.succeed(form(next, again, "The email or the password is wrong.", 401)),
            RateLimited: (error) =>
              Effect.map(currentTime, (now) => {
                const seconds = Math.max(1, Math.ceil((error.resetAt - now) / 1000))
                const wait = seconds > 60 ? "Wait a quarter of an hour." : "Wait a moment."
                return HttpServerResponse.setHeader(
                  form(next, again, `Too many tries. ${wait}`, 429),
                  "retry-after",
                  String(seconds)
                )
              })
          })
        )
      })

      const leave = forSignedIn((current, request) =>
        Effect.gen(function* () {
          yield* postedForm(current, request)
          yield* signIn.signOut(cookieOf(request) ?? "")
          return withSession(siteUrl, "", 0)(redirect("/sign-in"))
        })
      )

      yield* router.add(
        "GET",
        stylePath,
        HttpServerResponse.text(style, {
          contentType: "text/css; charset=utf-8",
          headers: { "cache-control": "public, max-age=300", "x-content-type-options": "nosniff" }
        })
      )
      yield* router.add("GET", "/", redirect("/account"))
      yield* router.add("GET", "/sign-in", show)
      yield* router.add("POST", "/sign-in", shown(enter))
      yield* router.add("POST", "/sign-out", leave)
    })
  )
