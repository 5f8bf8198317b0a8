import { Effect, Result } from "effect"
import { parseJsonBytes } from "@lists-and-things/domain/json/JsonText"

/** Largest request body in bytes, inclusive (docs/decisions.md#caps). */
const maxBodyBytes = 10 * 1024 * 1024

export interface BadBody {
  readonly status: 400 | 413
  /** Error code of JSON-RPC. */
  readonly code: number
  readonly message: string
}

/** Parses a request's JSON within the cap and the REST API's limits of depth and size. Tools check strings. */
export const readMessage = async (
  request: Request
): Promise<{ readonly ok: true; readonly body: unknown } | { readonly ok: false; readonly bad: BadBody }> => {
  const bytes = await readBytes(request)
  if (bytes === undefined) return bad(413, -32600, "The body is larger than 10 MiB.")
  const parsed = Effect.runSync(Effect.result(parseJsonBytes(bytes, { anyString: true })))
  return Result.isSuccess(parsed) ? { ok: true, body: parsed.success } : bad(400, -32700, `${parsed.failure.message}.`)
}

const bad = (status: 400 | 413, code: number, message: string) =>
  ({ ok: false, bad: { status, code, message } }) as const

const readBytes = async (request: Request): Promise<Uint8Array | undefined> => {
  if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) return undefined
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBodyBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
