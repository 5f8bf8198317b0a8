import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { NodeCrypto } from "@effect/platform-node"
import { Backup } from "@lists-and-things/domain/backup/Backup"
import { Restore } from "@lists-and-things/domain/backup/Restore"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { Operator } from "@lists-and-things/domain/model/CurrentOperation"
import type { Actor } from "@lists-and-things/domain/model/Operation"
import { catalog } from "@lists-and-things/cli/Catalog"
import type { CliServices } from "@lists-and-things/cli/CliServices"
import { main } from "@lists-and-things/cli/Main"
import { allTools } from "@lists-and-things/mcp/Toolbox"
import type { Ports } from "@lists-and-things/storage-pg/PgStorage"
import { type Context, Effect, Layer } from "effect"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { document } from "../http/AnswerSchemas.ts"
import { type Fixture, fixture, operations } from "../http/Operations.ts"
import { askOf, type Method } from "../http/TestServer.ts"
import { type Connection, overHttp } from "../mcp/Clients.ts"
import { openObservedServer } from "./ObservedServer.ts"

/**
 * Every call that changes data records an operation that says who did it and how: every operation of the interface
 * description, every tool, every command and every form. New ones must be added here.
 */

const { browser, email, key, none, one, server, tokens } = await openObservedServer()
const ask = askOf(server.url, key)
const byKey: Actor = { type: "key", id: key.split("_")[1]!, name: "" }

const described = Object.values(document.paths).flatMap((item) =>
  Object.entries(item).map(([method, of]) => ({ method: method.toUpperCase() as Method, ...of }))
)
const operationIds = described.map(({ operationId }) => operationId)
const ofChanges = "X-Operation-Id"

/** The history records neither webhooks nor keys, which are settings of an account. */
const configuring = new Set([
  "createWebhook",
  "updateWebhook",
  "deleteWebhook",
  "rotateWebhook",
  "testWebhook",
  "replayDelivery",
  "replayWebhook"
])

describe("REST", () => {
  const changing = described.filter(({ responses }) =>
    Object.values(responses).some(({ headers }) => ofChanges in (headers ?? {}))
  )

  it("declares the header for every write, and for the read that creates the list of a day", () => {
    const writes = described.filter(({ method }) => method !== "GET").map(({ operationId }) => operationId)
    const expected = [...writes.filter((id) => id !== "previewReminder" && !configuring.has(id)), "getToday"]
    expect(changing.map(({ operationId }) => operationId).toSorted()).toStrictEqual(expected.toSorted())
  })

  it.each(changing)("$operationId records an operation, and a repetition names it again", async ({ operationId }) => {
    const { good, method } = operations[operationId]!
    const on = await fixture({ ask })
    const requestId = method === "GET" ? null : `walk-${operationId}`
    const headers: Record<string, string> = requestId === null ? {} : { "idempotency-key": requestId }
    const call = () => ask(method, good.path(on), good.body?.(on), { headers })
    const { answer, operation } = await one(call, { name: operationId, surface: "rest", by: byKey, requestId })
    expect(answer.headers.get(ofChanges)).toBe(operation.id)
    const again = await none(call)
    expect(again.headers.get(ofChanges)).toBe(method === "GET" ? null : operation.id)
  })

  it("records no operation if nothing is changed", async () => {
    const { listId, thingId } = await fixture({ ask })
    const idle: ReadonlyArray<readonly [Method, string, unknown]> = [
      ["PATCH", `/lists/${listId}`, {}],
      ["PATCH", `/things/${thingId}`, {}],
      ["DELETE", "/lists/nobodys", undefined],
      ["DELETE", "/things/nobodys", undefined],
      ["DELETE", "/things/bulk", { ids: ["nobodys"] }],
      ["DELETE", "/things/nobodys/reminder", undefined],
      ["POST", "/reminders/preview", { at: "2099-02-01T08:00:00Z" }],
      ["POST", "/things", { text: "" }]
    ]
    for (const [method, path, body] of idle) {
      const answer = await none(() => ask(method, path, body))
      expect([method, path, answer.headers.get(ofChanges)]).toStrictEqual([method, path, null])
    }
  })
})

