import { describe, expect, it } from "@effect/vitest"
import { EpochMillis, msPerDay } from "../../src/model/EpochMillis.ts"
import type { Webhook } from "../../src/model/Webhook.ts"
import type { Outcome } from "../../src/ports/WebhookStore.ts"
import { failingLimit } from "../../src/webhooks/Attempts.ts"
import {
  afterAttempts,
  afterLogged,
  droppedEvents,
  endedEvents,
  failingSinceAfter
} from "../../src/webhooks/WebhookChanges.ts"

const now = EpochMillis(Date.parse("2026-11-21T12:00:00Z"))
const url = "https://hooks.example/"
const on = { url, enabled: true, events: ["reminder.due", "operation"], disabledReason: null } as unknown as Webhook
const answering: Webhook = { ...on, lastSuccess: null, lastFailure: null, failingSince: null }
const failing: Webhook = { ...answering, failingSince: EpochMillis(now - 5 * msPerDay) }

const attempt = (status: number, at: number = now, of: Webhook = on) =>
  ({
    lease: { webhook: of },
    at: EpochMillis(at),
    isSuccess: status === 200,
    disabledReason: status === 410 ? "Gone." : null
  }) as Outcome

const after = (webhook: Webhook, ...outcomes: ReadonlyArray<Outcome>) => afterAttempts(webhook, outcomes, failingLimit)

describe("a webhook after attempts", () => {
  it("fails since the first failure, until a success", () => {
    const first = after(answering, attempt(500, now + 2), attempt(500, now + 1))
    expect(first).toMatchObject({ enabled: true, failingSince: now + 1, lastFailure: now + 2, lastSuccess: null })
    const second = after(first, attempt(500, now + 9), attempt(200, now + 3))
    expect(second).toMatchObject({ enabled: true, failingSince: null, lastFailure: now + 9, lastSuccess: now + 3 })
  })

  it("is off after five days of failures alone, and at once for what its present address refused", () => {
    const off = (webhook: Webhook, ...outcomes: ReadonlyArray<Outcome>) => {
      const { disabledReason, enabled } = after(webhook, ...outcomes)
      return enabled ? "on" : disabledReason
    }
    expect(off(failing, attempt(500))).toBe(failingLimit.reason)
    expect(off(failing, attempt(500, now - 1))).toBe("on")
    expect(off(failing, attempt(500), attempt(200))).toBe("on")
    expect(off(answering, attempt(200), attempt(410))).toBe("Gone.")
    expect(off(answering, attempt(410, now, { ...on, url: "https://before.example/" }))).toBe("on")
    expect(off({ ...failing, enabled: false, disabledReason: "Why." }, attempt(410))).toBe("Why.")
  })

  it("keeps the latest times when a clock is set back", () => {
    const dated = { ...answering, lastSuccess: now, lastFailure: now }
    expect(after(dated, attempt(200, now - 1), attempt(500, now - 1))).toMatchObject(dated)
  })

  it("does not fail after a ping alone, and no longer after one that succeeded", () => {
    expect(afterLogged(answering, attempt(500))).toMatchObject({ failingSince: null, lastFailure: now })
    expect(afterLogged(failing, attempt(500))).toMatchObject({ failingSince: failing.failingSince })
    expect(afterLogged(failing, attempt(200))).toMatchObject({ failingSince: null, lastSuccess: now })
  })
})

describe("a change of a webhook", () => {
  it("forgets failures when it is switched or gets another address", () => {
    expect(failingSinceAfter(failing, { ...failing, description: "Else" })).toBe(failing.failingSince)
    expect(failingSinceAfter(failing, { ...failing, url: "https://else.example/" })).toBeNull()
    expect(failingSinceAfter(failing, { ...failing, enabled: false })).toBeNull()
  })

  it("ends what waits of dropped events, all when it is switched on, and nothing while it is off", () => {
    const [all, one, off] = [on, { ...on, events: ["operation"] as const }, { ...on, enabled: false }]
    expect([endedEvents(all, one), droppedEvents(all, one)]).toStrictEqual([["reminder.due"], ["reminder.due"]])
    expect([endedEvents(one, all), endedEvents(all, off)]).toStrictEqual([[], []])
    expect([endedEvents(off, one), droppedEvents(off, one)]).toStrictEqual(["all", []])
    expect(endedEvents(off, { ...one, enabled: false })).toStrictEqual([])
  })
})
