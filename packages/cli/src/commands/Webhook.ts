import { lat } from "@lists-and-things/domain/text/CommandLine"
import { counted } from "@lists-and-things/domain/text/Wording"
import { truncate } from "@lists-and-things/domain/text/Characters"
import { collapsed } from "@lists-and-things/domain/text/Quoted"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import {
  CreateWebhookInput,
  type DeliveryJson,
  deliveryJson,
  ReplayInput,
  secretJson,
  UpdateWebhookInput,
  type WebhookJson,
  webhookJson
} from "@lists-and-things/domain/json/WebhookJson"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import type { Webhook } from "@lists-and-things/domain/model/Webhook"
import { Webhooks } from "@lists-and-things/domain/webhooks/Webhooks"
import { Effect } from "effect"
import type { StorageRun } from "../Command.ts"
import { Failure, UsageError } from "../Failure.ts"
import { definedFields, type Input } from "../Input.ts"
import { onBehalfOf, ownerOf } from "../Owner.ts"
import { confirm } from "../StandardInput.ts"
import { withoutControls } from "../ControlCharacters.ts"
import { facts, noneOnPage } from "../Table.ts"
import type { Terminal } from "../Terminal.ts"

/** Runs a use case for the account of the command line. */
const asOwner = <A, E>(input: Input, use: (webhooks: Webhooks["Service"]) => Effect.Effect<A, E, Caller>) =>
  Effect.gen(function* () {
    const account = yield* ownerOf(input)
    return yield* onBehalfOf(account)(use(yield* Webhooks))
  })

/** The command line as a body of `POST` and `PATCH`. */
const fieldsOf = (input: Input): Readonly<Record<string, unknown>> => {
  const events = input
    .options("events")
    ?.flatMap((each) => each.split(","))
    .map((each) => each.trim())
  return definedFields({
    url: input.option("url"),
    events,
    format: input.option("format"),
    description: input.option("description"),
    enabled: input.boolean("enabled")
  })
}

const secretAnswer = (input: Input, webhook: Webhook) => ({
  json: { id: webhook.id, ...secretJson(webhook) },
  text: facts(input.terminal, [["secret", webhook.secret], ...factsOf(webhookJson(webhook))]),
  quiet: webhook.secret,
  remark: "Copy the secret now if the receiver checks signatures: it is not shown again."
})

export const create: StorageRun = (input) =>
  Effect.gen(function* () {
    const given = yield* decodeInput(CreateWebhookInput, input.wording)(fieldsOf(input))
    const webhook = yield* asOwner(input, ({ allow, create }) =>
      Effect.flatMap(allow(given.url), (url) => create({ ...given, url }))
    )
    return { ...secretAnswer(input, webhook), quiet: webhook.id }
  })

export const list: StorageRun = (input) =>
  Effect.map(
    asOwner(input, ({ list }) => list),
    (webhooks) => {
      const json = webhooks.map(webhookJson)
      return {
        json,
        text: {
          heads: ["ID", "URL", "EVENTS", "FORMAT", "LAST SUCCESS (UTC)", "STATE"],
          rows: json.map(row),
          none: `No webhook yet: '${lat("help webhooks")}' says how to make one.`
        },
        quiet: json.map(({ id }) => id).join("\n")
      }
    }
  )

const row = (webhook: WebhookJson): ReadonlyArray<string> => [
  webhook.id,
  webhook.url,
  webhook.events.join(","),
  webhook.format,
  webhook.last_success?.slice(0, 16).replace("T", " ") ?? "never",
  webhook.enabled ? "on" : `off${webhook.disabled_reason === null ? "" : `: ${webhook.disabled_reason}`}`
]

const factsOf = (webhook: WebhookJson): ReadonlyArray<readonly [string, string]> =>
  Object.entries(webhook).map(([name, value]) => [
    name,
    value === null || value === "" ? "-" : Array.isArray(value) ? value.join(", ") : String(value)
  ])

const webhookAnswer = (terminal: Terminal, webhook: Webhook) => {
  const json = webhookJson(webhook)
  return { json, text: facts(terminal, factsOf(json)), quiet: webhook.id }
}

export const show: StorageRun = (input) =>
  Effect.map(
    asOwner(input, ({ get }) => get(input.argument("ID"))),
    (webhook) => webhookAnswer(input.terminal, webhook)
  )

