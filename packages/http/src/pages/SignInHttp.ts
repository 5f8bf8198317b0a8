import { Clock, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { sessionLifetime, SignIn } from "@lists-and-things/domain/signin/SignIn"
import { ClientAddress } from "../edge/ClientAddress.ts"
import { readForm } from "../edge/FormBody.ts"
import { html } from "./Html.ts"
import { page, redirect, stylePath } from "./Page.ts"
import { style } from "./Style.ts"
import { checkOrigin, cookieOf, postedForm, safeNext, setCookie, shown, signedInPages } from "./Visitor.ts"

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
        return yield* signIn
          .signIn(email, Redacted.make(fields.get("password") ?? ""), addresses.network(request))
          .pipe(
            Effect.tap(() => (old === undefined ? Effect.void : signIn.signOut(old))),
            Effect.map(({ cookie }) =>
              redirect(next, { "set-cookie": setCookie(siteUrl, cookie, sessionLifetime / 1000) })
            ),
            Effect.catchTags({
              Unauthorized: () => Effect.succeed(form(next, email, "The email or the password is wrong.", 401)),
              RateLimited: (error) =>
                Effect.map(Clock.currentTimeMillis, (now) =>
                  HttpServerResponse.setHeader(
                    form(next, email, "Too many tries. Wait a quarter of an hour.", 429),
                    "retry-after",
                    String(Math.ceil((error.resetAt - now) / 1000))
                  )
                )
            })
          )
      })

      const leave = forSignedIn((visitor, request) =>
        Effect.gen(function* () {
          yield* postedForm(visitor, request)
          yield* signIn.signOut(cookieOf(request) ?? "")
          return redirect("/sign-in", { "set-cookie": setCookie(siteUrl, "", 0) })
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
