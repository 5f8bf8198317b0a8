import { Effect, Layer, Redacted } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import { Accounts, feedUrl } from "@lists-and-things/domain/caller/Accounts"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { callOf, CurrentOperation } from "@lists-and-things/domain/model/CurrentOperation"
import { scopes } from "@lists-and-things/domain/model/Scope"
import { NotFound } from "@lists-and-things/domain/model/Errors"
import { Authorizations } from "@lists-and-things/domain/signin/Authorizations"
import { SignIn, type SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { ClientAddress } from "@lists-and-things/web/ClientAddress"
import { type AccountShown, accountPage } from "./AccountPage.ts"
import { redirect } from "./Page.ts"
import {
  deviceOf,
  postedForm,
  shownOnceIn,
  signedInPages,
  withEntry,
  withSession,
  withShownOnce
} from "./CurrentSession.ts"
import { backIn, withDone } from "./FormActions.ts"
import { settingsEditOf, staleSettings } from "./SettingsForm.ts"

/** The account's settings: zone and defaults, keys, connected programs, the calendar feed. */
export const layer = (siteUrl: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const forSignedIn = yield* signedInPages
      const accounts = yield* Accounts
      const keys = yield* ApiKeys
      const authorizations = yield* Authorizations
      const signIn = yield* SignIn
      const addresses = yield* ClientAddress

      const show = Effect.fnUntraced(function* (current: SignedIn, shown: AccountShown = {}) {
        const { id } = current.account
        return accountPage({
          csrf: current.session.csrf,
          account: yield* accounts.get(id),
          keys: (yield* keys.list(id)).filter((key) => key.revoked === null),
          grants: yield* authorizations.connected(id),
          feedUrl: feedUrl(siteUrl, yield* accounts.feedToken(id)),
          shown
        })
      })

      const save = forSignedIn((current, request) =>
        Effect.gen(function* () {
          const fields = yield* postedForm(current, request)
          const { patch, stale } = settingsEditOf(fields, yield* accounts.get(current.account.id))
          const problem = (text: string) => show(current, { problem: text, settings: { typed: fields } })
          if (stale.length > 0)
            return yield* show(current, {
              problem: staleSettings(stale),
              status: 409,
              settings: { typed: fields, stale }
            })
          const call = yield* callOf("updateAccount", "web")
          return yield* accounts.update(current.account.id, patch).pipe(
            Effect.provideService(CurrentOperation, call),
            Effect.map(({ remindersMoved }) =>
              redirect(remindersMoved === 0 ? "/account?saved" : `/account?saved&moved=${remindersMoved}`)
            ),
            Effect.catchTags({
              InvalidInput: ({ message }) => problem(message),
              Conflict: ({ message }) => problem(message)
            })
          )
        })
      )

      const createKey = forSignedIn((current, request) =>
        Effect.gen(function* () {
          const fields = yield* postedForm(current, request)
          const chosen = scopes.filter((scope) => fields.getAll("scope").includes(scope))
          const typedKey = { name: fields.get("name") ?? "", scopes: chosen }
          if (chosen.length === 0)
            return yield* show(current, { problem: "Choose at least one thing that the key may do.", typedKey })
          return yield* keys.create({ account: current.account.id, ...typedKey }).pipe(
            Effect.map(({ token }) => redirect("/account#keys").pipe(withShownOnce(siteUrl, token))),
            Effect.catchTag("InvalidInput", (error) => show(current, { problem: error.message, typedKey }))
          )
        })
      )

      /** Below the sign-in's path, so that the browser brings the cookie that it is known by. */
      const changePassword = forSignedIn((current, request) =>
        Effect.gen(function* () {
          const fields = yield* postedForm(current, request)
          const attempt = {
            email: current.account.email,
            password: Redacted.make(fields.get("current") ?? ""),
            address: addresses.network(request),
            device: deviceOf(request)
          }
          return yield* signIn.changePassword(attempt, Redacted.make(fields.get("fresh") ?? "")).pipe(
            Effect.map((entry) => redirect("/account?password").pipe(withEntry(siteUrl, entry))),
            Effect.catchTags({
              Unauthorized: () => show(current, { problem: "The present password is wrong.", status: 403 }),
              InvalidInput: ({ reason }) => show(current, { problem: `The new password ${reason}.` })
            })
          )
        })
      )

      const revokeKey = forSignedIn((current, request) =>
        Effect.gen(function* () {
          const id = (yield* postedForm(current, request)).get("key") ?? ""
          const own = yield* keys.list(current.account.id)
          if (!own.some((key) => key.id === id)) return yield* new NotFound({ message: "You have no such key." })
          yield* keys.revoke(id)
          return redirect("/account?revoked")
        })
      )

      const disconnect = forSignedIn((current, request) =>
        Effect.gen(function* () {
          const fields = yield* postedForm(current, request)
          yield* authorizations.disconnect(current.account.id, fields.get("grant") ?? "")
          return redirect("/account?disconnected")
        })
      )

      const rotateFeed = forSignedIn((current, request) =>
        Effect.gen(function* () {
          yield* postedForm(current, request)
          yield* accounts.rotateFeedToken(current.account.id)
          return redirect("/account?rotated")
        })
      )

      const endAccess = forSignedIn((current, request) =>
        Effect.gen(function* () {
          yield* postedForm(current, request)
          yield* accounts.revokeAccess(current.account.id, { passwordStays: true })
          return withSession(siteUrl, "", 0)(redirect("/sign-in?ended"))
        })
      )

      const setZone = forSignedIn((current, request) =>
        Effect.gen(function* () {
          const fields = yield* postedForm(current, request)
          const call = yield* callOf("updateAccount", "web")
          yield* accounts
            .update(current.account.id, { timezone: fields.get("timezone") ?? "" })
            .pipe(Effect.provideService(CurrentOperation, call))
          return redirect(withDone(backIn(fields, "/account"), call))
        })
      )

      /** A key just made, once: the cookie that brought it goes with the answer. */
      const showOnce = Effect.fnUntraced(function* (
        current: SignedIn,
        request: HttpServerRequest.HttpServerRequest,
        token: string
      ) {
        const caller = yield* keys
          .identify(token)
          .pipe(Effect.catchTag("Unauthorized", () => Effect.succeed(undefined)))
        const isOwn = caller?.account.id === current.account.id
        const answer = yield* show(current, isOwn ? { newKey: token } : { done: noticeOf(request.url) })
        return answer.pipe(withShownOnce(siteUrl, ""))
      })

      yield* router.add(
        "GET",
        "/account",
        forSignedIn((current, request) => {
          const token = shownOnceIn(request)
          return token === "" ? show(current, { done: noticeOf(request.url) }) : showOnce(current, request, token)
        })
      )
      for (const path of [
        "settings",
        "keys",
        "keys/revoke",
        "programs/disconnect",
        "feed",
        "access/end",
        "zone"
      ] as const)
        yield* router.add("GET", `/account/${path}`, redirect("/account"))
      yield* router.add("POST", "/sign-in/password", changePassword)
      yield* router.add("GET", "/sign-in/password", redirect("/account"))
      yield* router.add("POST", "/account/zone", setZone)
      yield* router.add("POST", "/account/settings", save)
      yield* router.add("POST", "/account/keys", createKey)
      yield* router.add("POST", "/account/keys/revoke", revokeKey)
      yield* router.add("POST", "/account/programs/disconnect", disconnect)
      yield* router.add("POST", "/account/feed", rotateFeed)
      yield* router.add("POST", "/account/access/end", endAccess)
    })
  )

const notices: Readonly<Record<string, string>> = {
  saved: "Your settings are saved.",
  revoked: "The key is revoked: nothing can use it any more.",
  password: "Your password is changed. Other browsers are signed out.",
  disconnected: "The program is disconnected.",
  rotated: "The calendar feed has a new address; the old one answers no more."
}

const noticeOf = (url: string): string | undefined => {
  const [name = "", moved = ""] = (url.split("?", 2)[1] ?? "").split("&moved=", 2)
  const notice = notices[name]
  if (notice === undefined || !/^[1-9]\d{0,8}$/.test(moved)) return notice
  return `${notice} ${moved === "1" ? "1 reminder keeps its" : `${moved} reminders keep their`} time on the clock of the new zone.`
}
