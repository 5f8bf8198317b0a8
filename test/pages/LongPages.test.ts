import { describe, expect, it } from "@effect/vitest"
import { givenServer, signedIn } from "./Given.ts"

const server = givenServer()

/** Removes the form id, which is new each time a page is shown. */
const withoutFormId = (text: string) => text.replaceAll(/name="form" value="[^"]*"/g, "")

describe("pages of long lists", () => {
  it("are complete, compressed or not", async () => {
    const { browser, rest } = await signedIn(server())
    const note = "https://example.com/🦊?a=<b>\n".repeat(20_000)
    const { list } = await rest("POST", "/lists", {
      title: "Long",
      things: [{ text: "First", note }, { text: "Last" }]
    })
    for (const path of [`/lists/${list.id}`, `/lists/${list.id}/markdown`]) {
      const plain = await browser.get(path, { "accept-encoding": "identity" })
      expect(Number(plain.headers.get("content-length"))).toBe(Buffer.byteLength(plain.text))
      expect(plain.text.split("https://example.com/🦊").length).toBeGreaterThan(20_000)
      expect(plain.text).toMatch(/First.*Last/s)
      const packed = await browser.get(path, { "accept-encoding": "gzip" })
      expect(packed.headers.get("content-encoding")).toBe("gzip")
      expect(packed.headers.get("vary")).toBe("accept-encoding")
      expect(withoutFormId(packed.text)).toBe(withoutFormId(plain.text))
    }
  })
})
