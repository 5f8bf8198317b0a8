import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { InstanceDump } from "@lists-and-things/domain/ports/InstanceDump"
import { Effect, Layer } from "effect"
import { Conflict } from "@lists-and-things/domain/model/Errors"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { openCommands } from "./InProcess.ts"

const lat = openCommands()

beforeAll(async () => {
  for (const name of ["ann", "bob"]) await lat.quiet(["account", "create", "--email", `${name}@example.com`])
})

afterAll(() => lat.close())

/** Runs `lat db stop` for a server that `users` programs use. */
const stopping = async (
  users: number | undefined,
  more: ReadonlyArray<string> = [],
  answers?: ReadonlyArray<string>
) => {
  const stopped: Array<{ readonly staysDown: boolean }> = []
  const installation = {
    embeddedUsers: () => Promise.resolve(users),
    stopEmbedded: (options: { readonly staysDown: boolean }) => {
      stopped.push(options)
      return Promise.resolve(true)
    }
  }
  const ended = await lat.run(["db", "stop", ...more], { installation, ...(answers && { answers }) })
  return { ...ended, stopped }
}

describe("lat db stop", () => {
  it("does not ask if no program uses the server", async () => {
    const { code, err, out, stopped } = await stopping(0)
    expect([code, err, out]).toStrictEqual([0, "", "The embedded PostgreSQL is stopped.\n"])
    expect(stopped).toStrictEqual([{ staysDown: false }])
  })

  it.each([
    [1, "1 program that uses it"],
    [2, "2 programs that use it"],
    [undefined, "programs that may use it"]
  ])("asks if %s programs use the server, and says whether they start it again", async (users, named) => {
    const refused = await stopping(users)
    expect(refused).toMatchObject({ code: 2, stopped: [] })
    expect(refused.err).toContain(`lat: Stopping the database under ${named}: confirm with --yes`)
    expect(await stopping(users, [], ["n"])).toMatchObject({ code: 1, stopped: [] })
    const again = "The embedded PostgreSQL was stopped. The programs that use it start it again.\n"
    expect(await stopping(users, ["--yes"])).toMatchObject({ code: 0, out: again, stopped: [{ staysDown: false }] })
    const down = "The embedded PostgreSQL is stopped, until a command or another program starts it.\n"
    const stayed = await stopping(users, ["--stay-down"], ["y"])
    expect(stayed).toMatchObject({ code: 0, out: down, stopped: [{ staysDown: true }] })
  })

  it("says if the server was not running", async () => {
    expect(await lat.output(["db", "stop"])).toBe("It was not running.")
    expect(await lat.json(["db", "stop"], { env: { DATABASE_URL: " " } })).toStrictEqual({ stopped: false })
  })

  it("and upgrade leave the server of DATABASE_URL alone", async () => {
    const never = () => Promise.reject(new Error("asked for"))
    const typed = {
      env: { DATABASE_URL: "postgres://elsewhere/x" },
      installation: { embeddedUsers: never, stopEmbedded: never, upgradeEmbedded: never }
    }
    const stop = await lat.run(["db", "stop", "--yes"], typed)
    expect([stop.code, stop.err]).toStrictEqual([1, expect.stringContaining("that server is not ours to stop.")])
    const upgrade = await lat.run(["db", "upgrade"], typed)
    expect([upgrade.code, upgrade.err]).toStrictEqual([1, expect.stringContaining("not ours to upgrade.")])
  })
})

describe("lat db upgrade", () => {
  it("says what was upgraded, or that nothing was", async () => {
    expect(await lat.json(["db", "upgrade"])).toStrictEqual({ upgraded: false })
    const done = { from: 17, to: 18, kept: "/data-17", rows: { accounts: 2 } }
    const installation = { upgradeEmbedded: () => Promise.resolve(done) }
    expect(await lat.json(["db", "upgrade"], { installation })).toStrictEqual({ upgraded: true, ...done })
    expect(await lat.output(["db", "upgrade"], { installation })).toMatch(
      /^The data is of PostgreSQL 18 now, .* The data of PostgreSQL 17 is kept in \/data-17: remove it/
    )
  })
})

