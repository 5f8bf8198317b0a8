import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { BodyBytes, checkJson, checkLength, maxBodyBytes } from "../src/RequestBody.ts"

describe("the headers of a body", () => {
  const json = (headers: Record<string, string>) =>
    Effect.runSync(Effect.match(checkJson(headers), { onSuccess: () => "read", onFailure: ({ status }) => status }))

  it.each([
    [{}, "read"],
    [{ "content-type": "application/json" }, "read"],
    [{ "content-type": "Application/JSON; charset=UTF-8" }, "read"],
    [{ "content-type": 'application/json; charset="utf-8"' }, "read"],
    [{ "content-type": "application/merge-patch+json" }, "read"],
    [{ "content-type": "application/json; charset=us-ascii" }, "read"],
    [{ "content-type": "application/json; charset=latin1" }, 415],
    [{ "content-type": "text/plain" }, 415],
    [{ "content-encoding": "identity" }, "read"],
    [{ "content-encoding": "gzip" }, 415],
    [{ "transfer-encoding": "Chunked" }, "read"],
    [{ "transfer-encoding": "gzip, chunked" }, 415]
  ] as const)("%j give %s", (headers, expected) => {
    expect(json(headers)).toBe(expected)
  })

  it.each(["application/json; charset=latin1", 'application/merge-patch+json; charset="Latin1"'])(
    "are refused with the name of an unsupported charset: %s",
    (type) => {
      const { message } = Effect.runSync(Effect.flip(checkJson({ "content-type": type })))
      expect(message).toBe(
        'The body must be in UTF-8, not in "latin1": send it with Content-Type: application/json; charset=utf-8.'
      )
    }
  )

  it("are refused for its length before it is read, and the connection is closed", () => {
    const of = (length: number) => Effect.runSync(Effect.flip(checkLength({ "content-length": String(length) })))
    expect(of(maxBodyBytes + 1)).toMatchObject({ status: 413, message: "The body is larger than 10 MiB.", close: true })
    expect(() => of(maxBodyBytes)).toThrow()
  })
})

describe("the bytes of a body", () => {
  it("are joined in order", () => {
    const body = new BodyBytes(6)
    for (const text of ["ab", "", "cdef"]) expect(body.add(Buffer.from(text))).toBeUndefined()
    expect(Buffer.from(body.whole()).toString()).toBe("abcdef")
  })

  it("are refused from the first one beyond the cap, and released", () => {
    const body = new BodyBytes(64 * 1024)
    expect(body.add(new Uint8Array(64 * 1024))).toBeUndefined()
    expect(body.add(new Uint8Array(1))).toMatchObject({ status: 413, message: "The body is larger than 64 KiB." })
    expect(body.whole()).toHaveLength(0)
  })
})
