import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Conflict, NotReady, Overloaded, StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { errorResponse } from "../../src/edge/ErrorResponses.ts"
import { renderErrors } from "../../src/pages/CurrentSession.ts"
import { withErrorPage } from "../../src/pages/ErrorPages.ts"

const asked = (url: string, accept: string) =>
  ({ url, headers: { accept } }) as unknown as HttpServerRequest.HttpServerRequest
const textOf = ({ body }: HttpServerResponse.HttpServerResponse): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

describe("an error", () => {
  const broken = errorResponse(500, "Its log has it under <7>.", { "retry-after": "3" })

  it("becomes a page for a browser, and keeps its headers", () => {
    const page = withErrorPage(asked("/today", "text/html,*/*;q=0.8"), broken)
    expect([
      page.status,
      page.headers["content-type"],
      page.headers["retry-after"],
      page.headers["vary"]
    ]).toStrictEqual([500, "text/html; charset=utf-8", "3", "accept"])
    expect(textOf(page)).toContain("<h1>Something went wrong</h1>")
    expect(textOf(page)).toContain("Its log has it under &#60;7&#62;.")
  })

  it("stays JSON for programs and on paths of protocols", () => {
    expect(withErrorPage(asked("/today", "*/*"), broken)).toBe(broken)
    for (const url of ["/api/v1/lists", "/mcp", "/oauth/token", "/.well-known/x"])
      expect(withErrorPage(asked(url, "text/html"), broken)).toBe(broken)
  })

  it("of a use case has as a page the status that it has as JSON", async () => {
    const full = new StorageUnavailable({ outcome: "not-applied", full: true })
    for (const [error, status] of [[full, 507] as const, [new Conflict({ message: "Taken." }), 409] as const]) {
      const page = await Effect.runPromise(renderErrors(Effect.fail(error)))
      expect([page.status, page.headers["retry-after"]]).toStrictEqual([status, undefined])
      expect(textOf(page)).toContain("<h1>That did not work</h1>")
    }
  })

  it("of a use case says as a page when to try again, as it does as JSON", async () => {
    for (const [error, seconds] of [
      [new NotReady({ message: "Not yet." }), "60"] as const,
      [new Overloaded(), "1"] as const
    ]) {
      const { headers, status } = await Effect.runPromise(renderErrors(Effect.fail(error)))
      expect([status, headers["retry-after"]]).toStrictEqual([503, seconds])
    }
  })

  it("of a page keeps the navigation of who is signed in", async () => {
    const pageOf = (context: { readonly signedInAs?: string }) =>
      Effect.runPromise(renderErrors(Effect.fail(new Conflict({ message: "Taken." })), context))
    expect(textOf(await pageOf({ signedInAs: "ann@example.com" }))).toContain('href="/today"')
    expect(textOf(await pageOf({}))).not.toContain('href="/today"')
  })
})
