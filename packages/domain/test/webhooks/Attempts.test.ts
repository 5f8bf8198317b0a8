import { describe, expect, it } from "@effect/vitest"
import { EpochMillis } from "../../src/model/EpochMillis.ts"
import type { Lease } from "../../src/ports/WebhookStore.ts"
import { nextAttempt, outcomeOf } from "../../src/webhooks/Attempts.ts"

const now = EpochMillis(Date.parse("2026-11-21T12:00:00Z"))
const after = (attempts: number, retryAfter: string | null = null, random = 0) => {
  const next = nextAttempt(attempts, now, retryAfter, random)
  return next === undefined ? undefined : (next - now) / 1000
}

describe("attempts", () => {
  it("follow after the documented delays, with jitter of up to a tenth", () => {
    const delays = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
    expect(delays.map((_, at) => after(at + 1))).toStrictEqual(delays)
    expect(after(1, null, 1)).toBe(5.5)
    expect(after(10)).toBeUndefined()
  })

  it("respect Retry-After between one and two times the delay", () => {
    expect([after(2, "1"), after(2, "400"), after(2, "99999")]).toStrictEqual([300, 400, 600])
    expect([after(2, "1795793411"), after(2, "9".repeat(400))]).toStrictEqual([600, 600])
    expect(after(2, "Sat, 21 Nov 2026 12:07:00 GMT")).toBe(420)
    expect(after(2, "2026-11-21T12:07:00Z")).toBe(300)
    expect([after(2, "soon"), after(2, ""), after(2, "-5")]).toStrictEqual([300, 300, 300])
    expect([after(2, " 400 "), after(2, "Sat, or later")]).toStrictEqual([400, 300])
  })

  const lease = { delivery: { attempts: 0 } } as Lease
  const answered = (status: number | null) =>
    outcomeOf(lease, { status, text: "text", retryAfter: null, durationMillis: 1 }, now, 0)

  it("succeed with any 2xx; redirects and all other statuses fail", () => {
    for (const status of [200, 204, 299])
      expect(answered(status)).toMatchObject({ isSuccess: true, nextAttempt: null, disabledReason: null })
    for (const status of [100, 199, 300, 301, 307, 404, 429, 500, null])
      expect(answered(status)).toMatchObject({ isSuccess: false, nextAttempt: now + 5_000, disabledReason: null })
  })

  it("end with a 410, which disables the webhook", () => {
    expect(answered(410)).toMatchObject({ isSuccess: false, nextAttempt: null })
    expect(answered(410).disabledReason).toContain("410")
  })
})
