import { spawn } from "node:child_process"
import { once } from "node:events"
import { until } from "@lists-and-things/testing/Until"
import { Effect, Redacted } from "effect"
import * as EmbeddedPostgres from "@lists-and-things/storage-pg/embedded/EmbeddedPostgres"
import pg from "pg"
import { afterAll, beforeAll, expect, it } from "@effect/vitest"
import { type Lat, openLat, root } from "../cli/Lat.ts"
import { ownPort } from "../setup/OwnPort.ts"
import { Browser } from "./Browser.ts"
import { Program } from "./Program.ts"
import { password } from "./SignInServer.ts"

/** `lat-http` on the embedded PostgreSQL with its most verbose log, and `lat` on the same data. */
let lat: Lat
let server: ReturnType<typeof spawn>
let url: string
let said = ""
const email = "ann@example.com"

const setPassword = (given: string) =>
  lat.json<{ id: string }>(["account", "set", email, "--password-stdin"], { input: `${given}\n` })

beforeAll(async () => {
  lat = await openLat()
  const port = await ownPort()
  url = `http://127.0.0.1:${port}`
  const env = { ...lat.env, PORT: String(port), PUBLIC_URL: url, LAT_LOG: "trace" }
  server = spawn(process.execPath, [`${root}/bin/lat-http.mjs`], { env, stdio: ["ignore", "pipe", "pipe"] })
  for (const stream of [server.stdout, server.stderr]) stream?.on("data", (chunk: Buffer) => (said += chunk.toString()))
  await until("a server that is ready", async () => (await fetch(`${url}/readyz`).catch(() => undefined))?.ok === true)
  await lat.json(["account", "create", "--email", email])
  await setPassword(password)
})
afterAll(async () => {
  server.kill("SIGTERM")
  await once(server, "close")
  await lat.close()
})

/** Every row of every table, as text. */
const dump = () =>
  Effect.gen(function* () {
    const { url: address } = yield* EmbeddedPostgres.connect(lat.env["LAT_DATA_DIR"] ?? "")
    return yield* Effect.promise(async () => {
      const client = new pg.Client({ connectionString: Redacted.value(address) })
      await client.connect()
      const tables = await client.query("select tablename from pg_tables where schemaname = 'public'")
      const rows: Array<string> = []
      for (const { tablename } of tables.rows as ReadonlyArray<{ tablename: string }>) {
        const found = await client.query(`select t::text as row from "${tablename}" t`)
        rows.push(...found.rows.map(({ row }: { row: string }) => `${tablename} ${row}`))
      }
      await client.end()
      return rows
    })
  }).pipe(Effect.scoped, Effect.runPromise)

/** The answer to a tool call of a `lat-mcp --http` with the same data and the same `PUBLIC_URL`. */
const besides = async (token: string) => {
  const port = await ownPort()
  const env = { ...lat.env, PUBLIC_URL: url }
  const tools = spawn(process.execPath, [`${root}/bin/lat-mcp.mjs`, "--http", "--port", String(port)], { env })
  await once(tools.stderr, "data")
  const { status } = await new Program(`http://127.0.0.1:${port}`).call(token, "list_lists")
  tools.kill("SIGTERM")
  await once(tools, "close")
  return status
}

