import { afterAll, expect, it } from "@effect/vitest"
import { requestsAreAnswered } from "../http/GeneratedRequests.ts"
import { askOf } from "../http/TestServer.ts"
import { openInstallation } from "./Installation.ts"

/** The number of requests; the soak makes more. */
const runs = Number(process.env["LAT_SOAK_REQUESTS"] ?? 2_000)

const installation = await openInstallation(["fsync=off"])
afterAll(() => installation.close())

it(
  `${runs} generated requests over PostgreSQL get only described answers, and cause no unforeseen error`,
  async () => {
    const host = await installation.serve()
    const { token } = await installation.person()
    await requestsAreAnswered(askOf(host.url, token), runs)
    expect(host.err()).not.toContain("unforeseen")
    expect(host.child.exitCode).toBeNull()
  },
  60_000 + runs * 300
)
