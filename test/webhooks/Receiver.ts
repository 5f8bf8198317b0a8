import { createServer, type Socket } from "node:net"
import { once } from "node:events"
import { gzipSync } from "node:zlib"

/**
 * A receiver with the behaviour of its first argument, as a process of its own. Prints its port and then each request
 * as a line of JSON; when it reads a line, it answers. It writes HTTP by hand, since Node's server cannot misbehave.
 */

const [behaviour = "answers", argument = ""] = process.argv.slice(2)

const head = (status: number, more = "") => `HTTP/1.1 ${status} Any\r\nconnection: close\r\n${more}`
const whole = (status: number, body: string, more = "") =>
  `${head(status, more)}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`

const drip = (socket: Socket, text: string): void => {
  let at = 0
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer)
    else socket.write(text[at++ % text.length]!)
  }, 20)
}

/** Writes the same again and again, as fast as it is read, until the connection fails. */
const repeat = (socket: Socket, data: string | Buffer): void => {
  const again = (error?: Error | null) => {
    if (!error) socket.write(data, again)
  }
  again()
}

const behaviours: Readonly<Record<string, (socket: Socket) => void>> = {
  answers: (socket) => socket.end(whole(200, "ok")),
  fails: (socket) => socket.end(whole(500, "no")),
  gone: (socket) => socket.end(whole(410, "gone")),
  later: (socket) => socket.end(whole(503, "later", `retry-after: ${argument}\r\n`)),
  slow: (socket) => setTimeout(() => socket.end(whole(200, "slow")), Number(argument)),
  silent: () => {},
  "drips a head": (socket) => drip(socket, "HTTP/1.1 200 OK\r\nx: y\r\n".padEnd(2_000, "z")),
  "drips a body": (socket) => {
    socket.write(head(200, "content-length: 100000\r\n\r\n"))
    drip(socket, "body ")
  },
  floods: (socket) => {
    socket.write(head(200, "\r\n"))
    repeat(socket, Buffer.alloc(65_536, "x"))
  },
  "breaks off a body": (socket) => {
    socket.write(head(200, "content-length: 500\r\n\r\npart"))
    setTimeout(() => socket.resetAndDestroy(), 50)
  },
  "mangles a body": (socket) => socket.end(head(200, "transfer-encoding: chunked\r\n\r\n4\r\npart\r\nno size")),
  "says too much": (socket) => socket.end(head(200, "content-length: 4\r\n\r\npart and more")),
  redirects: (socket) => socket.end(whole(302, "", `location: ${argument}\r\n`)),
  resets: (socket) => socket.resetAndDestroy(),
  "switches protocols": (socket) => socket.write("HTTP/1.1 101 Any\r\nconnection: upgrade\r\nupgrade: any\r\n\r\n"),
  "continues for ever": (socket) => repeat(socket, "HTTP/1.1 100 Continue\r\n\r\n"),
  "has a huge head": (socket) => socket.end(`${head(200)}x-more: ${"y".repeat(1_000_000)}\r\n\r\n`),
  "commands terminals": (socket) => socket.end(whole(500, "\u001b[2J\u001b]0;owned\u0007\u009b31mcleared\r\u0000")),
  compresses: (socket) => {
    const packed = gzipSync(Buffer.alloc(10_000_000, "x"))
    socket.write(head(200, `content-encoding: gzip\r\ncontent-length: ${packed.length}\r\n\r\n`))
    socket.end(packed)
  },
  garbage: (socket) => socket.end("this is no HTTP\r\n\r\n")
}

const behave = behaviours[behaviour]
if (behave === undefined) throw new Error(`no such receiver: ${behaviour}`)

const untold: Array<Socket> = []
process.stdin.on("data", (lines) => {
  for (const socket of untold.splice(0, lines.length)) behave(socket)
})
process.stdin.on("end", () => process.exit())

const server = createServer((socket) => {
  let text = ""
  socket.setEncoding("utf8")
  socket.on("error", () => {})
  socket.on("data", (chunk: string) => {
    text += chunk
    const end = text.indexOf("\r\n\r\n")
    if (end < 0) return
    const lines = text.slice(0, end).split("\r\n")
    const headers = Object.fromEntries(
      lines.slice(1).map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)])
    ) as Record<string, string>
    const body = text.slice(end + 4)
    if (Buffer.byteLength(body) < Number(headers["content-length"] ?? 0)) return
    text = ""
    untold.push(socket)
    process.stdout.write(`${JSON.stringify({ request: lines[0], headers, body })}\n`)
  })
})
server.listen(0, "127.0.0.1")
await once(server, "listening")
const address = server.address()
process.stdout.write(`${typeof address === "object" ? address?.port : ""}\n`)
