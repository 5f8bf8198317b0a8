import { Effect, Layer } from "effect"
import { isAhead, isRunning } from "@lists-and-things/domain/days/ClockSkew"
import type { ApiKey } from "@lists-and-things/domain/model/ApiKey"
import { revokedKeyReason } from "@lists-and-things/domain/model/Webhook"
import { KeyStore } from "@lists-and-things/domain/ports/KeyStore"
import { Database } from "../Database.ts"
import { byCreated } from "../Order.ts"
import type { OwnerData } from "../OwnerData.ts"
import {
  addMillis,
  currentTime,
  epoch,
  type EpochMillis,
  laterOf,
  msPerHour,
  msPerMinute,
  msPerSecond,
  startOf
} from "@lists-and-things/domain/model/EpochMillis"

/** The usage counters of a key; kept apart from the key, since a rollback never uncounts a request. */
interface Usage {
  windowStart: EpochMillis
  used: number
  lastUsed: EpochMillis | null
}

/** Also switches off the webhooks that the key made. */
const revokeIn = (data: OwnerData, key: ApiKey, now: EpochMillis): void => {
  data.keys.set(key.id, { ...key, revoked: key.revoked ?? now })
  for (const webhook of [...data.webhooks.values()])
    if (webhook.madeBy === key.id && webhook.enabled)
      data.webhooks.set(webhook.id, { ...webhook, enabled: false, disabledReason: revokedKeyReason })
}

const make = (database: Database["Service"]): KeyStore["Service"] => {
  const owners = new Map<string, string>()
  const usages = new Map<string, Usage>()

  const withUsage = (key: ApiKey): ApiKey => ({ ...key, lastUsed: usages.get(key.id)?.lastUsed ?? key.lastUsed })

  const count = (key: ApiKey, now: EpochMillis): Usage & { readonly admitted: boolean } => {
    const last = usages.get(key.id)
    const current =
      last !== undefined && isRunning(last.windowStart, msPerHour, now)
        ? last
        : { windowStart: startOf(msPerSecond, now), used: 0 }
    const admitted = current.used < key.rateLimit
    const thisMinute = startOf(msPerMinute, now)
    const before = last?.lastUsed ?? epoch
    const lastUsed = isAhead(before, thisMinute) ? thisMinute : laterOf(before, thisMinute)
    const usage = { windowStart: current.windowStart, used: current.used + (admitted ? 1 : 0), lastUsed }
    usages.set(key.id, usage)
    return { ...usage, admitted }
  }

  const admit: KeyStore["Service"]["admit"] = (id, secretHash) =>
    Effect.flatMap(currentTime, (now) =>
      database.read(owners.get(id) ?? "", (data) => {
        const key = data.keys.get(id)
        if (key === undefined || key.revoked !== null || key.secretHash !== secretHash) return undefined
        const { admitted, used, windowStart } = count(key, now)
        return {
          key: withUsage(key),
          account: data.account,
          stamps: { lastWrite: data.lastWrite, settingsChanged: data.settingsChanged },
          admitted,
          remaining: Math.max(0, key.rateLimit - used),
          resetAt: addMillis(windowStart, msPerHour)
        }
      })
    )

  return {
    insert: (key) =>
      database.write(key.accountId, (data) => {
        owners.set(key.id, key.accountId)
        data.keys.set(key.id, key)
      }),
    get: (id) =>
      database.read(owners.get(id) ?? "", (data) => {
        const key = data.keys.get(id)
        return key && withUsage(key)
      }),
    list: (owner) =>
      database.readAll((all) =>
        all
          .filter((data) => owner === undefined || data.account.id === owner)
          .flatMap((data) => [...data.keys.values()].map(withUsage))
          .toSorted(byCreated)
      ),
    valid: (owner) =>
      database.read(
        owner,
        (data) =>
          [...data.keys.values()]
            .filter(({ revoked }) => revoked === null)
            .map(withUsage)
            .toSorted(byCreated),
        []
      ),
    revoke: (id, now) =>
      database.write(
        owners.get(id) ?? "",
        (data) => {
          const key = data.keys.get(id)
          if (key === undefined) return false
          revokeIn(data, key, now)
          return true
        },
        false
      ),
    revokeAll: (owner, now) =>
      database.write(
        owner,
        (data) => {
          const valid = [...data.keys.values()].filter(({ revoked }) => revoked === null)
          for (const key of valid) revokeIn(data, key, now)
          return valid.length
        },
        0
      ),
    admit,
    admitWith: (id, secretHash, read) =>
      Effect.map(admit(id, secretHash), (slot) => slot && { slot, found: read(slot.account) })
  }
}

export const keyStoreLayer = Layer.effect(KeyStore, Effect.map(Database, make))
