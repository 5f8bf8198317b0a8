import { minPasswordLength } from "@lists-and-things/domain/caller/Credentials"
import type { Account } from "@lists-and-things/domain/model/Account"
import type { ApiKey } from "@lists-and-things/domain/model/ApiKey"
import { caps } from "@lists-and-things/domain/model/Caps"
import { type Scope, scopes } from "@lists-and-things/domain/model/Scope"
import type { Grant } from "@lists-and-things/domain/model/Grant"
import { localDateOf } from "@lists-and-things/domain/days/Zone"
import { described, hiddenBack, hiddenCsrf, wrongHtml } from "./FormFields.ts"
import { type Html, html } from "./Html.ts"
import { page, zoneScriptTag } from "./Page.ts"
import { scopeMeanings } from "./ScopeMeanings.ts"
import type { RefusedEdit } from "./EditConflicts.ts"
import { type SettingField, settingsForm } from "./SettingsForm.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

export interface AccountShown {
  readonly done?: string | undefined
  readonly problem?: string
  /** The field of the password's form that the problem is about. */
  readonly passwordField?: "current" | "fresh"
  /** The status of a problem; 400 by default. */
  readonly status?: number
  /** The submitted settings when they could not be saved. */
  readonly settings?: RefusedEdit<SettingField>
  /** The submitted key when it could not be made. */
  readonly typedKey?: { readonly name: string; readonly scopes: ReadonlyArray<Scope> }
  /** A key just created; it is shown once. */
  readonly newKey?: string
}

interface Content {
  readonly csrf: string
  readonly account: Account
  readonly keys: ReadonlyArray<ApiKey>
  readonly grants: ReadonlyArray<Grant>
  readonly feedUrl: string
  readonly shown: AccountShown
}

/** The date of a time in the account's zone; `never` for null. */
export const dateOf = (time: EpochMillis | null, zone: string): string =>
  time === null ? "never" : localDateOf(zone, time)

const field = (id: string, label: string, input: Html): Html =>
  html`<p class="field"><label for="${id}">${label}</label>${input}</p>`

/** The hidden email is for password managers, which store passwords by it. */
const passwordPart = ({ account, csrf, shown }: Content): Html => {
  const problem = shown.passwordField && { field: shown.passwordField, text: shown.problem ?? "" }
  return html`<h2 id="password">Password</h2>
    <form class="card" method="post" action="/sign-in/password">
      ${hiddenCsrf(csrf)}
      <input type="email" autocomplete="username" value="${account.email}" aria-label="Email" readonly hidden />
      <div class="pair">
        <p class="field"><label for="current">Current password</label><input id="current" name="current" type="password" autocomplete="current-password" required${described("current", problem)} />${wrongHtml("current", problem)}</p>
        <p class="field"><label for="fresh">New password</label><input id="fresh" name="fresh" type="password" autocomplete="new-password" minlength="${minPasswordLength}" required${described("fresh", problem, "fresh-hint")} /><span class="hint" id="fresh-hint">At least ${minPasswordLength} characters.</span>${wrongHtml("fresh", problem)}</p>
      </div>
      <p class="hint">This signs out your other browsers. API keys and connected programs keep their access.</p>
      <button>Change password</button>
    </form>`
}

/** A form behind a question, so that a single press ends nothing. */
export const asking = (what: string, of: string, question: string, form: Html): Html =>
  html`<details class="ask">
    <summary aria-label="${what} ${of}">${what}</summary>
    <p class="soft">${question}</p>
    ${form}
  </details>`

/** Scopes in words, with their names. */
const meanings = (of: ReadonlyArray<Scope>): Html =>
  html`${of.map((scope, at) => html`${at === 0 ? "" : " · "}<span title="${scope}">${scopeMeanings[scope]}</span>`)}`

const keyRow = (key: ApiKey, { account: { timezone }, csrf }: Content): Html =>
  html`<li class="row">
    <div>
      <strong>${key.name || "Unnamed key"}</strong> <code>${key.id}</code>
      <p class="soft">${key.scopes.length === scopes.length ? "All scopes" : meanings(key.scopes)}</p>
      <p class="soft">Created ${dateOf(key.created, timezone)} · last used ${dateOf(key.lastUsed, timezone)}</p>
    </div>
    ${asking(
      "Revoke",
      `key ${key.name || key.id}`,
      "Whatever uses this key stops working at once.",
      html`<form method="post" action="/account/keys/revoke">
        ${hiddenCsrf(csrf)}<input type="hidden" name="key" value="${key.id}" /><button class="danger">Yes, revoke it</button>
      </form>`
    )}
  </li>`

const keysPart = (content: Content): Html => {
  const { csrf, keys, shown } = content
  return html`<h2 id="keys">API keys</h2>
    ${
      shown.newKey === undefined
        ? ""
        : html`<div class="notice" role="status">
            <p>This is your new key. Copy it now: it will not be shown again.</p>
            <button class="quiet" type="button" data-copy="new-key" hidden>Copy</button>
            <pre id="new-key">${shown.newKey}</pre>
          </div>`
    }
    ${
      keys.length === 0
        ? html`<p class="soft">You have no API keys.</p>`
        : html`<ul class="rows">
            ${keys.map((key) => keyRow(key, content))}
          </ul>`
    }
    <form class="card" method="post" action="/account/keys">
      ${hiddenCsrf(csrf)}
      ${field("key_name", "Name of the new key", html`<input id="key_name" name="name" maxlength="${caps.name}" value="${shown.typedKey?.name ?? ""}" />`)}
      <fieldset>
        <legend>What it may do</legend>
        ${scopes.map((scope) => html`<label class="check"><input type="checkbox" name="scope" value="${scope}"${(shown.typedKey?.scopes ?? scopes).includes(scope) ? html` checked` : ""} /><span>${scopeMeanings[scope]} <code>${scope}</code></span></label>`)}
      </fieldset>
      <button>Create key</button>
    </form>`
}