describe("lat db dump and load", () => {
  /** A dump of three pieces, and a load that records what it reads. */
  const dumping = () => {
    const loaded = { text: "", live: [] as Array<boolean> }
    const counts = { accounts: 1, lists: 2, things: 3 }
    const services = Layer.succeed(InstanceDump, {
      dump: (write) => Effect.as(Effect.forEach(["one\n", "two\n", "end\n"], write), counts),
      load: (next, { live }) =>
        Effect.gen(function* () {
          loaded.live.push(live)
          for (let piece = yield* next; piece !== undefined; piece = yield* next)
            loaded.text += Buffer.from(piece).toString()
          return counts
        })
    })
    return { services, loaded }
  }
  const folder = mkdtempSync(join(tmpdir(), "lat-dump-"))
  const file = join(folder, "all.dump")

  afterAll(() => rmSync(folder, { recursive: true }))

  it("write a file, with only its name on standard output for --quiet, or standard output", async () => {
    const { services } = dumping()
    const counts = "Wrote 1 account, 2 lists and 3 things"
    expect(await lat.output(["db", "dump", file], { services })).toBe(`${counts} to ${file}.`)
    expect(await lat.quiet(["db", "dump", file], { services })).toBe(file)
    expect(readFileSync(file, "utf8")).toBe("one\ntwo\nend\n")
    const piped = await lat.run(["db", "dump", "-"], { services })
    expect(piped).toStrictEqual({ code: 0, out: "one\ntwo\nend\n", err: `${counts}.\n` })
    expect(await lat.run(["db", "dump", "-", "--quiet"], { services })).toStrictEqual({ ...piped, err: "" })
    const gone = () => Promise.reject(new Error("EPIPE"))
    const cut = await lat.run(["db", "dump", "-"], { services, pour: gone })
    expect([cut.code, cut.err]).toStrictEqual([1, "lat: The reader of the dump has gone.\n"])
  })

  it("keep an existing file, and leave no other, if the dump fails or its name is taken meanwhile", async () => {
    const within = mkdtempSync(join(folder, "failing-"))
    const [kept, taken] = [join(within, "kept.dump"), join(within, "taken.dump")]
    writeFileSync(kept, "before")
    const failing = Layer.succeed(InstanceDump, {
      dump: (write) => Effect.andThen(write("one\n"), Effect.fail(new Conflict({ message: "Nothing is stored." }))),
      load: () => Effect.succeed({})
    })
    expect((await lat.run(["db", "dump", kept], { services: failing })).code).toBe(1)
    expect([readFileSync(kept, "utf8"), readdirSync(within)]).toStrictEqual(["before", ["kept.dump"]])
    const meanwhile = Layer.succeed(InstanceDump, {
      dump: (write) =>
        Effect.as(
          Effect.andThen(
            write("one\n"),
            Effect.sync(() => mkdirSync(taken))
          ),
          {}
        ),
      load: () => Effect.succeed({})
    })
    const { code, err } = await lat.run(["db", "dump", taken], { services: meanwhile })
    expect([code, err]).toStrictEqual([1, expect.stringMatching(/^lat: \S+taken\.dump cannot be written: E/)])
    expect(readdirSync(within).toSorted()).toStrictEqual(["kept.dump", "taken.dump"])
  })

  it("read a file or standard input to its end, and leave webhooks on only with --live", async () => {
    const { loaded, services } = dumping()
    const counts = "Loaded 1 account, 2 lists and 3 things from"
    writeFileSync(file, "a\nb\n")
    expect(await lat.output(["db", "load", file], { services })).toBe(`${counts} ${file}.`)
    expect(await lat.output(["db", "load", "-", "--live"], { services, input: "c\n" })).toBe(
      `${counts} standard input.`
    )
    expect(loaded).toStrictEqual({ text: "a\nb\nc\n", live: [false, true] })
    const missing = await lat.run(["db", "load", join(folder, "none")], { services })
    expect([missing.code, missing.err]).toStrictEqual([1, `lat: ${join(folder, "none")} does not exist.\n`])
  })
})

describe("the database", () => {
  it("is counted for all accounts, or for one", async () => {
    for (const text of ["a", "b"]) await lat.quiet(["thing", "add", text, "--account", "ann@example.com"])
    expect(await lat.json(["stats"])).toMatchObject({ accounts: 2, lists: 1, things: 2 })
    expect(await lat.json(["stats", "--account", "ann@example.com"])).toMatchObject({ accounts: 1, things: 2 })
    expect(await lat.json(["stats", "--account", "bob@example.com"])).toMatchObject({ accounts: 1, things: 0 })
  })

  it("is not dumped to a terminal, since the dump holds secrets", async () => {
    const { code, err } = await lat.run(["db", "dump", "-"], { outIsTerminal: true })
    expect([code, err]).toStrictEqual([1, expect.stringContaining("A dump holds secrets and is not for a terminal.")])
  })

  it("is reported as up to date by db migrate and db status", async () => {
    expect(await lat.output(["db", "migrate"])).toMatch(/^Nothing to do: the schema is at version \d+\.$/)
    expect(await lat.output(["db", "status"])).toMatch(/\nschema +version \d+, up to date\n/)
    expect(await lat.quiet(["db", "status"])).not.toBe("")
  })
})
