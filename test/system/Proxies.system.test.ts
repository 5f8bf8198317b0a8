import { type ChildProcess, execFile, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { type IncomingHttpHeaders, request as plainRequest } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setDefaultCACertificates } from "node:tls"
import { promisify } from "node:util"
import { until } from "@lists-and-things/testing/Until"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { overHttp } from "../mcp/Clients.ts"
import { type Host, openInstallation } from "../reliability/Installation.ts"
import { ownPort } from "../setup/OwnPort.ts"
import { root } from "./Release.ts"

const installation = await openInstallation(["fsync=off"])
const folder = mkdtempSync(join(tmpdir(), "lat-proxies-"))
const children: Array<ChildProcess> = []
afterAll(async () => {
  // nginx's workers end with their master, unless that is killed.
  for (const child of children) child.kill("SIGTERM")
  await until("the end of the proxies", () =>
    children.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null)
  )
  await installation.close()
  rmSync(folder, { recursive: true, force: true })
})

const deploy = (file: string): string => readFileSync(join(root, "deploy", file), "utf8")
const written = (name: string, text: string): string => {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

/** Runs a program; this process goes on meanwhile, since a database whose answer it does not read counts as silent. */
const run = promisify(execFile)

const makeCertificate = async () => {
  const [key, crt] = [join(folder, "lists.key"), join(folder, "lists.crt")]
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
  await run("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", crt, ...subject])
  setDefaultCACertificates([readFileSync(crt, "utf8")])
  return { key, crt }
}

let trusted: ReturnType<typeof makeCertificate> | undefined

/** A certificate for this machine, which this process trusts. */
const certificate = () => (trusted ??= makeCertificate())

interface Proxy {
  readonly program: string
  readonly scheme: "http" | "https"
  /** Starts the proxy with the file of `deploy/`, in which only addresses and certificates are replaced. */
  readonly start: (port: number, servers: ReadonlyArray<string>) => Promise<ChildProcess>
}

const asRoot = process.getuid?.() === 0
const inFolder = (text: string, servers: ReadonlyArray<string>): string =>
  text.replace("127.0.0.1:3000", servers[0]!).replace("127.0.0.1:3001", servers[1]!)

const nginx: Proxy = {
  program: "/usr/sbin/nginx",
  scheme: "https",
  start: async (port, servers) => {
    const { crt, key } = await certificate()
    const site = inFolder(deploy("nginx.conf"), servers)
      .replace("listen 443", `listen 127.0.0.1:${port}`)
      .replace("/etc/ssl/lists.example.com.crt", crt)
      .replace("/etc/ssl/lists.example.com.key", key)
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
      (kind) => `${kind}_temp_path ${join(folder, kind)};`
    )
    const main = `${asRoot ? "user root;\n" : ""}daemon off; pid ${join(folder, "nginx.pid")}; events {}
http { access_log off; gzip on; gzip_types *; ${temporary.join(" ")} include ${written("site.conf", site)}; }`
    const args = ["-e", "stderr", "-c", written("nginx.conf", main)]
    await run(nginx.program, ["-t", ...args])
    return spawn(nginx.program, args, { stdio: "ignore" })
  }
}

const caddy: Proxy = {
  program: "/usr/bin/caddy",
  scheme: "http",
  start: async (port, servers) => {
    // Without the administration interface, whose port another Caddy may use.
    const file = written("Caddyfile", `{\n  admin off\n}\n${deploy("Caddyfile")}`)
    const args = ["--config", file, "--adapter", "caddyfile"]
    const env = { HOME: folder, PUBLIC_URL: `http://localhost:${port}`, SERVERS: servers.join(" ") }
    await run(caddy.program, ["validate", ...args], { env })
    return spawn(caddy.program, ["run", ...args], { env, stdio: "ignore" })
  }
}

const haproxy: Proxy = {
  program: "/usr/sbin/haproxy",
  scheme: "https",
  start: async (port, servers) => {
    const { crt, key } = await certificate()
    const pem = written("lists.pem", readFileSync(crt, "utf8") + readFileSync(key, "utf8"))
    const file = inFolder(deploy("haproxy.cfg"), servers)
      .replace("bind :443", `bind 127.0.0.1:${port}`)
      .replace("/etc/haproxy/lists.pem", pem)
    const path = written("haproxy.cfg", file)
    await run(haproxy.program, ["-c", "-f", path])
    return spawn(haproxy.program, ["-db", "-f", path], { stdio: "ignore" })
  }
}

interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Makes a request from an address that no proxy has. */
const ask = (url: string, token?: string, body?: string): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = {
      "accept-encoding": "gzip",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
    }
    const send = url.startsWith("https:") ? request : plainRequest
    const method = body === undefined ? "GET" : "POST"
    const sent = send(url, { method, headers, localAddress: "127.0.0.2", family: 4 }, (response) => {
      let text = ""
      response.on("data", (chunk: Buffer) => (text += chunk.toString()))
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }))
    })
    sent.on("error", reject)
    sent.end(body)
  })

const json = <A>({ body }: Answer): A => JSON.parse(body) as A

