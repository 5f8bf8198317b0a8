import { Agent, request } from "node:http"

/** Opens as many connections as there are concurrent requests. */
const agent = new Agent({ keepAlive: true, maxSockets: Infinity })

/** Closes the idle connections. */
export const closeIdle = (): void => {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy()
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly text: string
}

export interface Asked {
  readonly token?: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** Makes one request; fails if the connection ends without a complete answer. */
export const ask = (url: string, method: string, path: string, asked: Asked = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const body = asked.body === undefined ? undefined : JSON.stringify(asked.body)
    const headers = {
      ...(asked.token === undefined ? {} : { authorization: `Bearer ${asked.token}` }),
      ...(body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
      ...asked.headers
    }
    const address = path.startsWith("//") ? `${url}${path.slice(1)}` : `${url}/api/v1${path}`
    const sent = request(address, { method, headers, agent }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("error", reject)
      response.on("end", () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString("utf8")
        })
      )
    })
    sent.on("error", reject)
    sent.end(body)
  })

export const json = <A>(answer: Answer): A => JSON.parse(answer.text) as A
