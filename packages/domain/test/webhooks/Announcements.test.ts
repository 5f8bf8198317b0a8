import { NodeCrypto } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { layer as memory } from "@lists-and-things/storage-memory/MemoryStorage"
import { asOwner, listNamed } from "@lists-and-things/testing/AsOwner"
import { Effect, Exit, Layer } from "effect"
import { Caller } from "../../src/model/Caller.ts"
import { AccountId } from "../../src/model/Ids.ts"
import { AccountStore } from "../../src/ports/AccountStore.ts"
import { useCases } from "../../src/UseCases.ts"
import { Announcements } from "../../src/webhooks/Announcements.ts"
import { type AllowedUrl, Webhooks } from "../../src/webhooks/Webhooks.ts"

const storage = useCases.pipe(Layer.provideMerge(memory), Layer.provideMerge(NodeCrypto.layer))

/** An account store that breaks for these accounts. */
const breakingFor = (broken: ReadonlySet<AccountId>) =>
  Layer.effect(
    AccountStore,
    Effect.map(AccountStore, (store) =>
      AccountStore.of({
        ...store,
        get: (id) => (broken.has(AccountId.make(id)) ? Effect.die("broken") : store.get(id))
      })
    )
  )

/** An account with a webhook, and an operation since; answers its id and its log. */
const followed = asOwner(() =>
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const { account } = yield* Caller
    const { id } = yield* webhooks.create({ url: "https://a.example/" as AllowedUrl, events: ["operation"] })
    yield* listNamed("A list")
    const log = Effect.provideService(webhooks.deliveries(id, 0), Caller, yield* Caller)
    return { account: account.id, log: Effect.map(log, ({ items }) => items.length) }
  })
)

it.effect("an account whose data breaks the announcing keeps no other waiting", () => {
  const broken = new Set<AccountId>()
  const announcements = Announcements.layer.pipe(Layer.provide(breakingFor(broken)))
  return Effect.gen(function* () {
    const [first, second, third] = [yield* followed, yield* followed, yield* followed]
    broken.add(first.account)
    const { operations } = yield* Announcements
    expect(Exit.hasDies(yield* Effect.exit(operations))).toBe(true)
    expect([yield* first.log, yield* second.log, yield* third.log]).toStrictEqual([0, 1, 1])
    broken.clear()
    expect(yield* operations).toBe(true)
    expect(yield* first.log).toBe(1)
  }).pipe(Effect.provide(announcements.pipe(Layer.provideMerge(Layer.fresh(storage)))))
})
