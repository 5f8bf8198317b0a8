import type { Inspector, Verdict } from "./FaultProxy.ts"

/** Decides on a statement before it reaches the server. */
export type Judge = (sql: string) => Fault | undefined

/** The connection is cut before or after the server gets the statement, or the statement fails with an SQLSTATE. */
export type Fault = "cut-before" | "cut-after" | { readonly state: string }

/**
 * Replaces a statement by one that fails in the server, so that the error comes in order and aborts the open
 * transaction.
 */
const failing = (state: string): Buffer => {
  const body =
    state === "57P01"
      ? "perform pg_terminate_backend(pg_backend_pid()); perform pg_sleep(5);"
      : `raise exception using errcode = '${state}', message = 'refused by the test';`
  const sql = `do $$ begin ${body} end $$\0`
  const message = Buffer.alloc(5)
  message.write("Q")
  message.writeInt32BE(4 + Buffer.byteLength(sql), 1)
  return Buffer.concat([message, Buffer.from(sql)])
}

const textAt = (bytes: Buffer, from: number): string => bytes.toString("utf8", from, bytes.indexOf(0, from))

/** The messages of PostgreSQL's protocol, gathered up to each Sync: one statement with its parameters. */
export const statements = (judge: Judge): (() => Inspector) => {
  return () => {
    const prepared = new Map<string, string>()
    let [rest, group, sql, greeted] = [Buffer.alloc(0), Buffer.alloc(0), "", false]

    const verdict = (): Verdict => {
      const fault = sql === "" ? undefined : judge(sql)
      if (fault === undefined || typeof fault === "string") return fault ?? "pass"
      return { instead: failing(fault.state) }
    }

    return (bytes) => {
      rest = Buffer.concat([rest, bytes])
      const pieces: Array<{ readonly bytes: Buffer; readonly verdict: Verdict }> = []
      while (rest.length >= (greeted ? 5 : 4)) {
        const length = greeted ? rest.readInt32BE(1) + 1 : rest.readInt32BE(0)
        if (rest.length < length) break
        const message = rest.subarray(0, length)
        rest = rest.subarray(length)
        const type = greeted ? String.fromCharCode(message[0]!) : ""
        if (!greeted) {
          greeted = true
          pieces.push({ bytes: message, verdict: "pass" })
          continue
        }
        if (type === "P") {
          const name = textAt(message, 5)
          prepared.set(name, textAt(message, 5 + Buffer.byteLength(name) + 1))
        }
        if (type === "Q") sql = textAt(message, 5)
        if (type === "B") {
          const portal = textAt(message, 5)
          sql = prepared.get(textAt(message, 5 + Buffer.byteLength(portal) + 1)) ?? ""
        }
        group = Buffer.concat([group, message])
        if (!"QSpX".includes(type)) continue
        pieces.push({ bytes: group, verdict: verdict() })
        group = Buffer.alloc(0)
        sql = ""
      }
      return pieces
    }
  }
}
