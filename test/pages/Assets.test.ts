import { describe, expect, it } from "@effect/vitest"
import { Browser } from "../signin/Browser.ts"
import { givenServer, signedIn } from "./Given.ts"

const server = givenServer()

describe("the assets of the pages", () => {
  it("are public, and compressed on request", async () => {
    const browser = new Browser(server().url)
    const { text } = await browser.get("/sign-in")
    const paths = [...text.matchAll(/(?:href|src)="(\/[^"]+\.(?:css|js|svg|png|webmanifest)[^"]*)"/g)].map(
      ([, path]) => path!
    )
    expect(paths.length).toBeGreaterThanOrEqual(6)
    for (const path of [...paths, "/favicon.ico", "/icon-512.png", "/sw.js", "/offline"]) {
      const answer = await fetch(server().url + path, { headers: { "accept-encoding": "gzip" } })
      expect([path, answer.status, answer.headers.get("x-content-type-options")]).toStrictEqual([path, 200, "nosniff"])
    }
    const style = paths.find((path) => path.startsWith("/style.css")) ?? ""
    for (const coding of ["gzip", "br"]) {
      const answer = await fetch(server().url + style, { headers: { "accept-encoding": coding } })
      expect(answer.headers.get("content-encoding")).toBe(coding)
      expect(answer.headers.get("vary")).toBe("accept-encoding")
      expect(await answer.text()).toContain(":root{")
    }
    for (const coding of ["identity", "gzip;q=0, br; q=0.0"]) {
      const plain = await fetch(server().url + style, { headers: { "accept-encoding": coding } })
      expect(plain.headers.get("content-encoding")).toBeNull()
    }
    const manifest = (await (await fetch(`${server().url}/manifest.webmanifest`)).json()) as {
      start_url: string
      icons: ReadonlyArray<{ src: string }>
    }
    expect(manifest.start_url).toBe("/today")
    for (const { src } of manifest.icons) expect((await fetch(server().url + src)).status).toBe(200)
  })

  it("are cached only for the address of this version, not for that of another one beside it", async () => {
    const { text } = await new Browser(server().url).get("/sign-in")
    const { text: docs } = await new Browser(server().url).get("/docs")
    const paths = [...`${text}${docs}`.matchAll(/"(\/[^"]+\?v=)[^"]+"/g)]
    expect(new Set(paths.map(([, path]) => path))).toStrictEqual(
      new Set(["/style.css?v=", "/frame.css?v=", "/app.js?v=", "/icon.svg?v=", "/zone.js?v=", "/docs/start.js?v="])
    )
    for (const [quoted, path] of paths) {
      const own = quoted.slice(1, -1)
      for (const [asked, kept] of [
        [own, "public, max-age=31536000"],
        [`${path}another`, "no-store"],
        [path!.split("?", 1)[0]!, "no-store"]
      ] as const) {
        const answer = await fetch(server().url + asked, { headers: { "accept-encoding": "gzip" } })
        expect([asked, answer.status, answer.headers.get("cache-control")]).toStrictEqual([asked, 200, kept])
        await answer.arrayBuffer()
      }
    }
  })

  it("are answered with 304 while they are unchanged", async () => {
    const { text } = await new Browser(server().url).get("/sign-in")
    const style = /href="(\/style\.css[^"]*)"/.exec(text)![1]!
    for (const path of [style, "/sw.js", "/favicon.ico", "/docs", "/llms.txt", "/api/v1/openapi.json"]) {
      const got = (headers: Record<string, string>, method = "GET") => fetch(server().url + path, { method, headers })
      const first = await got({ "accept-encoding": "gzip" })
      const etag = first.headers.get("etag") ?? ""
      expect(etag).toMatch(/^W\/"/)
      for (const coding of ["gzip", "br", "identity"]) {
        for (const method of ["GET", "HEAD"]) {
          const again = await got({ "accept-encoding": coding, "if-none-match": etag }, method)
          expect([path, again.status, await again.text()]).toStrictEqual([path, 304, ""])
          for (const name of ["etag", "vary", "cache-control"]) {
            expect([path, name, again.headers.get(name)]).toStrictEqual([path, name, first.headers.get(name)])
          }
        }
      }
      expect((await got({ "if-none-match": '"another"' })).status).toBe(200)
    }
  })

  it("and long lists are compressed, but not pages with both a secret and text of the request", async () => {
    const { browser, rest } = await signedIn(server())
    const { list } = await rest("POST", "/lists", { title: "Long" })
    const items = Array.from({ length: 500 }, (_, n) => ({ text: `Thing ${n}`, list_id: list.id }))
    await rest("POST", "/things/bulk", { items })
    const gzip = { "accept-encoding": "gzip" }
    const coded = async (path: string) => (await browser.get(path, gzip)).headers.get("content-encoding")
    expect(await coded(`/lists/${list.id}`)).toBe("gzip")
    expect((await browser.get(`/lists/${list.id}`, gzip)).text).toContain("Thing 499")
    expect(await coded("/search?q=thing")).toBeNull()
    expect(await coded("/account")).toBeNull()
  })
})
