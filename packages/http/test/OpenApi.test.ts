import { execFile } from "node:child_process"
import { cp, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import { scopes } from "@lists-and-things/domain/model/Scope"
import { llmsText } from "../src/docs/LlmsText.ts"
import { openApiDocument } from "../src/docs/OpenApiDocument.ts"

const run = promisify(execFile)
const root = join(import.meta.dirname, "../../..")
const bin = (name: string) => join(root, "node_modules/.bin", name)

/** A document whose parts are examined by different tests. */
// oxlint-disable-next-line typescript/no-explicit-any
type Json = Record<string, any>
const document = openApiDocument("http://localhost:3000") as Json
const operations = Object.entries(document["paths"] as Record<string, Record<string, Json>>).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    method,
    path,
    operation,
    name: String(operation["operationId"])
  }))
)

const contract =
  `GET /lists, POST /lists, POST /lists/import, GET /lists/{id}, GET /today, PATCH /lists/{id}, DELETE /lists/{id},
GET /things, POST /things, POST /things/bulk, PATCH /things/bulk, DELETE /things/bulk, POST /things/markdown, GET /things/{id},
PATCH /things/{id}, DELETE /things/{id}, PUT /things/{id}/reminder, DELETE /things/{id}/reminder, GET /reminders, GET /search,
GET /fetch, GET /tags`.split(/,\s+/)