it("signs in on PostgreSQL without secrets in log or database; a new password signs everybody out", async () => {
  const [program, browser] = [new Program(url), new Browser(url)]
  const wrong = "a wrong password that nobody may read"
  expect((await browser.signIn(email, wrong)).status).toBe(401)
  expect((await browser.signIn(email, password)).status).toBe(303)
  const clientId = await program.registered()
  const fields = await program.code(browser, email, clientId)
  const first = await program.token(fields)
  expect(first.status).toBe(200)
  const second = await program.refresh(clientId, first.body.refresh_token)
  expect((await program.call(second.body.access_token, "list_lists")).status).toBe(200)
  expect((await program.rest(second.body.access_token)).status).toBe(401)
  expect(await besides(second.body.access_token)).toBe(200)
  const unused = await program.code(browser, email, clientId)
  const account = await browser.get("/account")
  const made = await browser.post("/account/keys", account.form("/account/keys"))
  const key = /lat_\w{12}_\w{49}/.exec((await browser.get(made.location ?? "")).text)?.[0] ?? ""
  expect((await program.rest(key)).status).toBe(200)
  expect((await program.call(key, "list_lists")).status).toBe(200)
  // Puts secrets into a path, a query and refused bodies, where they do not belong.
  await fetch(`${url}/api/v1/lists?token=${key}&access_token=${first.body.access_token}`)
  await program.form("/oauth/token", { ...fields, grant_type: "other" })
  await program.register({ client_name: fields.code, redirect_uris: [second.body.refresh_token] })

  const secrets = [
    ...[
      password,
      wrong,
      key.slice(17),
      fields.code,
      unused.code,
      fields.code_verifier,
      browser.cookie?.split("=")[1] ?? ""
    ],
    ...[first, second].flatMap(({ body }) => [body.access_token as string, body.refresh_token as string])
  ]
  expect(secrets.every((secret) => secret.length > 20)).toBe(true)
  expect(said).toContain(url)
  const rows = await dump()
  expect(rows.filter((row) => row.startsWith("oauth_tokens ")).length).toBeGreaterThanOrEqual(4)
  expect(rows.some((row) => row.startsWith("sessions "))).toBe(true)
  for (const secret of secrets) {
    expect(rows.filter((row) => row.includes(secret))).toStrictEqual([])
    expect(said).not.toContain(secret)
  }

  // The replay of the code has revoked both. The person signs in again, and another process sets another password.
  expect((await program.token(fields)).body.error).toBe("invalid_grant")
  expect((await program.call(second.body.access_token, "list_lists")).status).toBe(401)
  expect((await browser.get("/account")).status).toBe(200)
  await setPassword("another good password")
  expect((await browser.get("/account")).status).toBe(303)
  expect((await browser.signIn(email, "another good password")).status).toBe(303)
  expect((await program.token(unused)).status).toBe(200)
})

it("shows the day, and completes, undoes, moves and finds things on PostgreSQL", async () => {
  await setPassword("a third good password")
  const browser = new Browser(url)
  await browser.signIn(email, "a third good password")
  const send = async (page: string, action: string, fields: Readonly<Record<string, string>>) => {
    const form = (await browser.get(page)).form(action)
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    const answer = await browser.post(action, form)
    return browser.get(answer.location ?? "/nowhere")
  }
  const added = await send("/days/2030-01-02", "/days/2030-01-02/add", { markdown: "- [ ] Rake\n  - [ ] Sweep" })
  expect(added.text).toContain('<p role="status">Added ')
  const id = /id="t-([0-9a-f-]{36})"/.exec(added.text)?.[1] ?? ""
  const ticked = await send("/days/2030-01-02", "/things/tick", { complete: id })
  expect(ticked.text).toContain("Completed “Rake”.")
  expect(ticked.text).toMatch(new RegExp(`aria-checked="true"\\s+aria-labelledby="t-${id}"`))
  const undo = /action="(\/account\/history\/[^"]+\/undo)"/.exec(ticked.text)?.[1] ?? ""
  const undone = await browser.post(undo, ticked.form(undo))
  expect((await browser.get(undone.location ?? "")).text).toContain("Undid: Completed “Rake”.")
  await send("/lists", "/lists/new", { title: "Garden" })
  const moved = await send(`/things/${id}`, `/things/${id}/move`, { list: "garden" })
  expect(moved.text).toContain("Moved 2 things (“Rake” and “Sweep”) to “Garden”.")
  const reminded = await send(`/things/${id}`, `/things/${id}/reminder`, { day: "2030-06-01", time: "09:00" })
  expect(reminded.text).toContain("<strong>once on Saturday 2030-06-01 at 09:00</strong>")
  expect((await browser.get("/reminders")).text).toContain("Rake")
  expect((await browser.get("/search?q=garden")).text).toContain("Garden")
  const starred = /name="star"\s+value="([0-9a-f-]{36})"/.exec((await browser.get("/lists")).text)?.[1] ?? ""
  await send("/lists", "/lists/star", { star: starred })
  expect((await browser.get("/lists")).text).toContain("<h2>Starred</h2>")
  expect((await browser.get("/lists/archived")).text).toContain("No list is archived.")
})