describe("tools", () => {
  /** The arguments of the tools that change something, by tool. */
  const calls: Readonly<Record<string, (on: Fixture) => object>> = {
    get_today: () => ({ date: "2026-03-01" }),
    create_list: () => ({ title: "New" }),
    import_markdown: () => ({ markdown: "# T\n\n- [ ] a\n" }),
    update_list: ({ listId }) => ({ list_id: listId, favorited: true }),
    delete_list: ({ listId }) => ({ list_id: listId }),
    create_thing: ({ listId }) => ({ list_id: listId, text: "Bread" }),
    create_things: ({ listId }) => ({ list_id: listId, items: [{ text: "a" }, { text: "b" }] }),
    append_markdown: ({ listId }) => ({ list_id: listId, markdown: "- [ ] a\n" }),
    update_thing: ({ thingId }) => ({ thing_id: thingId, text: "Soy milk" }),
    update_things: ({ thingId }) => ({ ids: [thingId], favorited: true }),
    delete_thing: ({ thingId }) => ({ thing_id: thingId }),
    delete_things: ({ thingId }) => ({ ids: [thingId] }),
    set_reminder: ({ thingId }) => ({ thing_id: thingId, at: "2099-02-01T08:00:00Z" }),
    remove_reminder: ({ thingId }) => ({ thing_id: thingId }),
    save_place: () => ({ name: "Home" }),
    undo: ({ operationId }) => ({ operation_id: operationId })
  }
  /** Operations of tools that are not in the interface description. */
  const ownNames = ["savePlace"]
  const changing = allTools.filter(({ hints }) => !hints.readOnlyHint)

  it("are all covered here, and named after the operation that does the same", () => {
    expect(changing.map(({ name }) => name).toSorted()).toStrictEqual(Object.keys(calls).toSorted())
    for (const { hints, name, operation } of allTools)
      expect([name, operation !== undefined]).toStrictEqual([name, !hints.readOnlyHint])
    expect(changing.filter(({ operation }) => ![...operationIds, ...ownNames].includes(operation!))).toStrictEqual([])
  })

  const leaves = async (connection: Connection, by: Actor, name: string) => {
    const { operation: operationId, scopes } = changing.find((tool) => tool.name === name)!
    const on = await fixture({ ask })
    const requestId = scopes.every((scope) => scope.startsWith("write:")) ? `walk-${by.type}-${name}` : null
    const args = { ...calls[name]!(on), ...(requestId === null ? {} : { request_id: requestId }) }
    const call = () => connection.ok(name, args)
    const { answer, operation } = await one(call, { name: operationId!, surface: "mcp", by, requestId })
    expect(answer.operation_id).toBe(operation.id)
    const again = await none(call)
    expect(again.operation_id).toBe(requestId === null ? undefined : operation.id)
  }

  it.each(Object.keys(calls))("%s records an operation, and a repetition names it again", async (name) => {
    const connection = await overHttp("present SDK, 2026-07-28", { url: server.url, token: key })
    await leaves(connection, byKey, name)
    await connection.close()
  })

  it("record the app that a person signed in to", async () => {
    const { access, clientId } = await tokens()
    const connection = await overHttp("present SDK, 2026-07-28", { url: server.url, token: access })
    await leaves(connection, { type: "app", id: clientId, name: "Test program" }, "create_thing")
    const { changes } = await connection.ok("list_changes", { cursor: "now", wait: 1 })
    expect(changes).toStrictEqual([])
    await connection.close()
  })

  it("name no operation if nothing is changed", async () => {
    const connection = await overHttp("present SDK, 2026-07-28", { url: server.url, token: key })
    const result = await none(() => connection.ok("delete_things", { ids: ["nobodys"] }))
    expect(Object.keys(result)).toStrictEqual(["deleted", "notice"])
    await connection.close()
  })
})

