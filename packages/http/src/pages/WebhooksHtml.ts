import { caps } from "@lists-and-things/domain/model/Caps"
import type { DeliveryJson } from "@lists-and-things/domain/json/WebhookJson"
import { type Webhook, webhookEvents, webhookFormats } from "@lists-and-things/domain/model/Webhook"
import { accountNavigation, asking, dateOf } from "./AccountHtml.ts"
import { type Html, html } from "./Html.ts"
import { hiddenCsrf, hiddenFormId, select } from "./FormFields.ts"

export interface WebhooksShown {
  readonly done?: string | undefined
  readonly problem?: string
  /** The submitted values of a webhook that could not be made. */
  readonly typed?: {
    readonly url: string
    readonly events: ReadonlyArray<string>
    readonly format: string
    readonly description: string
  }
  /** A webhook just made; its secret is shown once. */
  readonly secretOf?: Webhook
  readonly tested?: { readonly id: string; readonly delivery: DeliveryJson }
}

interface Content {
  readonly csrf: string
  /** The form's id, from `newFormId`. */
  readonly form: string
  readonly zone: string
  readonly webhooks: ReadonlyArray<Webhook>
  readonly shown: WebhooksShown
}

const eventNames = { "reminder.due": "Reminders that are due", operation: "Every change" } as const
const formatNames = {
  standard: "JSON, signed (Standard Webhooks)",
  ntfy: "A text for a phone (ntfy)",
  slack: "A text for a chat (Slack and others)"
} as const
const formats = webhookFormats.map((format) => [format, formatNames[format]] as const)

const form = (action: string, { id }: Webhook, csrf: string, more: Html): Html =>
  html`<form method="post" action="/account/webhooks${action}">
    ${hiddenCsrf(csrf)}<input type="hidden" name="webhook" value="${id}" />${more}
  </form>`

const result = ({ answer, duration_ms, status }: DeliveryJson): Html =>
  html`<p role="status">${
    status === null
      ? `The ping was not answered: ${answer}`
      : `Answered with status ${status} in ${duration_ms} ms. ${answer}`
  }</p>`

const row = (webhook: Webhook, { csrf, shown, zone }: Content): Html =>
  html`<li class="row">
    <div>
      <strong>${webhook.description || webhook.url}</strong>
      ${webhook.description === "" ? "" : html`<p class="soft">${webhook.url}</p>`}
      <p class="soft">
        ${webhook.events.map((event) => eventNames[event]).join(", ")} · ${formatNames[webhook.format]} · last success
        ${dateOf(webhook.lastSuccess, zone)} · last failure ${dateOf(webhook.lastFailure, zone)}
      </p>
      ${webhook.enabled ? "" : html`<p class="problem">Off. ${webhook.disabledReason ?? ""}</p>`}
      ${shown.tested?.id === webhook.id ? result(shown.tested.delivery) : ""}
    </div>
    <div class="buttons">
      ${form("/test", webhook, csrf, html`<button class="quiet" aria-label="Test ${webhook.url}">Test</button>`)}
      ${form(
        "/enabled",
        webhook,
        csrf,
        html`<input type="hidden" name="enabled" value="${String(!webhook.enabled)}" /><button
            class="quiet"
            aria-label="Switch ${webhook.enabled ? "off" : "on"} ${webhook.url}"
          >
            ${webhook.enabled ? "Switch off" : "Switch on"}
          </button>`
      )}
      ${asking(
        "Delete",
        webhook.url,
        "Its delivery log is deleted as well.",
        form("/delete", webhook, csrf, html`<button class="danger">Yes, delete it</button>`)
      )}
    </div>
  </li>`

const making = ({ csrf, form: formId, shown: { typed } }: Content): Html =>
  html`<h2>New webhook</h2>
    <form class="card" method="post" action="/account/webhooks">
      ${hiddenCsrf(csrf)}${hiddenFormId(formId)}
      <p class="field">
        <label for="url">Address</label
        ><input id="url" name="url" type="url" required maxlength="${caps.webhookUrl}" value="${typed?.url ?? ""}" placeholder="https://ntfy.sh/my-topic" aria-describedby="url-hint" />
        <span class="hint" id="url-hint">For ntfy or a chat, choose its format below.</span>
      </p>
      <p class="field">
        <label for="description">Description</label
        ><input id="description" name="description" maxlength="${caps.title}" value="${typed?.description ?? ""}" />
      </p>
      <fieldset>
        <legend>Events</legend>
        ${webhookEvents.map((event) => html`<label class="check"><input type="checkbox" name="event" value="${event}"${(typed?.events ?? ["reminder.due"]).includes(event) ? html` checked` : ""} /><span>${eventNames[event]}</span></label>`)}
      </fieldset>
      <p class="field">
        <label for="format">Format</label
        >${select<string>("format", formats, typed?.format)}
      </p>
      <button>Create webhook</button>
    </form>`

/** The page with the webhooks of an account. */
export const webhooksHtml = (content: Content): Html => {
  const { shown, webhooks } = content
  return html`${shown.done === undefined ? "" : html`<p class="notice" role="status">${shown.done}</p>`}
    ${shown.problem === undefined ? "" : html`<p class="problem" role="alert">${shown.problem}</p>`}
    <h1>Webhooks</h1>
    ${accountNavigation("/account/webhooks")}
    <p>Webhooks tell other systems when a reminder is due or something has changed: a phone, a chat, Home Assistant.</p>
    ${
      shown.secretOf === undefined
        ? ""
        : html`<div class="notice" role="status">
            <p>The webhook is created. Its receiver can verify what arrives with this secret, which will not be shown again.</p>
            <button class="quiet" type="button" data-copy="secret" hidden>Copy</button>
            <pre id="secret">${shown.secretOf.secret}</pre>
          </div>`
    }
    ${
      webhooks.length === 0
        ? html`<p class="soft">You have no webhooks.</p>`
        : html`<ul class="rows">
            ${webhooks.map((webhook) => row(webhook, content))}
          </ul>`
    }
    ${making(content)}`
}
