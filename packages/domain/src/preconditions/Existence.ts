import { Effect } from "effect"
import type { NotFound, StorageUnavailable } from "../model/Errors.ts"
import type { AccountId } from "../model/Ids.ts"
import { ListStore } from "../ports/ListStore.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { makeUnknownIds } from "../targets/UnknownId.ts"
import { unknownWebhook } from "../webhooks/Webhooks.ts"

/** A kind of resource that the path of a request names by its id. */
export type ResourceKind = "list" | "thing" | "webhook"

/** Makes the check that the owner has a resource, which fails with `NotFound` otherwise. It requires no scope. */
export const makeRequireExisting = Effect.gen(function* () {
  const lists = yield* ListStore
  const things = yield* ThingStore
  const webhooks = yield* WebhookStore
  const unknownIds = yield* makeUnknownIds

  return Effect.fnUntraced(function* (
    owner: AccountId,
    kind: ResourceKind,
    id: string
  ): Effect.fn.Return<void, NotFound | StorageUnavailable> {
    if (kind === "webhook") {
      if ((yield* webhooks.get(owner, id)) === undefined) yield* unknownWebhook(id)
      return
    }
    const found = yield* kind === "list" ? lists.get(owner, id) : things.get(owner, id)
    if (found === undefined) yield* unknownIds.notFound(owner, kind, id)
  })
})
