import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { openCommands } from "./InProcess.ts"

const lat = openCommands()
/** An address at which nothing listens. */
const url = "http://127.0.0.1:9/hook"

beforeAll(async () => {
  await lat.quiet(["account", "create", "--email", "ann@example.com"])
})

afterAll(() => lat.close())

interface Shown {
  readonly id: string
  readonly url: string
}

const create = (...more: ReadonlyArray<string>) => lat.quiet(["webhook", "create", "--url", url, ...more])

describe("lat webhook", () => {
  it("sets every field on creation, and each field alone later", async () => {
    const id = await create("--events", "operation, reminder.due", "--description", "phone", "--format", "ntfy")
    const first = { events: ["reminder.due", "operation"], description: "phone", format: "ntfy", enabled: true }
    expect(await lat.json(["webhook", "show", id])).toMatchObject({ id, url, ...first })
    const set = (...words: ReadonlyArray<string>) => lat.json<Shown>(["webhook", "set", id, ...words])
    expect(await set("--url", `${url}2`)).toMatchObject({ ...first, url: `${url}2` })
    expect(await set("--events", "operation")).toMatchObject({ url: `${url}2`, events: ["operation"] })
    expect(await set("--description", "chat")).toMatchObject({ description: "chat", format: "ntfy" })
    expect(await set("--format", "slack", "--enabled", "false")).toMatchObject({ format: "slack", enabled: false })
    expect(await lat.output(["webhook", "list"])).toMatch(/ operation +slack +never +off(?:: .+)?$/m)
    expect(await lat.quiet(["webhook", "set", id, "--enabled", "true"])).toBe(id)
    expect(await lat.output(["webhook", "list"])).toMatch(/ never +on$/m)
    await lat.quiet(["webhook", "delete", id, "--yes"])
  })

  it("refuses a URL in a private network, on creation and later", async () => {
    const id = await create("--events", "operation")
    const inside = "http://10.1.2.3/"
    for (const words of [
      ["create", "--events", "operation"],
      ["set", id]
    ]) {
      const { code, err } = await lat.run(["webhook", ...words, "--url", inside])
      expect([code, err]).toStrictEqual([2, expect.stringMatching(/^lat: --url must not lead into.*LAT_WEBHOOK_ALLOW/)])
    }
    expect(await lat.json(["webhook", "show", id])).toMatchObject({ url })
    await lat.quiet(["webhook", "delete", id, "--yes"])
  })

  it("fails if its ping is not answered, and logs the ping", async () => {
    const id = await create("--events", "operation")
    const { code, err, out } = await lat.run(["webhook", "test", id])
    expect([code, out, err]).toStrictEqual([1, "", expect.stringMatching(/^lat: The ping was not answered: .+\n$/)])
    const log = await lat.json<ReadonlyArray<Shown>>(["webhook", "log", id])
    expect(log).toMatchObject([{ event: "ping", status: null }])
    expect(await lat.quiet(["webhook", "log", id])).toBe(log[0]!.id)
    const next = await lat.run(["webhook", "log", id, "--page", "1"])
    expect([next.code, next.out, next.err]).toStrictEqual([
      0,
      "Page 1 is beyond the last page; the first one is 0.\n",
      ""
    ])
    const both = await lat.run(["webhook", "replay", id, log[0]!.id, "--since", "2026-01-01"])
    expect([both.code, both.err]).toStrictEqual([2, expect.stringContaining("either a delivery or --since TIME")])
    expect(await lat.quiet(["webhook", "replay", id, log[0]!.id])).toBe(log[0]!.id)
    expect(await lat.quiet(["webhook", "replay", id, "--since", "2026-01-01"])).toMatch(/^\d+$/)
    await lat.quiet(["webhook", "delete", id, "--yes"])
  })

  it("accepts only a 2xx status as the answer to a ping, and shows the answer", async () => {
    let status = 200
    const server = createServer((_request, response) => {
      response.writeHead(status).end(`${"long ".repeat(40)}end`)
    }).listen(0, "127.0.0.1")
    await once(server, "listening")
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const id = await lat.quiet(["webhook", "create", "--url", at, "--events", "operation"])
    for (status of [200, 299]) expect(await lat.quiet(["webhook", "test", id])).toBe(String(status))
    for (status of [300, 404, 599]) {
      const { code, err } = await lat.run(["webhook", "test", id])
      expect([code, err]).toStrictEqual([
        1,
        expect.stringContaining(`The ping was answered with status ${status}: long`)
      ])
    }
    const rows = (await lat.output(["webhook", "log", id])).split("\n").slice(1)
    expect(rows.map((line) => line.slice(line.indexOf("long")))).toStrictEqual(
      Array(5).fill(expect.stringMatching(/^(long ){24}…$/))
    )
    await lat.quiet(["webhook", "delete", id, "--yes"])
    server.close()
  })

  it("mentions older pages of a long log, also beside JSON", async () => {
    const id = await create("--events", "operation")
    for (let sent = 0; sent < 51; sent++) await lat.run(["webhook", "test", id])
    const first = await lat.run(["webhook", "log", id])
    expect([first.out.trimEnd().split("\n").length, first.err]).toStrictEqual([
      51,
      "There are older ones: --page 1 shows the next.\n"
    ])
    expect((await lat.run(["webhook", "log", id, "--json"])).err).toBe(first.err)
    expect(await lat.json(["webhook", "log", id, "--page", "1"])).toHaveLength(1)
    await lat.quiet(["webhook", "delete", id, "--yes"])
  })

  it("shows a secret only when it is created or rotated, and asks before a webhook is deleted", async () => {
    const made = await lat.json<{ id: string; secret: string }>([
      ...["webhook", "create", "--url", url, "--events", "operation"]
    ])
    const renewed = await lat.quiet(["webhook", "rotate", made.id])
    expect([made.secret, renewed]).toStrictEqual([expect.stringMatching(/^whsec_/), expect.stringMatching(/^whsec_/)])
    expect(renewed).not.toBe(made.secret)
    expect(JSON.stringify(await lat.json(["webhook", "list"]))).not.toContain("whsec_")
    expect(await lat.quiet(["webhook", "list"])).toBe(made.id)
    const kept = await lat.run(["webhook", "delete", made.id], { answers: ["n"] })
    expect([kept.code, kept.err]).toStrictEqual([
      1,
      expect.stringContaining(`Deleting the webhook to ${url} with its log cannot be undone. Go on?`)
    ])
    expect(await lat.json(["webhook", "delete", made.id, "--yes"])).toStrictEqual({ deleted: made.id })
    expect(await lat.json(["webhook", "list"])).toStrictEqual([])
  })
})
