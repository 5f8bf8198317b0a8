import { execFileSync } from "node:child_process"

/** Sends the first message of a PostgreSQL client, and prints the answer: `R` admits it, `E` refuses it. */
const script = `
const net = require("node:net")
const [path, uid] = process.argv.slice(1)
process.setgroups([])
process.setgid(Number(uid))
process.setuid(Number(uid))
const text = Buffer.from("user\\0lat\\0database\\0postgres\\0\\0")
const head = Buffer.alloc(8)
head.writeInt32BE(text.length + 8, 0)
head.writeInt32BE(196608, 4)
const socket = net.connect({ path })
socket.on("connect", () => socket.write(Buffer.concat([head, text])))
socket.on("data", (chunk) => { process.stdout.write(chunk.toString("latin1").replaceAll("\\0", " ")); socket.destroy() })
socket.on("error", (error) => process.stdout.write(error.code))
`

/** The server's answer to another user of the machine at its socket. */
export const heardBy = (uid: number, socketDir: string): string =>
  execFileSync(process.execPath, ["-e", script, `${socketDir}/.s.PGSQL.5432`, String(uid)], { encoding: "utf8" })
