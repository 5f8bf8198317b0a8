import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { CreateWebhookInput, deliveryJson } from "@lists-and-things/domain/json/WebhookJson"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import type { SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { Webhooks } from "@lists-and-things/domain/webhooks/Webhooks"
import { type FormPage, signedInForms, signedInPages } from "./CurrentSession.ts"
import { asLabelled } from "./FormActions.ts"
import { makeRunOnce, newFormId } from "./IdempotentForms.ts"
import { page, redirect } from "./Page.ts"
import { SiteCookies } from "./SiteCookies.ts"
import { webhooksHtml, type WebhooksShown } from "./WebhooksHtml.ts"
import { namedFirst, queryOf } from "./PageAddress.ts"

const bodyOf = (fields: URLSearchParams) => ({
  url: (fields.get("url") ?? "").trim(),
  events: fields.getAll("event"),
  format: fields.get("format") ?? "standard",
  description: (fields.get("description") ?? "").trim()
})

const notices: ReadonlyMap<string, string> = new Map([
  ["on", "The webhook is on."],
  ["off", "The webhook is off: nothing is sent until you switch it on again."],
  ["deleted", "The webhook is deleted."]
])

const labels = { url: "Address", description: "Description", events: "Events", format: "Format" }

const home = "/account/webhooks"

/** The webhooks of the account: making, testing, switching and deleting them. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const forSignedIn = yield* signedInPages
    const sent = yield* signedInForms
    const cookies = yield* SiteCookies
    const webhooks = yield* Webhooks
    const runOnce = yield* makeRunOnce

    const show = Effect.fnUntraced(function* ({ account, session }: SignedIn, shown: WebhooksShown = {}) {
      const form = yield* newFormId
      const content = { csrf: session.csrf, form, zone: account.timezone, webhooks: yield* webhooks.list, shown }
      return page("Webhooks", webhooksHtml(content), {
        signedInAs: account.email,
        section: "account",
        status: shown.problem === undefined ? 200 : 400
      })
    })

    /** The outcome of the test that led to the page. */
    const testedIn = Effect.fnUntraced(function* (query: URLSearchParams) {
      const id = query.get("tested")
      if (id === null) return undefined
      const { items } = yield* webhooks.deliveries(id, 0)
      const delivery = items.find((each) => each.id === query.get("delivery"))
      return delivery === undefined ? undefined : { id, delivery: deliveryJson(delivery) }
    })

    const itself = forSignedIn((current, request) =>
      Effect.gen(function* () {
        const query = queryOf(request)
        const secret = cookies.shownOnce(request)
        const secretOf = secret === "" ? undefined : (yield* webhooks.list).find((each) => each.secret === secret)
        if (secretOf !== undefined) return cookies.withShownOnce("")(yield* show(current, { secretOf }))
        const tested = yield* testedIn(query).pipe(Effect.catchTag("NotFound", () => Effect.succeed(undefined)))
        return yield* show(current, {
          done: namedFirst(query, notices),
          ...(tested !== undefined && { tested })
        })
      })
    )

    const create: FormPage<Caller> = ({ current, fields }) => {
      const typed = bodyOf(fields)
      if (typed.events.length === 0) return show(current, { problem: "Choose at least one event.", typed })
      return Effect.gen(function* () {
        const input = yield* decodeInput(CreateWebhookInput)(typed)
        const made = webhooks.create({ ...input, url: yield* webhooks.allow(input.url) })
        const id = yield* runOnce(
          fields,
          "createWebhook",
          Effect.map(made, (webhook) => webhook.id)
        )
        const webhook = (yield* webhooks.list).find((each) => each.id === id)
        return cookies.withShownOnce(webhook?.secret ?? "")(redirect(home))
      }).pipe(
        Effect.catchTag("InvalidInput", (error) => show(current, { problem: asLabelled(error, labels).message, typed }))
      )
    }

    const idOf = (fields: URLSearchParams) => fields.get("webhook") ?? ""

    const test: FormPage<Caller> = ({ fields }) =>
      Effect.gen(function* () {
        const id = idOf(fields)
        const delivery = yield* Effect.flatten(webhooks.test(id))
        return redirect(`${home}?${new URLSearchParams({ tested: id, delivery: delivery.id })}`)
      })

    const change: FormPage<Caller> = ({ fields }) =>
      Effect.gen(function* () {
        const enabled = fields.get("enabled") === "true"
        yield* webhooks.update(idOf(fields), { enabled })
        return redirect(`${home}?${enabled ? "on" : "off"}`)
      })

    const remove: FormPage<Caller> = ({ fields }) =>
      Effect.as(webhooks.remove(idOf(fields)), redirect(`${home}?deleted`))

    yield* router.add("GET", home, itself)
    yield* router.add("POST", home, sent(create))
    for (const [name, answer] of [
      ["test", test],
      ["enabled", change],
      ["delete", remove]
    ] as const) {
      yield* router.add("POST", `${home}/${name}`, sent(answer))
      yield* router.add("GET", `${home}/${name}`, redirect(home))
    }
  })
)
