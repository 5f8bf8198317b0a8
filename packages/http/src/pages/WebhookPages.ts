import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { CreateWebhookInput, deliveryJson } from "@lists-and-things/domain/json/WebhookJson"
import type { SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { Webhooks } from "@lists-and-things/domain/webhooks/Webhooks"
import { signedInForms, signedInPages } from "./CurrentSession.ts"
import { page, redirect } from "./Page.ts"
import { webhooksHtml, type WebhooksShown } from "./WebhooksHtml.ts"

const bodyOf = (fields: URLSearchParams) => ({
  url: (fields.get("url") ?? "").trim(),
  events: fields.getAll("event"),
  format: fields.get("format") ?? "standard",
  description: (fields.get("description") ?? "").trim()
})

const notices: Readonly<Record<string, string>> = {
  on: "The webhook is on.",
  off: "The webhook is off: nothing is sent until you switch it on again.",
  deleted: "The webhook is deleted."
}

/** The webhooks of the account: making, testing, switching and deleting them. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const forSignedIn = yield* signedInPages
    const sent = yield* signedInForms
    const webhooks = yield* Webhooks

    const show = Effect.fnUntraced(function* (current: SignedIn, shown: WebhooksShown = {}) {
      const { account, session } = current
      const content = { csrf: session.csrf, zone: account.timezone, webhooks: yield* webhooks.list, shown }
      return page("Webhooks", webhooksHtml(content), {
        signedInAs: account.email,
        section: "account",
        status: shown.problem === undefined ? 200 : 400
      })
    })

    const create = sent(({ current, fields }) => {
      const typed = bodyOf(fields)
      return Effect.gen(function* () {
        const input = yield* decodeInput(CreateWebhookInput)(typed)
        const webhook = yield* webhooks.create({ ...input, url: yield* webhooks.allow(input.url) })
        return yield* show(current, { secretOf: webhook })
      }).pipe(Effect.catchTag("InvalidInput", ({ message }) => show(current, { problem: message, typed })))
    })

    const idOf = (fields: URLSearchParams) => fields.get("webhook") ?? ""

    const test = sent(({ current, fields }) =>
      Effect.gen(function* () {
        const id = idOf(fields)
        const delivery = deliveryJson(yield* Effect.flatten(webhooks.test(id)))
        return yield* show(current, { tested: { id, delivery } })
      })
    )

    const change = sent(({ fields }) =>
      Effect.gen(function* () {
        const enabled = fields.get("enabled") === "true"
        yield* webhooks.update(idOf(fields), { enabled })
        return redirect(`/account/webhooks?${enabled ? "on" : "off"}`)
      })
    )

    const remove = sent(({ fields }) => Effect.as(webhooks.remove(idOf(fields)), redirect("/account/webhooks?deleted")))

    yield* router.add(
      "GET",
      "/account/webhooks",
      forSignedIn((current, request) => show(current, { done: notices[request.url.split("?", 2)[1] ?? ""] }))
    )
    yield* router.add("POST", "/account/webhooks", create)
    yield* router.add("POST", "/account/webhooks/test", test)
    yield* router.add("POST", "/account/webhooks/enabled", change)
    yield* router.add("POST", "/account/webhooks/delete", remove)
  })
)
