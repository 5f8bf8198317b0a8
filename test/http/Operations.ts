import { type RequiredScopes, scopes } from "@lists-and-things/domain/model/Scope"
import type { Client, Method } from "./TestServer.ts"

let lists = 0

/** The data on which every operation is tried: a list with a thing that has a weekly reminder. */
export interface Fixture {
  readonly listId: string
  readonly thingId: string
  /** The operation that set the reminder. */
  readonly operationId: string
  /** A webhook whose address nothing listens at; one ping was attempted. */
  readonly webhookId: string
  readonly deliveryId: string
}

export const fixture = async (client: Pick<Client, "ask">): Promise<Fixture> => {
  const made = await client.ask("POST", "/lists", { title: `List ${++lists}`, things: [{ text: "Oat milk" }] })
  const listId = made.body.list.id as string
  const view = await client.ask("GET", `/lists/${listId}`)
  const thingId = view.body.things[0].id as string
  const reminder = { at: "2099-01-05T09:00:00Z", repeat: "weekly" }
  const set = await client.ask("PUT", `/things/${thingId}/reminder`, reminder)
  // An account has few webhooks, and some tests make many fixtures.
  const [known] = (await client.ask("GET", "/webhooks")).body.webhooks as ReadonlyArray<{ readonly id: string }>
  const webhook = known ?? (await client.ask("POST", "/webhooks", { url: deadUrl, events: ["operation"] })).body.webhook
  const webhookId = webhook.id
  const pinged = await client.ask("POST", `/webhooks/${webhookId}/test`)
  const deliveryId = pinged.body.delivery.id as string
  return { listId, thingId, operationId: set.headers.get("x-operation-id") ?? "", webhookId, deliveryId }
}

/** An address of the loopback, to which the servers of these tests allow webhooks; nothing listens at port 9. */
export const deadUrl = "http://127.0.0.1:9/"

export interface Call {
  readonly path: (on: Fixture) => string
  readonly body?: (on: Fixture) => unknown
}

export interface OperationCase {
  readonly method: Method
  readonly scope: RequiredScopes
  readonly success: number
  readonly good: Call
  /** Something malformed; what is left out of it is as in `good`. Absent where nothing can be malformed. */
  readonly bad?: Partial<Call>
  /** For the operations that the contract lists 404 for. */
  readonly unknown?: Partial<Call>
}

const nobody = "0199f0c2-7a51-7c3e-9d1b-000000000000"
const list =
  (suffix = "") =>
  ({ listId }: Fixture) =>
    `/lists/${listId}${suffix}`
const thing =
  (suffix = "") =>
  ({ thingId }: Fixture) =>
    `/things/${thingId}${suffix}`
const operation =
  (suffix = "") =>
  ({ operationId }: Fixture) =>
    `/operations/${operationId}${suffix}`
const webhook =
  (suffix = "") =>
  ({ webhookId }: Fixture) =>
    `/webhooks/${webhookId}${suffix}`
const at = (path: string) => () => path
const wrongBody = () => ({ unheard_of: 1 })

