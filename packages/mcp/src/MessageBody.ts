/** Bytes of a request that are accepted (decisions 3). */
const maxBodyBytes = 10 * 1024 * 1024
const maxDepth = 64

export interface BadBody {
  readonly status: 400 | 413
  /** Of JSON-RPC. */
  readonly code: number
  readonly message: string
}

/** The JSON of a request: valid UTF-8, within the cap, not nested without end. */
export const readMessage = async (
  request: Request
): Promise<{ readonly ok: true; readonly body: unknown } | { readonly ok: false; readonly bad: BadBody }> => {
  const bytes = await readBytes(request)
  if (bytes === undefined) return bad(413, -32600, "The body is larger than 10 MiB.")
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    if (isTooDeep(text)) return bad(400, -32700, `The body must not nest deeper than ${maxDepth} levels.`)
    return { ok: true, body: JSON.parse(text) as unknown }
  } catch {
    return bad(400, -32700, "The body must be valid JSON in UTF-8.")
  }
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

/** One pass before the parser sees the text; brackets inside of strings do not count. */
const isTooDeep = (text: string): boolean => {
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === "[" || token === "{") depth++
    else if (token === "]" || token === "}") depth--
    if (depth > maxDepth) return true
  }
  return false
}
