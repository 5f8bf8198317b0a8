import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { execFileSync, spawnSync } from "node:child_process"
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { entry, type Lat, openServedLat, root } from "./Lat.ts"
import { hasTerminals, onTerminal } from "./OnTerminal.ts"

const email = "ann@example.com"
let lat: Lat
/** The home folder of a person without any settings files. */
let home: string

beforeAll(async () => {
  lat = await openServedLat()
  home = join(lat.folder, "home")
  mkdirSync(home)
})

afterAll(async () => {
  await lat.close()
})

const run = (...words: ReadonlyArray<string>) => lat.run(["setup", ...words], { env: { HOME: home } })

describe("lat setup", () => {
  it("says how to create an account if there is none", async () => {
    const { code, out } = await run()
    expect(code).toBe(0)
    expect(out).toContain(`there is no account yet: node ${root}/bin/lat.mjs account create --email you@example.com`)
    await lat.json(["account", "create", "--email", email])
  })

  it("says how to reach the site, the feed and the assistant, with a new sign-in link each time", async () => {
    const setup = () => lat.json<{ link: string; feed: string; assistant: string; data: string }>(["setup"])
    const [first, second] = [await setup(), await setup()]
    expect(first.link).toMatch(/^http:\/\/localhost:3000\/sign-in\/welcome\?link=[\w-]{43}$/)
    expect(second.link).not.toBe(first.link)
    expect(second.feed).toBe(first.feed)
    expect(first).toMatchObject({
      email,
      url: "http://localhost:3000",
      assistant: `claude mcp add lists-and-things --scope user --env LAT_DATA_DIR=${lat.env["LAT_DATA_DIR"]} -- node ${root}/bin/lat-mcp.mjs`,
      data: lat.env["LAT_DATA_DIR"]
    })
    const { err, out } = await run()
    expect(out).toContain("works once, within 60 minutes")
    expect(out).toMatch(/^ {2}Start {6}npm --prefix .* start$/m)
    expect(err).toBe("No server has run yet; this is where one answers unless it is told otherwise.\n")
  })

  it.runIf(hasTerminals)("asks on a terminal for a password until it is valid, and then makes no link", async () => {
    const terminal = onTerminal([process.execPath, entry, "setup"], { env: lat.env, cwd: lat.folder })
    const answer = async (question: string, line: string) => {
      await terminal.sees(question)
      terminal.type(`${line}\r`)
    }
    await answer("Password: ", "short")
    await answer("The same again: ", "short")
    await terminal.sees("The password must be 8 to 1024 characters long. Once more:")
    await answer("Password: ", "correct horse")
    await answer("The same again: ", "correct house")
    await terminal.sees("The two differ. Once more:")
    await answer("Password: ", "correct horse")
    await answer("The same again: ", "correct horse")
    expect(await terminal.ended).toBe(0)
    expect(terminal.screen()).toContain(`Sign in    http://localhost:3000 as ${email}`)
    expect(terminal.screen()).not.toMatch(/correct|short\r?\n/)
    expect((await lat.json<{ link: null }>(["setup"])).link).toBeNull()
  })

  it("with several accounts lists those without a password, and makes a link for that of --account", async () => {
    await lat.json(["account", "create", "--email", "bob@example.com"])
    const { out } = await run()
    expect(out).toContain("no password yet: ")
    expect(out).toContain("bob@example.com; a link: ")
    expect(out).toMatch(/lat-mcp\.mjs --account EMAIL\n.*setup --assistant NAME --account EMAIL \(/)
    const named = await lat.json<{ link: string; assistant: string }>(["setup", "--account", "bob@example.com"])
    expect(named.link).toContain("/sign-in/welcome?link=")
    expect(named.assistant).toMatch(/lat-mcp\.mjs --account bob@example\.com$/)
    const ofBob = await run("--account", "bob@example.com")
    expect(ofBob.out).toMatch(/a new link: .* setup --account bob@example\.com\n/)
    expect(ofBob.out).toContain("setup --assistant NAME --account bob@example.com (")
  })

  it("connects an assistant, and keeps the other content, a backup and the mode of its file", async () => {
    const folder = join(home, ".cursor")
    mkdirSync(folder)
    const file = join(folder, "mcp.json")
    const before = '{ "mcpServers": { "other": { "command": "x" } } }\n'
    writeFileSync(file, before, { mode: 0o640 })
    const words = ["--assistant", "cursor", "--account", email]
    const dry = await run(...words, "--dry-run")
    expect(dry.out).toContain(`Would be in ${file}:`)
    expect([readFileSync(file, "utf8"), readdirSync(folder)]).toEqual([before, ["mcp.json"]])
    const done = await run(...words)
    expect([done.code, done.err]).toEqual([0, "Start Cursor again; its settings list it under MCP.\n"])
    const { mcpServers } = JSON.parse(readFileSync(file, "utf8")) as {
      mcpServers: Record<string, { command: string; args: Array<string>; env: Record<string, string> }>
    }
    expect(mcpServers["other"]).toEqual({ command: "x" })
    const backup = readdirSync(folder).find((name) => name.endsWith(".bak"))!
    expect(readFileSync(join(folder, backup), "utf8")).toBe(before)
    expect(lstatSync(file).mode & 0o777).toBe(0o640)
    const again = await run(...words)
    expect(again.out).toBe(`Cursor is connected already: ${file}\n`)
    // The command that was written starts the MCP server.
    const { args, command, env } = mcpServers["lists-and-things"]!
    const hello = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} }
    const begin = {
      jsonrpc: "2.0",
      id: 0,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } }
    }
    const started = spawnSync(command, args, {
      cwd: "/",
      env: { PATH: "/usr/bin:/bin", ...env },
      input: [begin, { jsonrpc: "2.0", method: "notifications/initialized" }, hello]
        .map((each) => `${JSON.stringify(each)}\n`)
        .join(""),
      encoding: "utf8"
    })
    expect(started.stdout).toContain('"get_today"')
  })

  it("gives an assistant a key of its own if DATABASE_URL is set, and shows no secret", async () => {
    const other = join(lat.folder, "by address")
    const socket = join(lat.env["LAT_DATA_DIR"] ?? "", "postgres/run")
    const env = { HOME: other, DATABASE_URL: `postgres://lat:unused@localhost/postgres?host=${socket}` }
    const words = ["setup", "--assistant", "claude-desktop", "--account", email]
    const dry = await lat.run([...words, "--dry-run"], { env })
    expect(dry.out).toContain('"LAT_API_KEY": "(hidden)"')
    const keys = () => lat.json<ReadonlyArray<{ name: string }>>(["key", "list", "--account", email])
    expect(await keys()).toEqual([])
    const file = join(other, ".config", "Claude", "claude_desktop_config.json")
    const done = await lat.run([...words, "--json"], { env })
    expect(dry.out + done.out).not.toMatch(/unused|lat_\w{12}_/)
    const written = readFileSync(file, "utf8")
    expect(written).toContain(env.DATABASE_URL)
    expect(written).toMatch(/"LAT_API_KEY": "lat_\w{12}_\w{49}"/)
    expect(lstatSync(file).mode & 0o777).toBe(0o600)
    expect((await lat.run(words, { env })).out).toBe(`Claude Desktop is connected already: ${file}\n`)
    expect((await keys()).map(({ name }) => name)).toEqual(["Claude Desktop"])
  })

  it("refuses a file that cannot be parsed, with line and column, and leaves it unchanged", async () => {
    const file = join(home, ".claude.json")
    writeFileSync(file, '{\n  "a": 1,\n  oops\n}\n')
    const { code, err } = await run("--assistant", "claude-code", "--account", email)
    expect(code).toBe(1)
    expect(err).toContain(`${file}, line 3, column 3: `)
    expect(err).toContain("Nothing was changed.")
    expect(readFileSync(file, "utf8")).toBe('{\n  "a": 1,\n  oops\n}\n')
  })

  it("follows a symbolic link to a file, and keeps the link", async () => {
    const kept = join(lat.folder, "dotfiles.json")
    writeFileSync(kept, "{}")
    mkdirSync(join(home, ".config", "Code", "User"), { recursive: true })
    const file = join(home, ".config", "Code", "User", "mcp.json")
    symlinkSync(kept, file)
    expect((await run("--assistant", "vscode", "--account", email)).code).toBe(0)
    expect(lstatSync(file).isSymbolicLink()).toBe(true)
    expect(readFileSync(kept, "utf8")).toContain("lat-mcp.mjs")
  })

  it("makes a launcher that works from any folder, and says if its folder is not on PATH", async () => {
    const { code, err, out } = await run("--launcher")
    const file = join(home, ".local", "bin", "lat")
    expect([code, out]).toEqual([0, `Made: ${file}\n`])
    expect(err).toContain(`${join(home, ".local", "bin")} is not on PATH`)
    expect(execFileSync(file, ["--version"], { cwd: "/", encoding: "utf8" })).toMatch(/^\d+\.\d+\.\d+\n$/)
    const path = `${join(home, ".local", "bin")}:${lat.env["PATH"]}`
    const again = await lat.run(["setup", "--launcher"], { env: { HOME: home, PATH: path } })
    expect([again.out, again.err]).toEqual([`It is there already: ${file}\n`, "'lat' works in every folder now.\n"])
  })

  it("never replaces a program that is not one of its launchers", async () => {
    const other = join(lat.folder, "other")
    const file = join(other, ".local", "bin", "lat")
    mkdirSync(join(other, ".local", "bin"), { recursive: true })
    writeFileSync(file, "#!/bin/sh\nexec latex\n")
    const { code, err } = await lat.run(["setup", "--launcher"], { env: { HOME: other } })
    expect([code, err]).toEqual([
      1,
      `lat: ${file} is there and is not a launcher of ours: it stays as it is.\nMove it away first.\n`
    ])
    expect(readFileSync(file, "utf8")).toBe("#!/bin/sh\nexec latex\n")
  })
})