/** Concurrent, since each proxy takes a wait of 55 seconds; the tests of one proxy run in order. */
describe.concurrent.each([
  ["nginx", nginx],
  ["caddy", caddy],
  ["haproxy", haproxy]
])("deploy/, with %s", (name, proxy) => {
  const isHere = existsSync(proxy.program)
  if (!isHere) process.stderr.write(`NOT SHOWN: the file of deploy/ for ${name}, which is not installed here\n`)
  const shown = (what: string, test: () => Promise<void>) => it(what, { skip: !isHere, concurrent: false }, test)
  let url: string
  let token: string
  let hosts: ReadonlyArray<Host>
  /** A request that waits for changes of an account without any, while other tests run. */
  let wholeWait: Promise<Answer>

  beforeAll(async () => {
    if (!isHere) return
    const port = await ownPort()
    url = `${proxy.scheme}://localhost:${port}`
    const env = { PUBLIC_URL: url, LAT_TRUSTED_PROXIES: "127.0.0.1", LAT_LOG: "debug" }
    // PUBLIC_URL determines the address that a server names.
    const ports = [await ownPort(), await ownPort()]
    hosts = await Promise.all(ports.map((each) => installation.serve({ env: { ...env, PORT: String(each) } })))
    token = (await installation.person()).token
    children.push(
      await proxy.start(
        port,
        ports.map((each) => `127.0.0.1:${each}`)
      )
    )
    await until(`an answer through ${name}`, () =>
      ask(`${url}/readyz`).then(
        ({ status }) => status === 200,
        () => false
      )
    )
    const other = await installation.person()
    const { cursor } = json<{ cursor: string }>(await ask(`${url}/api/v1/changes?cursor=now`, other.token))
    wholeWait = ask(`${url}/api/v1/changes?wait=55&cursor=${cursor}`, other.token)
  })

  shown("the servers see the client's address, and links have the public address", async () => {
    const made = await ask(`${url}/api/v1/things`, token, JSON.stringify({ text: "Rake the leaves" }))
    expect(made.status).toBe(201)
    const found = await ask(`${url}/api/v1/search?query=rake`, token)
    expect(json<{ results: ReadonlyArray<{ url: string }> }>(found).results[0]?.url).toContain(`${url}/things/`)
    const logged = () => hosts.map((host) => host.out() + host.err()).join("")
    await until("the client's address in the log", () => /\/api\/v1\/things.*127\.0\.0\.2/s.test(logged()))
  })

  shown("every answer tells browsers to use https only", async () => {
    for (const path of ["/sign-in", "/api/v1/lists", "/nothing"])
      expect((await ask(`${url}${path}`)).headers["strict-transport-security"]).toBe("max-age=31536000")
  })

  shown("entity tags stay strong, and pages are compressed by the server alone", async () => {
    const made = json<{ thing: { id: string } }>(
      await ask(`${url}/api/v1/things`, token, JSON.stringify({ text: "Prune the roses" }))
    )
    const shown = await ask(`${url}/api/v1/things/${made.thing.id}`, token)
    expect([shown.headers.etag, shown.headers["content-encoding"]]).toStrictEqual([
      expect.stringMatching(/^"/),
      undefined
    ])
    expect((await ask(`${url}/sign-in`)).headers["content-encoding"]).toBeUndefined()
  })

  shown("an upload reaches the server up to the server's own limit, and the server refuses larger ones", async () => {
    const items = (count: number) =>
      JSON.stringify({
        list: "today",
        items: Array.from({ length: count }, (_, at) => ({ text: `${at}`, note: "n".repeat(999_000) }))
      })
    expect((await ask(`${url}/api/v1/things/bulk`, token, items(10))).status).toBe(201)
    const refused = await ask(`${url}/api/v1/things/bulk`, token, items(11))
    expect([refused.status, json<{ error: string }>(refused).error]).toStrictEqual([
      413,
      expect.stringMatching(/10 MiB/)
    ])
  })

  shown("an MCP client is notified of changes while its stream is open", async () => {
    const mcp = await overHttp("present SDK, 2026-07-28", { url, token })
    const { list } = await mcp.ok("create_list", { title: "Garden" })
    const heard: Array<string> = []
    mcp.client.setNotificationHandler(
      "notifications/resources/updated",
      ({ params }: { params: { uri: string } }) => void heard.push(params.uri)
    )
    await mcp.client.listen({ resourceSubscriptions: [`list://${list.id}`] })
    await mcp.ok("create_thing", { list_id: list.id, text: "Rake" })
    await until("the notification", () => heard.includes(`list://${list.id}`))
    await mcp.close()
  })

  shown("a wait for changes is answered at a change, or else after the full 55 seconds", async () => {
    const { cursor } = json<{ cursor: string }>(await ask(`${url}/api/v1/changes?cursor=now`, token))
    const waiting = ask(`${url}/api/v1/changes?wait=55&cursor=${cursor}`, token)
    await ask(`${url}/api/v1/things`, token, JSON.stringify({ text: "Sweep" }))
    const { changes } = json<{ changes: ReadonlyArray<{ data: { text?: string } }> }>(await waiting)
    expect(changes.map(({ data }) => data.text)).toContain("Sweep")
    const whole = await wholeWait
    expect([whole.status, json<{ changes: [] }>(whole).changes]).toStrictEqual([200, []])
  })

  shown("requests are answered by one server while the other is down", async () => {
    const [first] = hosts
    first!.child.kill("SIGTERM")
    await first!.ended
    for (let n = 0; n < 4; n++) expect((await ask(`${url}/api/v1/lists`, token)).status).toBe(200)
  })
})

describe("deploy/Caddyfile", () => {
  it("names the servers of deploy/compose.postgres.yaml", () => {
    const compose = deploy("compose.postgres.yaml")
    const [, servers = ""] = /\{\$SERVERS:([^}]+)\}/.exec(deploy("Caddyfile")) ?? []
    expect(servers.split(" ")).toStrictEqual(["one:3000", "two:3000"])
    for (const server of servers.split(" ")) expect(compose).toContain(`\n  ${server.split(":")[0]}: *server\n`)
  })
})