describe("commands", () => {
  // Each command adds listeners, since it usually has a process of its own.
  for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(100)
  const folder = mkdtemp(join(tmpdir(), "lat-walk-"))
  afterAll(async () => rm(await folder, { recursive: true }))
  const operator: Actor = { type: "operator", id: "ann", name: "ann" }
  const run = async (words: ReadonlyArray<string>): Promise<void> => {
    const context = (await server.run(Effect.context<never>())) as Context.Context<CliServices | Ports>
    const services = Layer.mergeAll(Backup.layer, Restore.layer, Layer.succeed(Operator, operator)).pipe(
      Layer.provideMerge(Layer.succeedContext(context)),
      Layer.provide(NodeCrypto.layer)
    )
    const missing = () => Promise.reject(new Error("No command of this test needs it"))
    const code = await main(words, {
      programs: { root: "/nowhere", node: "node", isCheckout: false },
      environment: {},
      services: async () => services,
      settings: missing,
      embedded: missing,
      upgradeEmbedded: missing,
      embeddedUsers: missing,
      stopEmbedded: missing
    })
    expect([words, code]).toStrictEqual([words, 0])
  }
  const mine = ["--account", email]
  const exported = async () => {
    const out = join(await folder, "backup")
    const other = await server.person()
    await run(["list", "create", "Kept", "--account", other.email])
    await run(["export", "--account", other.email, "--out", out])
    await server.run(Effect.flatMap(Accounts, (accounts) => accounts.remove(other.id)))
    return join(out, `${other.email}.json`)
  }
  const document = async () => {
    const file = join(await folder, "list.md")
    await writeFile(file, "# From a file\n\n- [ ] a\n")
    return file
  }

  /** The command lines of the commands that change something. */
  const changing: Readonly<Record<string, (on: Fixture) => ReadonlyArray<string> | Promise<ReadonlyArray<string>>>> = {
    "account set": () => ["account", "set", email, "--default-alert-minutes", "7"],
    today: () => ["today", "--date", "2026-04-01", ...mine],
    "list show": () => ["list", "show", "2026-04-02", ...mine],
    "list create": () => ["list", "create", "New", ...mine],
    "list edit": ({ listId }) => ["list", "edit", listId, "--title", "Renamed", ...mine],
    "list archive": ({ listId }) => ["list", "archive", listId, ...mine],
    "list delete": ({ listId }) => ["list", "delete", listId, "--yes", ...mine],
    "thing add": ({ listId }) => ["thing", "add", "Bread", "--list", listId, ...mine],
    "thing done": ({ thingId }) => ["thing", "done", thingId, ...mine],
    "thing cancel": ({ thingId }) => ["thing", "cancel", thingId, ...mine],
    "thing reopen": async ({ thingId }) => {
      await run(["thing", "done", thingId, ...mine])
      return ["thing", "reopen", thingId, ...mine]
    },
    "thing edit": ({ thingId }) => ["thing", "edit", thingId, "--text", "Another", ...mine],
    remind: ({ thingId }) => ["remind", thingId, "tomorrow", "9:00", ...mine],
    "thing move": ({ listId, thingId }) => ["thing", "move", thingId, "--to", listId, ...mine],
    undo: ({ operationId }) => ["undo", operationId, "--yes", ...mine],
    "thing delete": ({ thingId }) => ["thing", "delete", thingId, "--yes", ...mine],
    "thing rm": ({ thingId }) => ["thing", "rm", thingId, "--yes", ...mine],
    import: async () => ["import", await document(), ...mine],
    restore: async () => ["restore", await exported(), "--merge", ...mine]
  }
  /** Operations of commands that are not in the interface description. */
  const ownNames = ["updateAccount", "restoreAccount"]
  /** Commands that change no list, thing, reminder, place or setting; deleting an account deletes its history. */
  const others =
    "account create, account list, account show, account link, account feed, account revoke, account delete, key create, key list, key revoke, list list, list ls, thing list, thing show, search, tags, reminders, history, history show, history erase, changes, webhook create, webhook list, webhook show, webhook set, webhook rotate, webhook test, webhook log, webhook replay, webhook delete, export, db status, db migrate, db dump, db load, db distribute, db upgrade, db stop, setup, stats, config, doctor, completion, help, complete-words".split(
      ", "
    )

  it("are all covered here, and named after the operation that does the same", () => {
    const named = catalog.map(({ path }) => path.join(" "))
    expect(named.toSorted()).toStrictEqual([...Object.keys(changing), ...others].toSorted())
    for (const { operation, path } of catalog) {
      const known = operation !== undefined && [...operationIds, ...ownNames].includes(operation)
      expect([path, known]).toStrictEqual([path, path.join(" ") in changing])
    }
  })

  it.each(Object.keys(changing))("lat %s records an operation", async (name) => {
    const words = await changing[name]!(await fixture({ ask }))
    const operation = catalog.find(({ path }) => path.join(" ") === name)!.operation!
    await one(() => run(words), { name: operation, surface: "cli", by: operator, requestId: null })
  })
})

describe("pages", () => {
  it("record an operation if a person changes settings", async () => {
    const page = await browser.get("/account")
    const fields = page.form("/account/settings")
    const settings = { timezone: "Europe/Rome", default_thing_type: "todo", default_list_sort: "chronological" }
    for (const [name, value] of Object.entries(settings)) fields.set(name, value)
    const session: Actor = { type: "session", id: expect.stringMatching(/^[0-9a-f]{16}$/), name: "Browser session" }
    const { answer } = await one(() => browser.post("/account/settings", fields), {
      name: "updateAccount",
      surface: "web",
      by: session,
      requestId: null
    })
    expect(answer.location).toContain("/account?saved")
  })

  it("record an operation if a person undoes one", async () => {
    const { operationId } = await fixture({ ask })
    const page = await browser.get(`/account/history/${operationId}`)
    const path = `/account/history/${operationId}/undo`
    const session: Actor = { type: "session", id: expect.stringMatching(/^[0-9a-f]{16}$/), name: "Browser session" }
    const expected = { name: "undoOperation", surface: "web", by: session, requestId: null } as const
    await one(() => browser.post(path, page.form(path)), expected)
  })
})
