import { webhookEvents, webhookFormats } from "@lists-and-things/domain/model/Webhook"
import { ownerOption, storage, yesOption, type ArgumentSpec, type CommandSpec, type OptionSpec } from "../Command.ts"

const webhook: ArgumentSpec = { name: "ID", about: "id of the webhook, as 'lat webhook list' shows it" }

const settings: ReadonlyArray<OptionSpec> = [
  { name: "url", value: "URL", about: "where events are posted to; https, or what LAT_WEBHOOK_ALLOW allows" },
  {
    name: "events",
    value: "EVENTS",
    about: `comma-separated, of ${webhookEvents.join(" and ")}`,
    many: true,
    values: webhookEvents
  },
  {
    name: "format",
    value: "FORMAT",
    about: "signed JSON (Standard Webhooks), a text for a phone, or a text for a chat",
    values: webhookFormats
  },
  { name: "description", value: "TEXT", about: "what it is for" }
]

export const webhookCommands: ReadonlyArray<CommandSpec> = [
  {
    path: ["webhook", "create"],
    about: "tell another system of reminders and changes; shows the secret once",
    detail: "A running server delivers. --format is standard by default. See also: lat help webhooks.",
    options: [
      ownerOption,
      ...settings.map((each) => (["url", "events"].includes(each.name) ? { ...each, required: true } : each))
    ],
    examples: [
      "lat webhook create --url https://ntfy.sh/my-topic --format ntfy --events reminder.due",
      "lat webhook create --url https://n8n.example.com/webhook/lists --events reminder.due,operation"
    ],
    load: storage(async () => ({ run: (await import("./Webhook.ts")).create }))
  },
  {
    path: ["webhook", "list"],
    about: "show webhooks with their last success and failure, without their secrets",
    options: [ownerOption],
    examples: ["lat webhook list", "lat webhook list --json | jq -r '.[] | select(.enabled | not) | .disabled_reason'"],
    load: storage(async () => ({ run: (await import("./Webhook.ts")).list }))
  },
  {
    path: ["webhook", "show"],
    about: "show one webhook",
    arguments: [webhook],
    options: [ownerOption],
    examples: ["lat webhook show 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10"],
    load: storage(async () => ({ run: (await import("./Webhook.ts")).show }))
  },
  {
    path: ["webhook", "set"],
    about: "change a webhook, or switch it on or off",
    detail: "Only what is given changes. Nothing that is due while it is off is sent when it is on again.",
    arguments: [webhook],
    options: [
      ownerOption,
      ...settings,
      { name: "enabled", value: "BOOL", about: "whether it is on", values: ["true", "false"] }
    ],
    examples: [
      "lat webhook set 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10 --enabled false",
      "lat webhook set 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10 --events reminder.due,operation"
    ],
    load: storage(async () => ({ run: (await import("./Webhook.ts")).set }))
  },
  {
    path: ["webhook", "rotate"],
    about: "replace the secret of a webhook and show the new one once",
    detail: "For 24 hours requests have a signature of the old secret too.",
    arguments: [webhook],
    options: [ownerOption],
    examples: ["lat webhook rotate 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10"],
    load: storage(async () => ({ run: (await import("./Webhook.ts")).rotate }))
  },
  {
    path: ["webhook", "test"],
    about: "send a ping now and show the answer",
    arguments: [webhook],
    options: [ownerOption],
    examples: ["lat webhook test 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10"],
    load: storage(async () => ({ run: (await import("./Webhook.ts")).test }))
  },
  {
    path: ["webhook", "log"],
    about: "show deliveries and their answers, newest first",
    detail: "50 deliveries a page; they are kept for seven days.",
    arguments: [webhook],
    options: [ownerOption, { name: "page", value: "N", about: "page number, from 0" }],
    examples: ["lat webhook log 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10"],
    load: storage(async () => ({ run: (await import("./Webhook.ts")).log }))
  },
  {
    path: ["webhook", "replay"],
    about: "send a delivery once more, or all that failed since a time",
    detail: "The same body with the same webhook-id. A running server delivers it.",
    arguments: [
      webhook,
      { name: "DELIVERY", about: "id of the delivery, as 'lat webhook log' shows it", optional: true }
    ],
    options: [
      ownerOption,
      {
        name: "since",
        value: "TIME",
        about: "deliveries since then that failed or were never sent; ISO 8601, in the account's time zone"
      }
    ],
    examples: [
      "lat webhook replay 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10 019ac3f1-0b2c-7d3e-9f41-6a7b8c9d0e1f",
      "lat webhook replay 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10 --since 2026-11-21T09:00"
    ],
    load: storage(async () => ({ run: (await import("./Webhook.ts")).replay }))
  },
  {
    path: ["webhook", "delete"],
    about: "delete a webhook with its log",
    arguments: [webhook],
    options: [ownerOption, yesOption],
    examples: ["lat webhook delete 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10 --yes"],
    load: storage(async () => ({ run: (await import("./Webhook.ts")).remove }))
  }
]
