import { once } from "node:events"
import { readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { ChangeJson } from "@lists-and-things/domain/json/ChangeJson"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { entry, type Lat, openServedLat } from "./Lat.ts"
import { hasTerminals, onTerminal } from "./OnTerminal.ts"

let lat: Lat
beforeAll(async () => {
  lat = await openServedLat()
  await lat.json(["account", "create", "--email", "ann@example.com"])
})
afterAll(async () => {
  await lat.close()
})

const addedThing = (text: string) => lat.json<{ readonly id: string }>(["thing", "add", text, "--list", "tomorrow"])

describe("the history on the command line", () => {
  it.runIf(hasTerminals)("names the operation to undo, asks, and undoes it only after y", async () => {
    const { id } = await addedThing("Cheese")
    const asked = async (keys: string) => {
      const terminal = onTerminal([process.execPath, entry, "undo"], { env: lat.env, cwd: lat.folder })
      await terminal.sees("Undoing “Added “Cheese”")
      await terminal.sees("? [y/N] ")
      terminal.type(keys)
      return [await terminal.ended, terminal.screen()]
    }
    const nothing = expect.stringContaining("lat: Nothing was changed.")
    expect(await asked("n\r")).toStrictEqual([1, nothing])
    expect(await asked("\u0004")).toStrictEqual([1, nothing])
    expect(await asked("\u0003")).toStrictEqual([130, expect.not.stringContaining("doctor")])
    expect((await lat.run(["thing", "show", id])).code).toBe(0)
    expect(await asked("y\r")).toStrictEqual([0, expect.stringContaining("Undid: Added “Cheese”")])
    expect((await lat.run(["thing", "show", id])).code).toBe(1)
  })

  it("writes changes as JSON lines, and continues after the cursor of its file", async () => {
    const file = join(lat.folder, "cursor")
    const lines = async (): Promise<ReadonlyArray<ChangeJson>> => {
      const { code, out } = await lat.run(["changes", "--cursor-file", file])
      expect(code).toBe(0)
      return out.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as ChangeJson]))
    }
    expect((await lines()).map(({ type }) => type)).toContain("account")
    expect(await lines()).toStrictEqual([])
    const { id } = await addedThing("Jam")
    expect((await lines()).filter(({ type }) => type === "thing")).toMatchObject([{ id, change: "put" }])

    const following = lat.start(["changes", "--follow", "--cursor-file", file])
    const written = once(following.stdout!, "data")
    const before = await readFile(file, "utf8")
    await lat.json(["thing", "rm", id, "--yes"])
    expect(String((await written)[0])).toContain(id)
    following.kill("SIGINT")
    expect((await once(following, "exit"))[0]).toBe(130)
    expect(await readFile(file, "utf8")).not.toBe(before)
    for (const [signal, code] of [
      ["SIGTERM", 143],
      ["SIGHUP", 129]
    ] as const) {
      const ended = lat.start(["changes", "--follow"])
      await once(ended.stdout!, "data")
      ended.kill(signal)
      expect((await once(ended, "exit"))[0]).toBe(code)
    }
    await writeFile(file, "no cursor")
    const { code, err, out } = await lat.run(["changes", "--cursor-file", file])
    expect([code, out]).toStrictEqual([1, ""])
    expect(err).toContain(`${file} has no cursor from which this account's changes go on`)
    expect(await readFile(file, "utf8")).toBe("no cursor")
    const folder = join(lat.folder, "missing")
    const lost = await lat.run(["changes", "--cursor-file", join(folder, "cursor")])
    expect([lost.code, lost.out]).toStrictEqual([1, ""])
    expect(lost.err).toContain(`cannot be written: there is no folder ${folder}.`)
  })
})