export const set: StorageRun = (input) =>
  Effect.gen(function* () {
    const { url, ...patch } = yield* decodeInput(UpdateWebhookInput, input.wording)(fieldsOf(input))
    if (url === undefined && Object.keys(patch).length === 0)
      return yield* Effect.fail(new UsageError("name at least one setting, such as --enabled false"))
    const webhook = yield* asOwner(input, ({ allow, update }) =>
      Effect.gen(function* () {
        const allowed = url === undefined ? {} : { url: yield* allow(url) }
        return yield* update(input.argument("ID"), { ...patch, ...allowed })
      })
    )
    return webhookAnswer(input.terminal, webhook)
  })

export const rotate: StorageRun = (input) =>
  Effect.map(
    asOwner(input, ({ rotate }) => rotate(input.argument("ID"))),
    (webhook) => secretAnswer(input, webhook)
  )

/** Fails if the ping failed, so that scripts notice. */
export const test: StorageRun = (input) =>
  Effect.gen(function* () {
    const delivery = yield* asOwner(input, ({ test }) => Effect.flatten(test(input.argument("ID"))))
    const { duration_ms, status, ...rest } = deliveryJson(delivery)
    const answer = withoutControls((rest.answer ?? "").trim())
    if (status === null) return yield* Effect.fail(new Failure(`The ping was not answered: ${answer}`))
    const said = answer === "" ? "." : `: ${answer}`
    if (status < 200 || status > 299)
      return yield* Effect.fail(new Failure(`The ping was answered with status ${status}${said}`))
    return {
      json: deliveryJson(delivery),
      text: `Answered with status ${status} in ${duration_ms} ms${said}`,
      quiet: String(status)
    }
  })

export const log: StorageRun = (input) => {
  const page = input.wholeNumber("page") ?? 0
  return Effect.map(
    asOwner(input, ({ deliveries }) => deliveries(input.argument("ID"), page)),
    ({ hasMore, items }) => {
      const json = items.map(deliveryJson)
      const heads = ["ID", "EVENT", "MADE (UTC)", "TRIED", "STATUS", "MS", "NEXT (UTC)", "ANSWER"]
      return {
        json,
        text: { heads, rows: json.map(logRow), none: noneOnPage(page, "Nothing was sent yet.") },
        quiet: json.map(({ id }) => id).join("\n"),
        ...(hasMore && { more: `There are older ones: --page ${page + 1} shows the next.` })
      }
    }
  )
}

const shortly = (time: string | null): string => time?.slice(0, 19).replace("T", " ") ?? "-"

const logRow = (delivery: DeliveryJson): ReadonlyArray<string> => [
  delivery.id,
  delivery.event,
  shortly(delivery.created),
  String(delivery.attempts),
  String(delivery.status ?? "-"),
  String(delivery.duration_ms ?? "-"),
  shortly(delivery.next_attempt),
  truncate(collapsed(delivery.answer ?? ""), 120)
]

export const replay: StorageRun = (input) =>
  Effect.gen(function* () {
    const [id, delivery, since] = [input.argument("ID"), input.arguments("DELIVERY")[0], input.option("since")]
    if ((delivery === undefined) === (since === undefined))
      return yield* Effect.fail(new UsageError("name either a delivery or --since TIME"))
    if (delivery !== undefined) {
      const replayed = yield* asOwner(input, ({ replay }) => replay(id, delivery))
      return { json: deliveryJson(replayed), text: `Delivery ${replayed.id} is sent once more.`, quiet: replayed.id }
    }
    const body = yield* decodeInput(ReplayInput, input.wording)({ since })
    const replayed = yield* asOwner(input, ({ replaySince }) => replaySince(id, body.since))
    return {
      json: { replayed },
      text: `Sends ${counted(replayed, "delivery", "deliveries")} once more.`,
      quiet: String(replayed)
    }
  })

export const remove: StorageRun = (input) =>
  Effect.gen(function* () {
    const id = input.argument("ID")
    const { url } = yield* asOwner(input, ({ get }) => get(id))
    yield* confirm(input, `Deleting the webhook to ${url} with its log`)
    yield* asOwner(input, ({ remove }) => remove(id))
    return { json: { deleted: id }, text: `Deleted the webhook to ${url}.`, quiet: id }
  })
