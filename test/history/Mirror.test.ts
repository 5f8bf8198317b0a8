import { afterAll, describe, expect, it } from "@effect/vitest"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { until } from "@lists-and-things/testing/Until"
import { randomOf } from "@lists-and-things/testing/RandomHistory"
import { ask, json } from "../reliability/Ask.ts"
import { type Host, openInstallation, type Person } from "../reliability/Installation.ts"
import { differences, exported, lat } from "./Exported.ts"
import { killMirrors, openMirror, refusing } from "./Mirror.ts"
import { firstList, knowing, request } from "./Writers.ts"

const installation = await openInstallation()
const host = await installation.serve()
const folder = mkdtempSync(join(tmpdir(), "lat-mirror-"))
afterAll(async () => {
  await killMirrors()
  await installation.close()
  rmSync(folder, { recursive: true })
})

/** Creates a person with a list, who keeps writing until `stop`. */
const writing = async (seed: number, things: number) => {
  const person = await installation.person()
  const chance = { random: randomOf(seed), known: knowing() }
  await firstList(host, person, chance, things)
  const state = { isOver: false }
  const over = (async () => {
    while (!state.isOver) await request(host, person, chance)
  })()
  return {
    person,
    chance,
    /** Resolves when `operations` more operations exist. */
    more: (operations: number) => {
      const enough = chance.known.operations.length + operations
      return Promise.race([until("more operations", () => chance.known.operations.length >= enough), over])
    },
    stop: () => {
      state.isOver = true
      return over
    }
  }
}

/** Sets a reminder that no writer removes, since the writers may have left none. */
const remind = async ({ token }: Person) => {
  const added = await ask(host.url, "POST", "/things", { token, body: { text: "reminded", list: "2026-12-01" } })
  const path = `/things/${json<{ thing: { id: string } }>(added).thing.id}/reminder`
  const put = await ask(host.url, "PUT", path, { token, body: { at: "2026-12-10T09:00:00Z", repeat: "daily" } })
  expect(put.status).toBe(200)
}

const expectMirrored = async (mirror: ReturnType<typeof openMirror>, at: Host, person: Person) => {
  await mirror.upToDate(at, person)
  const expected = await exported(installation, person)
  expect(differences(mirror.entities(), expected)).toStrictEqual([])
  expect(mirror.select("select is_complete from feed")).toStrictEqual([expect.objectContaining({ is_complete: 1 })])
  return expected
}

describe("the mirror of an account", () => {
  it("equals an export after it is killed repeatedly during writes", async () => {
    const { more, person, stop } = await writing(1, 1200)
    const mirror = openMirror(person, join(folder, "killed.sqlite"))
    const random = randomOf(2)
    let began = 0
    for (let kills = 0; kills < 8; kills++) {
      const before = mirror.cursor()
      await mirror.start(host)
      // Every second mirror is killed during its first steps.
      if (kills % 2 === 0) await until("a mirror that goes on", () => mirror.cursor() !== before)
      await more(Math.floor(random() * 12))
      await mirror.kill()
      if (mirror.cursor() !== undefined) began++
    }
    expect(began).toBeGreaterThan(1)
    await lat(installation, "account", "set", person.accountId, "--timezone", "Asia/Tokyo", "--name", "Ann")
    await stop()
    await remind(person)
    await mirror.start(host)
    const entities = await expectMirrored(mirror, host, person)
    const list = [...entities.keys()].find((key) => key.startsWith("list "))!.slice("list ".length)
    const shown = await ask(host.url, "GET", `/lists/${list}`, { token: person.token })
    const inOrder = json<{ things: ReadonlyArray<{ id: string }> }>(shown).things.map(({ id }) => id)
    const places = mirror.select(`select id from things where list_id = '${list}' order by place`)
    expect(places.map(({ id }) => id)).toStrictEqual(inOrder)
    expect([...entities.keys()].filter((key) => key.startsWith("reminder")).length).toBeGreaterThan(0)
    await mirror.kill()
  })

  it("starts over when its cursor is outdated, and waits for a server that is down", async () => {
    const { more, person, stop } = await writing(3, 5)
    const mirror = openMirror(person, join(folder, "anew.sqlite"))
    const other = await installation.serve()
    await mirror.start(other)
    await more(20)
    await stop()
    await mirror.upToDate(host, person)
    const stale = mirror.cursor()!
    // Simulates a restore from a backup: the last operations and their effects are gone.
    const { postgres } = installation
    const owner = `owner_id = '${person.accountId}'`
    const newest = `select max(stamp) from operations where ${owner}`
    await postgres.sql(`delete from operations where ${owner} and stamp = (${newest})`)
    await postgres.sql(`update lists set title = 'as it was' where ${owner}`)
    const answer = await ask(host.url, "GET", `/changes?cursor=${stale}`, { token: person.token })
    expect(answer.status).toBe(410)
    expect(answer.headers["cache-control"]).toBe("no-store")
    other.child.kill("SIGKILL")
    await other.ended
    expect(mirror.exitCode()).toBeNull()
    const again = await installation.serve({ env: { PORT: String(other.port) } })
    await until("a mirror that began anew", () => mirror.cursor() !== stale)
    await expectMirrored(mirror, again, person)
    await mirror.kill()
  })

  it("repeats a request that is refused with 429 or 503, and loses nothing", async () => {
    const person = await installation.person()
    const chance = { random: randomOf(4), known: knowing() }
    await firstList(host, person, chance, 1000)
    const asked: Array<{ readonly path: string; readonly status: number }> = []
    const { close, url } = await refusing(host, person, asked)
    const mirror = openMirror(person, join(folder, "refused.sqlite"))
    await mirror.start({ ...host, url })
    await expectMirrored(mirror, host, person)
    expect(asked.slice(0, 4).map(({ status }) => status)).toStrictEqual([429, 200, 503, 200])
    expect(asked[0]!.path).toBe(asked[1]!.path)
    expect(asked[2]!.path).toBe(asked[3]!.path)
    expect(asked[3]!.path).not.toBe(asked[1]!.path)
    await mirror.kill()
    close()
  })
})
