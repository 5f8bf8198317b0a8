/** Bytes at each end of a line that are kept. */
const endBytes = 512

const id = /"id"\s*:\s*("(?:[^"\\]|\\.)*"|-?\d{1,15})/.source
const version = /"jsonrpc"\s*:\s*"2\.0"/.source
/** An id before the parameters, of a request: answers have no method. */
const early = new RegExp(
  String.raw`^\s*\{\s*(?:(?:${version}|"method"\s*:\s*"[^"\\]*")\s*,\s*)*${id}\s*,\s*(?:${version}\s*,\s*)?"(?:method|params)"`
)
/** The beginning of a request whose id may follow its parameters. */
const request = new RegExp(String.raw`^\s*\{\s*(?:${version}\s*,\s*)?"(?:method|params)"`)
/** An id behind the parameters. Quotation marks within a string would be escaped, so this is a field of the message. */
const late = new RegExp(String.raw`,\s*${id}\s*(?:,\s*${version}\s*)?\}\s*$`)

/** The two ends of a line, of which the middle is not kept, for the id of a request that is too long to be parsed. */
export class LineEnds {
  #first: Uint8Array = new Uint8Array()
  #last: Uint8Array = new Uint8Array()

  add(chunk: Uint8Array): void {
    const missing = endBytes - this.#first.length
    if (missing > 0) this.#first = joined(this.#first, chunk.subarray(0, missing))
    this.#last = chunk.length >= endBytes ? chunk.subarray(-endBytes) : joined(this.#last, chunk).subarray(-endBytes)
  }

  /** The id, if the line is a request with it before or behind its parameters; otherwise null. */
  requestId(): string | number | null {
    const [start, end] = [this.#first, this.#last].map((bytes) => Buffer.from(bytes).toString("utf8")) as [
      string,
      string
    ]
    const found = early.exec(start)?.[1] ?? (request.test(start) ? late.exec(end)?.[1] : undefined)
    return found === undefined ? null : valueOf(found)
  }
}

const joined = (before: Uint8Array, chunk: Uint8Array): Uint8Array =>
  before.length === 0 ? chunk : Buffer.concat([before, chunk])

const valueOf = (json: string): string | number | null => {
  try {
    return JSON.parse(json) as string | number
  } catch {
    return null
  }
}
