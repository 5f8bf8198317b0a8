import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import type { ChangesJson } from "@lists-and-things/domain/json/ChangeJson"
import { until } from "@lists-and-things/testing/Until"
import { ask, json } from "../reliability/Ask.ts"
import type { Host, Person } from "../reliability/Installation.ts"
import { type Entities, keyOf } from "./Exported.ts"

const program = join(import.meta.dirname, "../../examples/mirror.ts")

/** Reads a page of the feed of a person's account. */
export const readPage = async (
  { url }: Host,
  { token }: Person,
  query: Readonly<Record<string, string | number | undefined>>
): Promise<typeof ChangesJson.Type> => {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]))
  const answer = await ask(url, "GET", `/changes?${new URLSearchParams(given as Array<[string, string]>)}`, { token })
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
  return json(answer)
}

const running = new Set<ChildProcess>()

/** Kills the mirrors that tests have left running. */
export const killMirrors = async (): Promise<void> => {
  for (const child of running) child.kill("SIGKILL")
  await until("mirrors that have ended", () => running.size === 0)
}

/** Runs `examples/mirror.ts` as a process that can be killed and restarted; reads the database file that it writes. */
export const openMirror = ({ token }: Person, file: string) => {
  let own: { readonly child: ChildProcess; readonly ended: Promise<unknown> } | undefined

  const kill = async (): Promise<void> => {
    own?.child.kill("SIGKILL")
    await own?.ended
    own = undefined
  }

  /** Kills the running mirror at any point, and starts another. */
  const start = async ({ url }: Host): Promise<void> => {
    await kill()
    const env = { PATH: process.env["PATH"] ?? "", LAT_URL: url, LAT_API_KEY: token }
    const child = spawn(process.execPath, [program, file], { env, stdio: ["ignore", "ignore", "inherit"] })
    running.add(child)
    own = { child, ended: once(child, "close").finally(() => running.delete(child)) }
  }

  const select = (sql: string): ReadonlyArray<Record<string, unknown>> => {
    const database = new DatabaseSync(file, { timeout: 10_000 })
    try {
      return database.prepare(sql).all()
    } catch {
      // The mirror has not created its tables yet.
      return []
    } finally {
      database.close()
    }
  }

  const cursor = (): string | undefined => select("select cursor from feed")[0]?.["cursor"] as string | undefined

  const isUpToDate = async (host: Host, person: Person): Promise<boolean> => {
    const at = cursor()
    if (at === undefined) return false
    const { changes, has_more } = await readPage(host, person, { cursor: at, limit: 1 })
    return changes.length === 0 && !has_more
  }

  return {
    start,
    kill,
    select,
    cursor,
    exitCode: () => own?.child.exitCode,
    upToDate: (host: Host, person: Person) => until("a mirror that is up to date", () => isUpToDate(host, person)),
    entities: (): Entities =>
      new Map(
        select("select type, id, data from entities").map(({ data, id, type }) => [
          keyOf({ type: type as "thing", id: id as string }),
          JSON.parse(data as string)
        ])
      )
  }
}

/** A proxy that refuses the first and the third request, and records each request and its status. */
export const refusing = async (
  { url }: Host,
  person: Person,
  asked: Array<{ readonly path: string; readonly status: number }>
) => {
  const refusals = [429, undefined, 503]
  const server = createServer((request, response) => {
    const path = request.url ?? ""
    const refusal = refusals[asked.length]
    const answer = (status: number, text: string): void => {
      response.writeHead(status, status === 200 ? {} : { "retry-after": "1" }).end(text)
    }
    if (refusal === undefined) {
      asked.push({ path, status: 200 })
      void ask(url, "GET", path.replace("/api/v1", ""), person).then(
        ({ status, text }) => answer(status, text),
        () => response.destroy()
      )
    } else {
      asked.push({ path, status: refusal })
      answer(refusal, "{}")
    }
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