/** Every operation by its operationId: how it succeeds, how it is refused. */
export const operations: Readonly<Record<string, OperationCase>> = {
  listLists: {
    method: "GET",
    scope: "read:lists",
    success: 200,
    good: { path: at("/lists") },
    bad: { path: at("/lists?page=-1") }
  },
  createList: {
    method: "POST",
    scope: "write:lists",
    success: 201,
    good: { path: at("/lists"), body: () => ({ title: "New", things: [{ text: "a" }, { text: " " }] }) },
    bad: { body: () => ({ emoji: "x" }) }
  },
  importMarkdown: {
    method: "POST",
    scope: "write:lists",
    success: 201,
    good: { path: at("/lists/import"), body: () => ({ markdown: "# T\n\n- [ ] a\n" }) },
    bad: { body: () => ({ title: "no markdown" }) }
  },
  getList: {
    method: "GET",
    scope: "read:lists",
    success: 200,
    good: { path: list() },
    bad: { path: list("?max_text=0") },
    unknown: { path: at(`/lists/${nobody}`) }
  },
  getListMarkdown: {
    method: "GET",
    scope: "read:lists",
    success: 200,
    good: { path: list("/markdown") },
    unknown: { path: at(`/lists/${nobody}/markdown`) }
  },
  getToday: {
    method: "GET",
    scope: "read:lists",
    success: 200,
    good: { path: at("/today") },
    bad: { path: at("/today?date=someday") }
  },
  updateList: {
    method: "PATCH",
    scope: "write:lists",
    success: 200,
    good: { path: list(), body: () => ({ favorited: true }) },
    bad: { body: wrongBody },
    unknown: { path: at(`/lists/${nobody}`) }
  },
  deleteList: { method: "DELETE", scope: "write:lists", success: 200, good: { path: list() } },
  listThings: {
    method: "GET",
    scope: "read:things",
    success: 200,
    good: { path: at("/things") },
    bad: { path: at("/things?completed=maybe") }
  },
  createThing: {
    method: "POST",
    scope: "write:things",
    success: 201,
    good: { path: at("/things"), body: ({ listId }) => ({ list_id: listId, text: "Bread" }) },
    bad: { body: () => ({ text: "" }) },
    unknown: { body: () => ({ list_id: nobody, text: "Bread" }) }
  },
  createThings: {
    method: "POST",
    scope: "write:things",
    success: 201,
    good: {
      path: at("/things/bulk"),
      body: ({ listId }) => ({ list_id: listId, items: [{ text: "a" }, { text: "b" }] })
    },
    bad: { body: () => ({ items: "a" }) }
  },
  updateThings: {
    method: "PATCH",
    scope: "write:things",
    success: 200,
    good: { path: at("/things/bulk"), body: ({ thingId }) => ({ ids: [thingId, nobody], set: { favorited: true } }) },
    bad: { body: () => ({ ids: [nobody] }) }
  },
  deleteThings: {
    method: "DELETE",
    scope: "write:things",
    success: 200,
    good: { path: at("/things/bulk"), body: ({ thingId }) => ({ ids: [thingId, nobody] }) },
    bad: { body: () => ({ ids: nobody }) }
  },
  appendMarkdown: {
    method: "POST",
    scope: "write:things",
    success: 201,
    good: { path: at("/things/markdown"), body: ({ listId }) => ({ list_id: listId, markdown: "- [ ] a\n- [x] b\n" }) },
    bad: { body: () => ({ markdown: 1 }) }
  },
  getThing: {
    method: "GET",
    scope: "read:things",
    success: 200,
    good: { path: thing() },
    unknown: { path: at(`/things/${nobody}`) }
  },
  updateThing: {
    method: "PATCH",
    scope: "write:things",
    success: 200,
    good: { path: thing(), body: () => ({ text: "Soy milk" }) },
    bad: { body: wrongBody },
    unknown: { path: at(`/things/${nobody}`) }
  },
  deleteThing: { method: "DELETE", scope: "write:things", success: 200, good: { path: thing() } },
  setReminder: {
    method: "PUT",
    scope: "write:things",
    success: 200,
    good: { path: thing("/reminder"), body: () => ({ at: "2099-02-01T08:00:00Z" }) },
    bad: { body: () => ({ at: "2026-02-30" }) },
    unknown: { path: at(`/things/${nobody}/reminder`) }
  },
  removeReminder: { method: "DELETE", scope: "write:things", success: 200, good: { path: thing("/reminder") } },
  listReminders: { method: "GET", scope: "read:things", success: 200, good: { path: at("/reminders") } },
  listOccurrences: {
    method: "GET",
    scope: "read:things",
    success: 200,
    good: { path: thing("/reminder/occurrences?count=3") },
    bad: { path: thing("/reminder/occurrences?count=0") },
    unknown: { path: at(`/things/${nobody}/reminder/occurrences`) }
  },
  previewReminder: {
    method: "POST",
    scope: "read:things",
    success: 200,
    good: { path: at("/reminders/preview"), body: () => ({ at: "2099-02-01T08:00:00Z", days: ["mon"] }) },
    bad: { body: () => ({ at: "tomorrowish" }) }
  },
  search: {
    method: "GET",
    scope: "search",
    success: 200,
    good: { path: at("/search?query=milk") },
    bad: { path: at("/search?query=%20") }
  },
  fetchDocument: {
    method: "GET",
    scope: "read:things",
    success: 200,
    good: { path: ({ thingId }) => `/fetch?id=${thingId}` },
    bad: { path: at("/fetch") },
    unknown: { path: at(`/fetch?id=${nobody}`) }
  },
  listTags: { method: "GET", scope: "read:things", success: 200, good: { path: at("/tags") } },
  listOperations: {
    method: "GET",
    scope: ["read:lists", "read:things"],
    success: 200,
    good: { path: ({ thingId }) => `/operations?thing_id=${thingId}` },
    bad: { path: at("/operations?page=-1") }
  },
  getOperation: {
    method: "GET",
    scope: ["read:lists", "read:things"],
    success: 200,
    good: { path: operation() },
    unknown: { path: at(`/operations/${nobody}`) }
  },
  undoOperation: {
    method: "POST",
    scope: ["write:lists", "write:things"],
    success: 200,
    good: { path: operation("/undo") },
    unknown: { path: at(`/operations/${nobody}/undo`) }
  },
  listChanges: {
    method: "GET",
    scope: ["read:lists", "read:things"],
    success: 200,
    good: { path: at("/changes?limit=500") },
    bad: { path: at("/changes?wait=56") }
  },
  listWebhooks: { method: "GET", scope: [...scopes], success: 200, good: { path: at("/webhooks") } },
  createWebhook: {
    method: "POST",
    scope: [...scopes],
    success: 201,
    good: { path: at("/webhooks"), body: () => ({ url: deadUrl, events: ["reminder.due"] }) },
    bad: { body: () => ({ url: "http://10.0.0.1/", events: ["reminder.due"] }) }
  },
  getWebhook: {
    method: "GET",
    scope: [...scopes],
    success: 200,
    good: { path: webhook() },
    unknown: { path: at(`/webhooks/${nobody}`) }
  },
  updateWebhook: {
    method: "PATCH",
    scope: [...scopes],
    success: 200,
    good: { path: webhook(), body: () => ({ enabled: false }) },
    bad: { body: () => ({ events: [] }) },
    unknown: { path: at(`/webhooks/${nobody}`) }
  },
  deleteWebhook: { method: "DELETE", scope: [...scopes], success: 200, good: { path: webhook() } },
  rotateWebhook: {
    method: "POST",
    scope: [...scopes],
    success: 200,
    good: { path: webhook("/rotate") },
    unknown: { path: at(`/webhooks/${nobody}/rotate`) }
  },
  testWebhook: {
    method: "POST",
    scope: [...scopes],
    success: 200,
    good: { path: webhook("/test") },
    unknown: { path: at(`/webhooks/${nobody}/test`) }
  },
  listDeliveries: {
    method: "GET",
    scope: [...scopes],
    success: 200,
    good: { path: webhook("/deliveries") },
    bad: { path: webhook("/deliveries?page=-1") },
    unknown: { path: at(`/webhooks/${nobody}/deliveries`) }
  },
  replayDelivery: {
    method: "POST",
    scope: [...scopes],
    success: 200,
    good: { path: ({ deliveryId, webhookId }) => `/webhooks/${webhookId}/deliveries/${deliveryId}/replay` },
    unknown: { path: at(`/webhooks/${nobody}/deliveries/${nobody}/replay`) }
  },
  replayWebhook: {
    method: "POST",
    scope: [...scopes],
    success: 200,
    good: { path: webhook("/replay"), body: () => ({ since: "2026-11-20T08:00:00Z" }) },
    bad: { body: () => ({ since: "yesterday" }) },
    unknown: { path: at(`/webhooks/${nobody}/replay`) }
  }
}
