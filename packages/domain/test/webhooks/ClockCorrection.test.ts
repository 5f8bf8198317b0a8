import { describe, expect, it } from "@effect/vitest"
import { clockTolerance } from "../../src/days/ClockSkew.ts"
import { EpochMillis, msPerDay } from "../../src/model/EpochMillis.ts"
import type { Webhook } from "../../src/model/Webhook.ts"
import { leaseMillis } from "../../src/ports/WebhookStore.ts"
import { maxWaits } from "../../src/webhooks/Attempts.ts"
import { correctedDelivery, correctedWebhook, isDatedAhead } from "../../src/webhooks/ClockCorrection.ts"

const now = EpochMillis(Date.parse("2026-11-21T12:00:00Z"))
/** The latest time that is not ahead, and the first one that is. */
const [near, ahead] = [EpochMillis(now + clockTolerance), EpochMillis(now + clockTolerance + 1)]
const webhook = { since: now, lastSuccess: null, lastFailure: null, failingSince: null } as unknown as Webhook

describe("the correction of dates", () => {
  it("applies to an account that one date beyond the tolerance belongs to", () => {
    expect(isDatedAhead(near, [{ ...webhook, since: near, lastFailure: near }], now)).toBe(false)
    expect(isDatedAhead(ahead, [], now)).toBe(true)
    for (const field of ["since", "lastSuccess", "lastFailure", "failingSince"])
      expect(isDatedAhead(now, [webhook, { ...webhook, [field]: ahead }], now), field).toBe(true)
  })

  it("leaves no date of a webhook ahead", () => {
    const before = { ...webhook, since: near, lastSuccess: ahead, failingSince: EpochMillis(now - 1) }
    expect(correctedWebhook(before, now)).toStrictEqual({ ...before, since: now, lastSuccess: now })
  })

  it("changes a delivery that was made, put off or leased beyond the tolerance", () => {
    const clock = EpochMillis(now + msPerDay)
    const one = { attempts: 1, created: near, nextAttempt: null, leaseUntil: null }
    const corrected = (changes: object) => correctedDelivery({ ...one, ...changes }, now, clock)
    const [wait, lease] = [near + maxWaits[1]!, clock + leaseMillis + clockTolerance]
    expect(corrected({ nextAttempt: wait, leaseUntil: lease })).toBeUndefined()
    expect(corrected({ created: ahead })).toStrictEqual({ ...one, created: now })
    expect(corrected({ nextAttempt: wait + 1 })).toStrictEqual({ ...one, created: now, nextAttempt: now })
    expect(corrected({ leaseUntil: lease + 1 })).toStrictEqual({ ...one, created: now })
  })
})