describe("the interface description", () => {
  it("is OpenAPI 3.1 of version 1.0.0 at the API base, with a bearer key", () => {
    expect(document["openapi"]).toBe("3.1.0")
    expect(document["info"].version).toBe("1.0.0")
    expect(document["servers"]).toStrictEqual([{ url: "http://localhost:3000/api/v1" }])
    expect(document["components"].securitySchemes.bearer).toMatchObject({ type: "http", scheme: "bearer" })
  })

  it("has every operation of the contract", () => {
    const described = new Set(operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`))
    expect(contract.filter((each) => !described.has(each))).toStrictEqual([])
    expect(new Set(operations.map(({ name }) => name)).size).toBe(operations.length)
  })

  it("names no operation like a global function, which generated clients would shadow", () => {
    expect(operations.map(({ name }) => name).filter((name) => name in globalThis)).toStrictEqual([])
  })

  it.each(operations)("describes $name completely", ({ method, operation }) => {
    expect(operation["summary"]).not.toBe("")
    expect(operation["tags"]).toHaveLength(1)
    for (const scope of operation["x-required-scope"].split(" ")) {
      expect(scopes).toContain(scope)
      expect(operation["description"]).toContain(scope)
    }
    expect(operation["security"]).toStrictEqual([{ bearer: [] }])
    const statuses = Object.keys(operation["responses"])
    expect(statuses).toStrictEqual(expect.arrayContaining(["400", "401", "403", "429", "500", "503"]))
    if (method !== "get") expect(statuses).toStrictEqual(expect.arrayContaining(["413", "422"]))
    for (const parameter of operation["parameters"]) {
      expect(parameter.$ref ?? parameter.description).toBeTruthy()
      expect(parameter.$ref ?? parameter.schema.type).toBeTruthy()
    }
    for (const [status, response] of Object.entries<Json>(operation["responses"])) {
      const hasLimits = "X-RateLimit-Limit" in response["headers"]
      expect([status, hasLimits]).toStrictEqual([status, status !== "401" && status !== "403"])
      expect([status, "Retry-After" in response["headers"]]).toStrictEqual([
        status,
        status === "429" || status === "503"
      ])
    }
  })

  it.each(operations)("shows examples of $name that its own schemas accept", ({ operation }) => {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: "api", components: document["components"] })
    const contents = [operation["requestBody"], ...Object.values<Json>(operation["responses"])].flatMap((body) =>
      Object.values<Json>(body?.content ?? {})
    )
    expect(contents.length).toBeGreaterThan(5)
    for (const { example, schema } of contents) {
      expect(example).toBeDefined()
      const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')))
      expect(validate(example) ? [] : validate.errors).toStrictEqual([])
    }
  })

  it("describes an Idempotency-Key that the server accepts", () => {
    const { IdempotencyKey } = document["components"].parameters
    const validate = new Ajv2020().compile(IdempotencyKey.schema)
    const keys = [IdempotencyKey.example, "!~", "k".repeat(255), "", "k".repeat(256), "a b", "é", "a\n"]
    expect(keys.map((key) => validate(key))).toStrictEqual([true, true, true, false, false, false, false, false])
  })

  it("describes every field of every object, nested ones included, in the declaring schema", () => {
    const missing: Array<string> = []
    const look = (path: string, schema: Json): void => {
      for (const [name, field] of Object.entries<Json>(schema["properties"] ?? {})) {
        if (field["$ref"] === undefined && (field["description"] ?? "") === "") missing.push(`${path}.${name}`)
        look(`${path}.${name}`, field)
      }
      for (const part of [schema["items"], ...(schema["anyOf"] ?? []), ...(schema["allOf"] ?? [])])
        if (part !== undefined) look(path, part)
    }
    for (const [name, schema] of Object.entries<Json>(document["components"].schemas)) look(name, schema)
    look("DryRun", document["x-dry-run"].schema)
    expect(missing).toStrictEqual([])
    const { BulkCreated, BulkDeleted, Tags } = document["components"].schemas
    expect(BulkCreated.properties.created.description).toBe("How many things were added.")
    expect(BulkDeleted.properties.deleted.minimum).toBe(0)
    expect(Tags.properties.tags.description).toBe("Most used first.")
    expect(JSON.stringify(document)).not.toContain(String(Number.MAX_SAFE_INTEGER))
  })

  it("marks fields that a write ignores as readOnly, but not the id by which a reminder continues", () => {
    const { SetReminderInput, UpdateThingInput } = document["components"].schemas
    const ignored = ({ properties }: Json) =>
      Object.keys(properties).filter((name) => properties[name].readOnly === true)
    expect(ignored(SetReminderInput)).toStrictEqual(["place", "thing_id", "list_id", "text", "summary"])
    expect(ignored(UpdateThingInput)).toContain("id")
  })

  it("declares the items of every array, and tuples in the one form that all generators understand", () => {
    const without: Array<string> = []
    const look = (path: string, value: unknown): void => {
      if (typeof value !== "object" || value === null) return
      if ("type" in value && value.type === "array" && (!("items" in value) || "prefixItems" in value))
        without.push(path)
      for (const [name, inner] of Object.entries(value)) look(`${path}/${name}`, inner)
    }
    look("#", document)
    expect(without).toStrictEqual([])
  })

  it("states which titles and colors are refused, so that generated clients refuse them too", () => {
    const { CreateListInput, SetReminderInput } = document["components"].schemas
    const takes = (schema: Json, value: string) => new Ajv2020({ strict: false }).validate(schema, value)
    const titled = (title: string) => takes(CreateListInput.properties.title, title)
    const colored = (color: string) => takes(SetReminderInput.properties.color, color)
    expect(["", " ", "\u00a0\n"].filter(titled)).toStrictEqual([])
    expect(["x", " x", "\n…"].filter((title) => !titled(title))).toStrictEqual([])
    expect(["red", "#12", "#1234", "3366cc", "#3366cc\n"].filter(colored)).toStrictEqual([])
    expect(["", "#ABC", "#3366cc", "#3366CC"].filter((color) => !colored(color))).toStrictEqual([])
  })

  it("describes nested fields in llms.txt too", () => {
    const text = llmsText(document, "http://localhost:3000")
    for (const line of [
      '- by.type: "key" | "app" | "session" | "operator", required. An API key,',
      "- by_list[].created: integer, required, from 0. How many things were added to it.",
      "- items[].tabs: integer, from 0, to 1000. The indent level:",
      "- set.completed: boolean. Whether it is done.",
      '- changes[type "thing"].data.position: [integer, integer], required',
      '- place.trigger: "arrive" | "leave", required',
      '- entities[].change: "created" | "updated" | "deleted", required.'
    ])
      expect(text).toContain(line)
    expect(text).not.toMatch(/: (any|object)\n/)
  })

  it("uses the server's own address in its examples", () => {
    const elsewhere = openApiDocument("https://lists.acme.org") as Json
    expect(llmsText(elsewhere, "https://lists.acme.org")).toContain('"url":"https://lists.acme.org/things/')
    expect(JSON.stringify(elsewhere)).not.toContain("localhost")
  })

  it("says in llms.txt what a receiver of webhooks must know", () => {
    const text = llmsText(document, "http://localhost:3000")
    for (const header of ["webhook-id", "webhook-timestamp", "webhook-signature"])
      expect(text).toContain(`\`${header}\``)
    const [, reminderDue = ""] = /^reminder\.due, .* such as (\{.*)$/m.exec(text) ?? []
    const [, operation = ""] = /^operation, .* such as (\{.*)$/m.exec(text) ?? []
    expect(JSON.parse(reminderDue)).toMatchObject({
      type: "reminder.due",
      data: {
        thing: { text: "Oat **milk**, two litres" },
        due_at: "2026-11-23T09:00:00.000Z",
        alert: null,
        late_by_seconds: 0
      }
    })
    expect(JSON.parse(operation)).toMatchObject({
      type: "operation",
      data: { truncated: false, entities: [{ type: "thing" }] }
    })
  })

  it("states the caps of the contract", () => {
    const schemas = document["components"].schemas as Record<string, Json>
    expect(schemas["CreateListInput"]!["properties"].things.maxItems).toBe(500)
    expect(schemas["BulkCreateInput"]!["properties"].items.maxItems).toBe(500)
    expect(schemas["BulkDeleteInput"]!["properties"].ids.maxItems).toBe(500)
    expect(schemas["CreateThingInput"]!["properties"].photos.maxItems).toBe(10)
    expect(schemas["CreateThingInput"]!["properties"].text.maxLength).toBe(10_000)
  })
})

describe("tools that read the interface description", () => {
  let folder = ""
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "lat-openapi-"))
    await writeFile(join(folder, "openapi.json"), JSON.stringify(openApiDocument("https://lists.acme.org")))
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it("passes the linter's recommended rules", async () => {
    const { stderr } = await run(
      bin("redocly"),
      ["lint", "openapi.json", "--extends=recommended", "--max-problems=50"],
      {
        cwd: folder,
        env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
      }
    )
    expect(stderr).toContain("Your API description is valid")
    expect(stderr).not.toMatch(/\d (error|warning)/)
  })

  it("generates a client that a program type-checks against", async () => {
    await run(bin("openapi-typescript"), ["openapi.json", "-o", "contract.d.mts"], { cwd: folder })
    await cp(join(import.meta.dirname, "client-sample/sample.mts"), join(folder, "sample.mts"))
    await symlink(join(root, "node_modules"), join(folder, "node_modules"))
    const options = [
      "--noEmit",
      "--strict",
      "--exactOptionalPropertyTypes",
      "--skipLibCheck",
      "--module",
      "nodenext",
      "--target",
      "es2024"
    ]
    const checked = await run(bin("tsc"), ["--ignoreConfig", ...options, "sample.mts"], { cwd: folder }).catch(
      (error: { stdout: string }) => error
    )
    expect(checked.stdout).toBe("")
  })
})
