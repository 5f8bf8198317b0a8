import { Effect } from "effect"
import { currentTime, epoch, type EpochMillis, laterOf } from "@lists-and-things/domain/model/EpochMillis"
import type { AccountId, ThingId } from "@lists-and-things/domain/model/Ids"
import type { NewDelivery } from "@lists-and-things/domain/model/Webhook"
import type { FollowedAccount, Lease, Moment } from "@lists-and-things/domain/ports/WebhookStore"
import type { Database } from "../Database.ts"
import type { OwnerData } from "../OwnerData.ts"
import { type StoredDelivery, waiting } from "./WebhookDeliveries.ts"

/** What delivering programs have stored for an account. */
interface Followed {
  account: Omit<FollowedAccount, "owner"> | undefined
  /** The latest time at which a program has announced, by that program's clock. */
  clock: EpochMillis
  readonly moments: Map<ThingId, Moment>
  /** By webhook, then by delivery. */
  readonly deliveries: Map<string, Map<string, StoredDelivery>>
}

/**
 * What delivering programs have stored for each account. It is kept apart from the accounts' data, since it is never
 * rolled back.
 */
export class WebhookState {
  readonly owners = new Map<AccountId, Followed>()
  readonly #database: Database["Service"]

  constructor(database: Database["Service"]) {
    this.#database = database
  }

  of(owner: AccountId): Followed {
    const known = this.owners.get(owner)
    if (known !== undefined) return known
    const fresh: Followed = { account: undefined, clock: epoch, moments: new Map(), deliveries: new Map() }
    this.owners.set(owner, fresh)
    return fresh
  }

  deliveriesOf(owner: AccountId, webhook: string): Map<string, StoredDelivery> {
    return this.of(owner).deliveries.get(webhook) ?? new Map<string, StoredDelivery>()
  }

  /** Collects the results of `f` for each account that exists. */
  perOwner<A>(f: (data: OwnerData, followed: Followed) => ReadonlyArray<A>): Effect.Effect<ReadonlyArray<A>> {
    return this.#database.readAll((all) =>
      all.flatMap((data) => {
        const followed = this.owners.get(data.account.id)
        return followed === undefined ? [] : f(data, followed)
      })
    )
  }

  /** Adds deliveries to webhooks that exist; one whose message a webhook has already is passed over. */
  add(data: OwnerData, deliveries: ReadonlyArray<NewDelivery>): void {
    const owner = data.account.id
    for (const delivery of deliveries) {
      if (!data.webhooks.has(delivery.webhookId)) continue
      const { deliveries: all } = this.of(owner)
      const known = all.get(delivery.webhookId) ?? new Map<string, StoredDelivery>()
      all.set(delivery.webhookId, known)
      const isThere = [...known.values()].some(({ messageId }) => messageId === delivery.messageId)
      if (!isThere) known.set(delivery.id, waiting(delivery, owner))
    }
  }

  /** Replaces the deliveries of a webhook for which `change` returns another; returns how many. */
  changeAll(
    owner: AccountId,
    webhook: string,
    change: (delivery: StoredDelivery) => StoredDelivery | undefined
  ): number {
    const all = this.deliveriesOf(owner, webhook)
    let count = 0
    for (const delivery of all.values()) {
      const changed = change(delivery)
      if (changed === undefined) continue
      all.set(delivery.id, changed)
      count++
    }
    return count
  }

  /** Notes that a program has announced something of an account now. */
  announced(owner: AccountId): Effect.Effect<void> {
    return Effect.map(currentTime, (now) => {
      const followed = this.of(owner)
      followed.clock = laterOf(followed.clock, now)
    })
  }

  /** The delivery of a lease that has not been passed on to another program. */
  held({ delivery, token }: Lease): StoredDelivery | undefined {
    const stored = this.deliveriesOf(delivery.owner, delivery.webhookId).get(delivery.id)
    return stored?.leaseUntil === token ? stored : undefined
  }

  store(delivery: StoredDelivery): void {
    this.deliveriesOf(delivery.owner, delivery.webhookId).set(delivery.id, delivery)
  }
}
