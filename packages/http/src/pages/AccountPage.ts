import type { Account } from "@lists-and-things/domain/model/Account"
import type { AccountPatch } from "@lists-and-things/domain/caller/AccountSettings"
import type { ApiKey } from "@lists-and-things/domain/model/ApiKey"
import { scopes } from "@lists-and-things/domain/model/Scope"
import { listSorts } from "@lists-and-things/domain/model/List"
import type { Grant } from "@lists-and-things/domain/model/Grant"
import { thingTypes } from "@lists-and-things/domain/model/Thing"
import { type Html, html } from "./Html.ts"
import { page } from "./Page.ts"
import type { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"

export interface AccountShown {
  readonly done?: string | undefined
  readonly problem?: string
  /** The submitted settings when they could not be saved. */
  readonly typed?: AccountPatch
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

const day = (time: EpochMillis | null): string => (time === null ? "never" : new Date(time).toISOString().slice(0, 10))

const hidden = (csrf: string): Html => html`<input type="hidden" name="csrf" value="${csrf}" />`

const field = (id: string, label: string, input: Html): Html =>
  html`<p class="field"><label for="${id}">${label}</label>${input}</p>`

const choice = (id: string, label: string, values: ReadonlyArray<string>, chosen: string): Html =>
  field(
    id,
    label,
    html`<select id="${id}" name="${id}">
      ${values.map((value) => html`<option${value === chosen ? html` selected` : ""}>${value}</option>`)}
    </select>`
  )

const text = (id: string, label: string, value: string, type = "text"): Html =>
  field(id, label, html`<input id="${id}" name="${id}" type="${type}" value="${value}" />`)

const minutes = (id: string, label: string, value: number): Html =>
  field(id, label, html`<input id="${id}" name="${id}" type="number" min="0" max="525600" step="1" value="${value}" />`)

const settings = ({ account: saved, csrf, shown }: Content): Html => {
  const account = { ...saved, ...shown.typed }
  return html`<h2>Time zone and defaults</h2>
    <form method="post" action="/account/settings">
      ${hidden(csrf)} ${text("name", "Name", account.name)}
      ${text("timezone", "Time zone (such as Europe/Berlin)", account.timezone)}
      ${choice("default_thing_type", "Type of a new thing", thingTypes, account.defaultThingType)}
      ${choice("default_list_sort", "Order of a new list", listSorts, account.defaultListSort)}
      ${minutes("default_reminder_minutes", "Length of a reminder, in minutes (0: no end)", account.defaultReminderMinutes)}
      ${minutes("default_alert_minutes", "Alert before a reminder, in minutes (0: none)", account.defaultAlertMinutes)}
      ${text("default_reminder_color", "Colour of a reminder (#rrggbb, or empty)", account.defaultReminderColor)}
      <label class="check"
        ><input type="checkbox" name="repeat_moves_to_day" ${account.repeatMovesToDay ? html` checked` : ""} /><span
          >A completed repeating thing moves to the list of its next day</span
        ></label
      >
      <button>Save</button>
    </form>`
}

const keyRow = (key: ApiKey, csrf: string): Html =>
  html`<li class="row">
    <div>
      <strong>${key.name || "Unnamed key"}</strong> <code>${key.id}</code>
      <p class="soft">${key.scopes.join(", ")} · made ${day(key.created)} · last used ${day(key.lastUsed)}</p>
    </div>
    <form method="post" action="/account/keys/revoke">
      ${hidden(csrf)}<input type="hidden" name="key" value="${key.id}" /><button
        class="danger"
        aria-label="Revoke key ${key.name || key.id}"
      >
        Revoke
      </button>
    </form>
  </li>`

const keysPart = ({ keys, csrf, shown }: Content): Html =>
  html`<h2>API keys</h2>
    ${
      shown.newKey === undefined
        ? ""
        : html`<div class="notice" role="status">
            <p>Your new key. Copy it now: it is not shown again.</p>
            <pre>${shown.newKey}</pre>
          </div>`
    }
    ${
      keys.length === 0
        ? html`<p class="soft">You have no keys.</p>`
        : html`<ul class="rows">
            ${keys.map((key) => keyRow(key, csrf))}
          </ul>`
    }
    <form method="post" action="/account/keys">
      ${hidden(csrf)}
      ${field("key_name", "Name of a new key", html`<input id="key_name" name="name" maxlength="200" />`)}
      <fieldset>
        <legend>What it may do</legend>
        ${scopes.map((scope) => html`<label class="check"><input type="checkbox" name="scope" value="${scope}" checked /><span>${scope}</span></label>`)}
      </fieldset>
      <button>Create key</button>
    </form>`

const grantRow = (grant: Grant, csrf: string): Html =>
  html`<li class="row">
    <div>
      <strong>${grant.clientName}</strong>
      <p class="soft">${grant.scopes.join(", ")} · allowed ${day(grant.created)} · last used ${day(grant.lastUsed)}</p>
    </div>
    <form method="post" action="/account/programs/disconnect">
      ${hidden(csrf)}<input type="hidden" name="grant" value="${grant.id}" /><button
        class="danger"
        aria-label="Disconnect ${grant.clientName}"
      >
        Disconnect
      </button>
    </form>
  </li>`

const grantsPart = ({ grants, csrf }: Content): Html =>
  html`<h2>Connected programs</h2>
    ${
      grants.length === 0
        ? html`<p class="soft">No program has signed in on your behalf.</p>`
        : html`<ul class="rows">
            ${grants.map((grant) => grantRow(grant, csrf))}
          </ul>`
    }`

const feedPart = ({ feedUrl, csrf }: Content): Html =>
  html`<h2>Calendar feed</h2>
    <p>Subscribe to this address in a calendar program to see your reminders. Whoever has it can read them.</p>
    <pre>${feedUrl}</pre>
    <form method="post" action="/account/feed">${hidden(csrf)}<button class="quiet">Make a new address</button></form>`

const historyPart = html`<h2>History</h2>
  <p>What was changed, and by whom. Most of it can be undone.</p>
  <p><a href="/account/history">See the history</a></p>`

/** The account page. */
export const accountPage = (content: Content) => {
  const { account, csrf, shown } = content
  return page(
    "Your account",
    html`<h1>Your account</h1>
      ${shown.done === undefined ? "" : html`<p class="notice" role="status">${shown.done}</p>`}
      ${shown.problem === undefined ? "" : html`<p class="problem" role="alert">${shown.problem}</p>`}
      <div class="row">
        <p>Signed in as <strong>${account.email}</strong></p>
        <form method="post" action="/sign-out">${hidden(csrf)}<button class="quiet">Sign out</button></form>
      </div>
      ${settings(content)} ${historyPart} ${keysPart(content)} ${grantsPart(content)} ${feedPart(content)}`,
    { signedInAs: account.email, status: shown.problem === undefined ? 200 : 400 }
  )
}
