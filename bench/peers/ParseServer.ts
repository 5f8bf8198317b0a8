import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import pg from "pg"
import { freePort, hasEnded, stopping } from "../Processes.ts"
import { numbers, searched, type Side, textOf, wanted } from "./Side.ts"

const version = "9.10.0"
const folder = join(tmpdir(), "lists-and-things-peers", `parse-server-${version}`)

/** Installs parse-server into a temporary folder, since it is not a dependency of the product. */
export const installParseServer = (): void => {
  mkdirSync(folder, { recursive: true })
  const args = ["install", "--prefix", folder, "--no-audit", "--no-fund", "--omit=optional", `parse-server@${version}`]
  execFileSync("npm", args, { stdio: "ignore" })
}

export const hasParseServer = (): boolean => existsSync(join(folder, "node_modules", "parse-server"))

const application = { "x-parse-application-id": "bench", "content-type": "application/json" }

interface Made {
  readonly objectId: string
}

interface User extends Made {
  readonly sessionToken: string
}

/**
 * Sets up one user, whose objects only that user can read and write. The queried columns get the indexes that a
 * developer would add.
 */
export const setUpParseServer = async (databaseUrl: string): Promise<Side> => {
  const port = await freePort()
  const child = spawn(process.execPath, [fileURLToPath(new URL("./parse-server.mjs", import.meta.url))], {
    env: { ...process.env, DATABASE_URL: databaseUrl, PORT: String(port), PARSE_FOLDER: folder },
    // Its logs go to the folder that it runs in.
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"]
  })
  const stop = stopping(child)
  const url = `http://127.0.0.1:${port}`
  try {
    while (
      !(await fetch(`${url}/parse/health`).then(
        ({ ok }) => ok,
        () => false
      ))
    ) {
      if (hasEnded(child)) throw new Error("parse-server ended before it was ready")
      await wait(50)
    }
    return { ...(await fill(url, databaseUrl)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const fill = async (url: string, databaseUrl: string): Promise<Omit<Side, "stop">> => {
  const post = async <A>(path: string, body: object, headers: Readonly<Record<string, string>> = application) => {
    const answer = await fetch(`${url}/parse${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as A
  }
  const user = await post<User>("/users", { username: "ann", password: "a long password" })
  const headers = { ...application, "x-parse-session-token": user.sessionToken }
  const ACL = { [user.objectId]: { read: true, write: true } }
  const pointer = (objectId: string) => ({ __type: "Pointer", className: "List", objectId })
  const makeList = async (texts: ReadonlyArray<string>) => {
    const list = await post<Made>("/classes/List", { title: "Errands", ACL }, headers)
    const made: Array<string> = []
    for (let first = 0; first < texts.length; first += 20) {
      const some = texts
        .slice(first, first + 20)
        .map((text, n) =>
          post<Made>(
            "/classes/Thing",
            { text, completed: false, rank: first + n, list: pointer(list.objectId), ACL },
            headers
          )
        )
      made.push(...(await Promise.all(some)).map(({ objectId }) => objectId))
    }
    return { id: list.objectId, things: made }
  }
  for (let first = 0; first < searched; first += 100) await makeList(numbers(100).map((n) => textOf(first + n)))
  const list = await makeList(numbers(100).map(textOf))
  const added = await makeList([textOf(0)])
  await indexed(databaseUrl)
  const find = (query: object) => `/parse/classes/Thing?${new URLSearchParams({ ...query })}`
  const get = (path: string, shows: number) => ({ method: "GET" as const, path, requests: [{ headers }], shows })
  return {
    name: "parse-server",
    url,
    tasks: {
      "read one": get(`/parse/classes/Thing/${list.things[0]}`, 1),
      "read a list of 100": get(
        find({ where: JSON.stringify({ list: pointer(list.id) }), order: "rank", limit: "100" }),
        100
      ),
      search: get(find({ where: JSON.stringify({ text: { $regex: wanted, $options: "i" } }), limit: "50" }), 1),
      add: {
        method: "POST",
        path: "/parse/classes/Thing",
        requests: [
          {
            headers,
            bodies: [JSON.stringify({ text: textOf("{n}"), completed: false, rank: 1, list: pointer(added.id), ACL })]
          }
        ],
        shows: 0
      },
      complete: {
        method: "PUT",
        path: "/",
        requests: list.things.slice(0, 8).map((id) => ({
          headers,
          path: `/parse/classes/Thing/${id}`,
          bodies: [true, false].map((completed) => JSON.stringify({ completed }))
        })),
        shows: 0
      }
    }
  }
}

const indexed = async (databaseUrl: string): Promise<void> => {
  const client = new pg.Client(databaseUrl)
  await client.connect()
  await client.query(`create index on "Thing" ("list", "rank")`)
  await client.query(`create extension if not exists pg_trgm`)
  await client.query(`create index on "Thing" using gin ("text" gin_trgm_ops)`)
  await client.query(`analyze "Thing"`)
  await client.end()
}
