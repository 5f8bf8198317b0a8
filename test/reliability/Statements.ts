import type { Inspector, Verdict } from "./FaultProxy.ts"

/** The SQL of one statement and how many were sent before it, decided on before it reaches the server. */
export type Judge = (sql: string) => Fault | undefined

/** Cut before or after the server has it, or refused with an SQLSTATE in its place. */
export type Fault = "cut-before" | "cut-after" | { readonly state: string }

const severity = (state: string) => (/^(08|57P)/.test(state) ? "FATAL" : "ERROR")

/** ErrorResponse, and that the next statement may come. */
const refusal = (state: string, inTransaction: boolean): Buffer => {
  const fields = `S${severity(state)}\0V${severity(state)}\0C${state}\0Mrefused by the test\0\0`
  const error = Buffer.alloc(5 + Buffer.byteLength(fields))
  error.write("E")
  error.writeInt32BE(4 + Buffer.byteLength(fields), 1)
  error.write(fields, 5)
  const ready = Buffer.from([0x5a, 0, 0, 0, 5, inTransaction ? 0x45 : 0x49])
  return Buffer.concat([error, ready])
}

const textAt = (bytes: Buffer, from: number): string => bytes.toString("utf8", from, bytes.indexOf(0, from))

/** The messages of PostgreSQL's protocol, gathered up to each Sync: one statement with its parameters. */
export const statements = (judge: Judge): (() => Inspector) => {
  return () => {
    const prepared = new Map<string, string>()
    let [rest, group, sql, greeted, inTransaction] = [Buffer.alloc(0), Buffer.alloc(0), "", false, false]

    const verdict = (): Verdict => {
      const fault = sql === "" ? undefined : judge(sql)
      if (/^(commit|rollback)/i.test(sql)) inTransaction = false
      if (fault === undefined || typeof fault === "string") {
        if (/^begin/i.test(sql)) inTransaction = true
        return fault ?? "pass"
      }
      return { answer: refusal(fault.state, inTransaction) }
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
