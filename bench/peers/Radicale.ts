import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { freePort, hasEnded, stopping } from "../Processes.ts"
import { numbers, searched, type Side, textOf, wanted } from "./Side.ts"

/**
 * The command of Debian's package, whose first line names the Python that it is installed for; another may come first
 * in PATH.
 */
const command = "radicale"

export const hasRadicale = (): boolean => spawnSync(command, ["--version"]).status === 0

const todo = (uid: string, text: string, completed = false): string =>
  [
    "BEGIN:VTODO",
    `UID:${uid}`,
    "DTSTAMP:20261122T100000Z",
    `SUMMARY:${text}`,
    `STATUS:${completed ? "COMPLETED" : "NEEDS-ACTION"}`,
    ...(completed ? ["COMPLETED:20261122T110000Z"] : []),
    "END:VTODO"
  ].join("\r\n")

const calendar = (...todos: ReadonlyArray<string>): string =>
  ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//bench//EN", ...todos, "END:VCALENDAR", ""].join("\r\n")

const query = (condition: string): string => `<?xml version="1.0"?>
<c:calendar-query xmlns:d="DAV:" xmlns:c="urn:ietf:params:xml:ns:caldav">
<d:prop><d:getetag/><c:calendar-data/></d:prop>
<c:filter><c:comp-filter name="VCALENDAR"><c:comp-filter name="VTODO">${condition}</c:comp-filter></c:comp-filter></c:filter>
</c:calendar-query>`

const matching = (text: string): string =>
  `<c:prop-filter name="SUMMARY"><c:text-match>${text}</c:text-match></c:prop-filter>`

/** Sets up one user with a collection per list; a search goes through one collection with all things. */
export const setUpRadicale = async (): Promise<Side> => {
  const folder = mkdtempSync(join(tmpdir(), "lat-radicale-"))
  const port = await freePort()
  writeFileSync(join(folder, "users"), "ann:password\n")
  mkdirSync(join(folder, "data"))
  const config = [
    ["server", `hosts = 127.0.0.1:${port}`, "max_connections = 100"],
    ["auth", "type = htpasswd", `htpasswd_filename = ${join(folder, "users")}`, "htpasswd_encryption = plain"],
    ["storage", `filesystem_folder = ${join(folder, "data")}`],
    ["logging", "level = error"]
  ]
  writeFileSync(
    join(folder, "config"),
    config.map(([name, ...lines]) => [`[${name}]`, ...lines, ""].join("\n")).join("")
  )
  const child = spawn(command, ["--config", join(folder, "config")], { stdio: "ignore" })
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    await stopping(child)()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    while (
      !(await fetch(`${url}/.web/`).then(
        () => true,
        () => false
      ))
    ) {
      if (hasEnded(child)) throw new Error("Radicale ended before it was ready")
      await wait(50)
    }
    return { ...(await fill(url)), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const fill = async (url: string): Promise<Omit<Side, "stop">> => {
  const authorization = `Basic ${Buffer.from("ann:password").toString("base64")}`
  const headers = { authorization, "content-type": "text/calendar" }
  const put = async (path: string, body: string) => {
    const answer = await fetch(`${url}${path}`, { method: "PUT", headers, body })
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  }
  const makeList = (name: string, count: number) =>
    put(`/ann/${name}/`, calendar(...numbers(count).map((n) => todo(`${name}-${n}`, textOf(n)))))
  await makeList("all", searched)
  await makeList("list", 100)
  await makeList("added", 1)
  for (const n of numbers(8)) await put(`/ann/list/item-${n}.ics`, calendar(todo(`item-${n}`, textOf(n))))
  const report = (path: string, body: string, shows: number) => ({
    method: "REPORT" as const,
    path,
    requests: [{ headers: { authorization, "content-type": "application/xml", depth: "1" }, bodies: [body] }],
    shows
  })
  return {
    name: "Radicale",
    url,
    tasks: {
      "read one": { method: "GET", path: "/ann/list/item-0.ics", requests: [{ headers }], shows: 1 },
      "read a list of 100": { method: "GET", path: "/ann/list/", requests: [{ headers }], shows: 100 },
      search: report("/ann/all/", query(matching(wanted)), 1),
      add: {
        method: "PUT",
        path: "/ann/added/{n}.ics",
        requests: [{ headers, bodies: [calendar(todo("{n}", textOf("{n}")))] }],
        shows: 0
      },
      complete: {
        method: "PUT",
        path: "/",
        requests: numbers(8).map((n) => ({
          headers,
          path: `/ann/list/item-${n}.ics`,
          bodies: [true, false].map((completed) => calendar(todo(`item-${n}`, textOf(n), completed)))
        })),
        shows: 0
      }
    }
  }
}