const grantRow = (grant: Grant, { account: { timezone }, csrf }: Content): Html =>
  html`<li class="row">
    <div>
      <strong>${grant.clientName}</strong>
      <p class="soft">${meanings(grant.scopes)}</p>
      <p class="soft">Allowed ${dateOf(grant.created, timezone)} · last used ${dateOf(grant.lastUsed, timezone)}</p>
    </div>
    ${asking(
      "Disconnect",
      grant.clientName,
      "It loses its access until you allow it again.",
      html`<form method="post" action="/account/programs/disconnect">
        ${hiddenCsrf(csrf)}<input type="hidden" name="grant" value="${grant.id}" /><button class="danger">Yes, disconnect it</button>
      </form>`
    )}
  </li>`

const grantsPart = (content: Content): Html => {
  const { grants } = content
  return html`<h2 id="programs">Connected programs</h2>
    ${
      grants.length === 0
        ? html`<p class="soft">No program is connected to your account.</p>`
        : html`<ul class="rows">
            ${grants.map((grant) => grantRow(grant, content))}
          </ul>`
    }`
}

const feedPart = ({ feedUrl, csrf }: Content): Html =>
  html`<h2 id="feed">Calendar feed</h2>
    <div class="card">
      <p>Shows your reminders in a calendar app. Anyone who has this address can read them.</p>
      <pre id="feed-url">${feedUrl}</pre>
      <p class="buttons">
        <a class="button" href="${feedUrl.replace(/^https?:/, "webcal:")}">Subscribe</a>
        <button class="quiet" type="button" data-copy="feed-url" hidden>Copy address</button>
      </p>
      ${asking(
        "Replace address",
        "for the calendar feed",
        "Calendars that use the current address no longer get your reminders.",
        html`<form method="post" action="/account/feed">${hiddenCsrf(csrf)}<button class="danger">Yes, replace it</button></form>`
      )}
    </div>`

const accessPart = ({ csrf }: Content): Html =>
  html`<h2 id="access">All access</h2>
    <div class="card">
      <p>
        For when you lost a phone, or somebody else may have one of your keys. It does not stop webhooks that were
        created in a browser: <a href="/account/webhooks">check them</a>.
      </p>
      ${asking(
        "End all access",
        "to your account",
        "All API keys, all connected programs and the address of the calendar feed stop working at once, and every browser is signed out, this one too. Your password stays the same: sign in with it again, and change it if somebody may know it.",
        html`<form method="post" action="/account/access/end">${hiddenCsrf(csrf)}<button class="danger">Yes, end all access</button></form>`
      )}
    </div>`

/** Offers the time zone of the browser, where a script finds that it is another one; once in a page. */
export const zoneOffer = (csrf: string, zone: string, back: string): Html =>
  html`<div class="notice" data-offer-zone="${zone}" hidden>
    <p>Times are shown in ${zone}; this browser is in <strong data-zone></strong>.</p>
    <form method="post" action="/account/zone">
      ${hiddenCsrf(csrf)}${hiddenBack(back)}<input type="hidden" name="timezone" /><button class="link">Use it</button>
    </form>
  </div>
  ${zoneScriptTag}`

/** The pages of the account, and the sections of the first one. */
const accountSections: ReadonlyArray<readonly [path: string, label: string]> = [
  ["/account#settings", "Settings"],
  ["/account#password", "Password"],
  ["/account#keys", "API keys"],
  ["/account#programs", "Programs"],
  ["/account#feed", "Calendar feed"],
  ["/account#access", "All access"],
  ["/account/webhooks", "Webhooks"],
  ["/account/history", "History"],
  ["/docs", "API reference"]
]

/** Links to the pages of the account; `current` is the path of the page shown. */
export const accountNavigation = (current: string): Html =>
  html`<nav class="subnav" aria-label="Account">${accountSections.map(
    ([path, label]) => html`<a href="${path}"${path === current ? html` aria-current="page"` : ""}>${label}</a>`
  )}</nav>`

/** The account page. */
export const accountPage = (content: Content) => {
  const { account, csrf, shown } = content
  return page(
    "Your account",
    html`${shown.done === undefined ? "" : html`<p class="notice" role="status">${shown.done}</p>`}
      ${shown.problem === undefined ? "" : html`<p class="problem" role="alert">${shown.problem}</p>`}
      ${zoneOffer(csrf, account.timezone, "/account")}
      <h1>Your account</h1>
      <div class="row">
        <p>Signed in as <strong>${account.email}</strong></p>
        <form method="post" action="/sign-out">${hiddenCsrf(csrf)}<button class="quiet">Sign out</button></form>
      </div>
      ${accountNavigation("/account")} <h2 id="settings">Time zone and defaults</h2>
      ${settingsForm(account, csrf, shown.settings)} ${passwordPart(content)} ${keysPart(content)}
      ${grantsPart(content)} ${feedPart(content)} ${accessPart(content)}`,
    { signedInAs: account.email, section: "account", status: shown.problem === undefined ? 200 : (shown.status ?? 400) }
  )
}
