import { type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { errorBody } from "./ErrorResponses.ts"

/** Answers without the application and closes the connection. */
export const refuse = (response: ServerResponse, status: number, message: string): void => {
  const body = errorBody(message)
  response.shouldKeepAlive = false
  response.writeHead(status, jsonHeaders(body)).end(body)
}

const jsonHeaders = (body: string) => ({
  "content-type": "application/json",
  "content-length": String(Buffer.byteLength(body)),
  "x-content-type-options": "nosniff",
  connection: "close"
})

/** Status and message for what Node cannot parse. */
export const refusalOf = (error: NodeJS.ErrnoException): readonly [number, string] => {
  switch (error.code) {
    case "HPE_HEADER_OVERFLOW":
      return [431, "The headers of the request are larger than 16 KiB, or more than 1,000."]
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return [413, "The chunk extensions of the body are too large."]
    default:
      return [400, "The request is not valid HTTP/1.1."]
  }
}

/** Answers on a raw socket and closes it, when there is no parsed request. */
export const refuseRaw = (socket: Duplex, status: number, message: string): void => {
  socket.on("error", () => socket.destroy())
  const response = (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage
  // Node may still hold back what was written of the answer.
  if (!socket.writable || response?.headersSent === true) return void (socket as Socket).destroySoon()
  const body = errorBody(message)
  const headers = Object.entries(jsonHeaders(body)).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}\r\n${headers.join("")}\r\n${body}`)
  setTimeout(() => socket.destroy(), 1_000).unref()
}
