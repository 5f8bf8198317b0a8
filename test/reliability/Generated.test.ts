import { afterAll, expect, it } from "@effect/vitest"
import { requestsAreAnswered } from "../http/GeneratedRequests.ts"
import { askOf } from "../http/TestServer.ts"
import { openStand } from "./Stand.ts"

/** Number of requests; the soak makes more. */
const runs = Number(process.env["LAT_SOAK_REQUESTS"] ?? 2_000)

const stand = await openStand(["fsync=off"])
afterAll(() => stand.close())

it(
  `${runs} generated requests over PostgreSQL: described answers, and no failure of the server`,
  async () => {
    const host = await stand.serve()
    const { token } = await stand.person()
    await requestsAreAnswered(askOf(host.url, token), runs)
    expect(host.err()).not.toContain("unforeseen")
    expect(host.child.exitCode).toBeNull()
  },
  60_000 + runs * 60
)
