import { Effect, Layer, Redacted } from "effect"
import { HttpRouter, type HttpServerRequest } from "effect/http"
import { Accounts, feedUrl } from "@lists-and-things/domain/caller/Accounts"
import { movedReminders } from "@lists-and-things/domain/summaries/OperationSummaries"
import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { callOf, CurrentOperation } from "@lists-and-things/domain/model/CurrentOperation"
import { scopes } from "@lists-and-things/domain/model/Scope"
import { NotFound } from "@lists-and-things/domain/model/Errors"
import { Authorizations } from "@lists-and-things/domain/signin/Authorizations"
import { SignIn, type SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { ClientAddress } from "@lists-and-things/web/ClientAddress"
import { type AccountShown, accountPage } from "./AccountHtml.ts"
import { type FormPage, type SentForm, signedInForms, signedInPages } from "./CurrentSession.ts"
import { asLabelled, backIn, withOperation } from "./FormActions.ts"
import { redirect } from "./Page.ts"
import { namedFirst, queryOf } from "./PageAddress.ts"
import { settingLabels, settingsEditOf, staleSettings } from "./SettingsForm.ts"
import { SiteCookies } from "./SiteCookies.ts"

/** The account's page, and the function that registers its forms: the address of each also leads to the page. */
const makeAccountPage = Effect.fnUntraced(function* (siteUrl: string) {
  const router = yield* HttpRouter.HttpRouter
  const sent = yield* signedInForms
  const accounts = yield* Accounts
  const keys = yield* ApiKeys
  const authorizations = yield* Authorizations

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

  const form = <R>(path: `/${string}`, answer: FormPage<R>) =>
    Effect.andThen(router.add("POST", path, sent(answer)), router.add("GET", path, redirect("/account")))

  return { show, form }
})

type AccountPage = Effect.Success<ReturnType<typeof makeAccountPage>>

/** The page itself. A key that was just made is shown once: the answer deletes the cookie that brought it. */
const pageItself = Effect.fnUntraced(function* ({ show }: AccountPage) {
  const cookies = yield* SiteCookies
  const router = yield* HttpRouter.HttpRouter
  const forSignedIn = yield* signedInPages
  const keys = yield* ApiKeys

  const showOnce = Effect.fnUntraced(function* (
    current: SignedIn,
    request: HttpServerRequest.HttpServerRequest,
    token: string
  ) {
    const caller = yield* keys.identify(token).pipe(Effect.catchTag("Unauthorized", () => Effect.succeed(undefined)))
    const isOwn = caller?.account.id === current.account.id
    const answer = yield* show(current, isOwn ? { newKey: token } : { done: noticeOf(request) })
    return answer.pipe(cookies.withShownOnce(""))
  })

  yield* router.add(
    "GET",
    "/account",
    forSignedIn((current, request) => {
      const token = cookies.shownOnce(request)
      return token === "" ? show(current, { done: noticeOf(request) }) : showOnce(current, request, token)
    })
  )
  // Where password managers look for it (w3c.github.io/webappsec-change-password-url).
  yield* router.add("GET", "/.well-known/change-password", redirect("/account#password"))
})

/** The address at which the account's page says that settings are saved, and how many reminders a new zone moved. */
const savedPath = ({ remindersMoved }: { readonly remindersMoved: number }): string =>
  remindersMoved === 0 ? "/account?saved" : `/account?saved&moved=${remindersMoved}`

const settingsForms = Effect.fnUntraced(function* ({ form, show }: AccountPage) {
  const accounts = yield* Accounts

  const save = Effect.fnUntraced(function* ({ current, fields }: SentForm) {
    const { patch, stale } = settingsEditOf(fields, yield* accounts.get(current.account.id))
    const problem = (text: string) => show(current, { problem: text, settings: { typed: fields } })
    if (stale.length > 0) {
      const settings = { typed: fields, stale }
      return yield* show(current, { problem: staleSettings(stale), status: 409, settings })
    }
    const call = yield* callOf("updateAccount", "web")
    return yield* accounts.update(current.account.id, patch).pipe(
      Effect.provideService(CurrentOperation, call),
      Effect.map((saved) => redirect(savedPath(saved))),
      Effect.catchTags({
        InvalidInput: (error) => problem(asLabelled(error, settingLabels).message),
        Conflict: ({ message }) => problem(message)
      })
    )
  })

  const setZone = Effect.fnUntraced(function* ({ current, fields }: SentForm) {
    const call = yield* callOf("updateAccount", "web")
    const saved = yield* accounts.update(current.account.id, { timezone: fields.get("timezone") ?? "" }).pipe(
      Effect.catchTag("InvalidInput", (error) => Effect.fail(asLabelled(error, settingLabels))),
      Effect.provideService(CurrentOperation, call)
    )
    const back = backIn(fields, "/account")
    return redirect(back === "/account" ? savedPath(saved) : withOperation(back, call))
  })

  yield* form("/account/settings", save)
  yield* form("/account/zone", setZone)
})

const keyForms = Effect.fnUntraced(function* ({ form, show }: AccountPage) {
  const signIn = yield* SignIn
  const cookies = yield* SiteCookies
  const keys = yield* ApiKeys

  const create = Effect.fnUntraced(function* ({ current, fields }: SentForm) {
    const chosen = scopes.filter((scope) => fields.getAll("scope").includes(scope))
    const typedKey = { name: fields.get("name") ?? "", scopes: chosen }
    if (chosen.length === 0)
      return yield* show(current, { problem: "Choose at least one thing that the key may do.", typedKey })
    const made = keys.create({ account: current.account.id, ...typedKey })
    return yield* signIn
      .whileSignedIn(current.session, made, ({ key }) => keys.revoke(key.id))
      .pipe(
        Effect.map(({ token }) => redirect("/account#keys").pipe(cookies.withShownOnce(token))),
        Effect.catchTag("InvalidInput", (error) =>
          show(current, { problem: asLabelled(error, { name: "Name of the new key" }).message, typedKey })
        )
      )
  })

  const revoke = Effect.fnUntraced(function* ({ current, fields }: SentForm) {
    const id = fields.get("key") ?? ""
    const own = yield* keys.list(current.account.id)
    if (!own.some((key) => key.id === id)) return yield* new NotFound({ message: "You have no such key." })
    yield* keys.revoke(id)
    return redirect("/account?revoked")
  })

  yield* form("/account/keys", create)
  yield* form("/account/keys/revoke", revoke)
})

/** The password, programs and the calendar feed, and the end of all access. */
const accessForms = Effect.fnUntraced(function* ({ form, show }: AccountPage) {
  const cookies = yield* SiteCookies
  const accounts = yield* Accounts
  const authorizations = yield* Authorizations
  const signIn = yield* SignIn
  const addresses = yield* ClientAddress

  const changePassword = ({ current, fields, request }: SentForm) => {
    const attempt = {
      email: current.account.email,
      password: Redacted.make(fields.get("current") ?? ""),
      address: addresses.network(request),
      device: cookies.device(request)
    }
    return signIn.changePassword(attempt, Redacted.make(fields.get("fresh") ?? "")).pipe(
      Effect.map((entry) => redirect("/account?password").pipe(cookies.withEntry(entry))),
      Effect.catchTags({
        Unauthorized: () =>
          show(current, { problem: "The current password is wrong.", passwordField: "current", status: 403 }),
        InvalidInput: ({ reason }) => show(current, { problem: `The new password ${reason}.`, passwordField: "fresh" })
      })
    )
  }

  const disconnect = ({ current, fields }: SentForm) =>
    Effect.as(
      authorizations.disconnect(current.account.id, fields.get("grant") ?? ""),
      redirect("/account?disconnected")
    )

  const rotateFeed = ({ current }: SentForm) =>
    Effect.as(accounts.rotateFeedToken(current.account.id), redirect("/account?rotated"))

  const endAccess = ({ current }: SentForm) =>
    Effect.as(
      accounts.revokeAccess(current.account.id, { passwordStays: true }),
      cookies.withoutSession(redirect("/sign-in?ended"))
    )

  // Below the path of the sign-in, so that the browser sends the cookie that identifies it.
  yield* form("/sign-in/password", changePassword)
  yield* form("/account/programs/disconnect", disconnect)
  yield* form("/account/feed", rotateFeed)
  yield* form("/account/access/end", endAccess)
})

/** The account's settings: zone and defaults, keys, connected programs, the calendar feed. */
export const layer = (siteUrl: string) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const page = yield* makeAccountPage(siteUrl)
      yield* pageItself(page)
      yield* settingsForms(page)
      yield* keyForms(page)
      yield* accessForms(page)
    })
  )

const notices: ReadonlyMap<string, string> = new Map([
  ["saved", "Your settings are saved."],
  ["revoked", "The key is revoked and no longer works."],
  ["password", "Your password is changed. Other browsers are signed out."],
  ["disconnected", "The program is disconnected."],
  ["rotated", "The calendar feed has a new address; the old one no longer works."]
])

const noticeOf = (request: HttpServerRequest.HttpServerRequest): string | undefined => {
  const query = queryOf(request)
  const notice = namedFirst(query, notices)
  const moved = query.get("moved") ?? ""
  if (notice === undefined || !/^[1-9]\d{0,8}$/.test(moved)) return notice
  return `${notice} ${movedReminders(Number(moved))}`
}
