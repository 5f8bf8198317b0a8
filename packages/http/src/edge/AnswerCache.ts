import { type Account, isSameAccount } from "@lists-and-things/domain/model/Account"
import type { Caller } from "@lists-and-things/domain/model/Caller"
import { todayIn } from "@lists-and-things/domain/days/Day"
import { currentTime, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { DeferredCaller } from "@lists-and-things/domain/caller/DeferredCaller"
import { Effect, Hash, Result } from "effect"
import type { HttpServerResponse } from "effect/http"
import { LRUCache } from "lru-cache"

type Response = HttpServerResponse.HttpServerResponse

/** Bytes of all answers that a process keeps; beyond that, the least recently used ones are dropped. */
const maxBytes = 16 * 1024 ** 2
/** Bytes of a body; larger ones are not cached. */
const maxBodyBytes = 64 * 1024
/** Bytes of an answer beside its body and its cache key. */
const overhead = 1024
/** The number of API keys whose last write is remembered. */
const maxWriters = 10_000

/** Slots for hashes of recent reads; a power of two. */
const maxAsked = 8192

/** An answer, and the state of the account that it shows. */
interface Kept {
  readonly response: Response
  readonly account: Account
  readonly lastWrite: number
  readonly settingsChanged: number
  /** The account's date when the read began. */
  readonly date: string
  /** Position in the order of kept answers. */
  readonly turn: number
}

/** Identifies a read by an API key. */
export interface CacheKey {
  readonly keyId: string
  /** The id of the API key and the URL, in one. */
  readonly text: string
}

/** `url` is as it was sent, with its query. */
export const cacheKeyOf = (keyId: string, url: string): CacheKey => ({ keyId, text: `${keyId} ${url}` })

/**
 * Caches answers of reads, each for the API key that asked. Every request is admitted first, which reads when the
 * account was last written to; an answer is repeated only if the account has not been written to since that answer was
 * admitted, by whichever process (docs/adr/0091-answers-given-again.md).
 */
export class AnswerCache {
  readonly #answers = new LRUCache<string, Kept>({ maxSize: maxBytes })
  /** Hashes of recent reads. An answer is kept only at the second request, since most reads are requested once. */
  readonly #asked = new Int32Array(maxAsked)
  readonly #writers = new LRUCache<string, number>({ max: maxWriters })
  /** The turn of the last kept answer; a write outdates the answers of its key up to it. */
  #turn = 0

  /**
   * Whether there is an answer that may be current: there is none if the key has written through this process since.
   */
  mayHave({ keyId, text }: CacheKey): boolean {
    const kept = this.#answers.get(text)
    return kept !== undefined && kept.turn > (this.#writers.get(keyId) ?? 0)
  }

  /** The cached answer for an admitted request; undefined if there is none, or if the account has changed since. */
  find({ text }: CacheKey, { account, stamps }: Caller["Service"]): Effect.Effect<Response | undefined> {
    const kept = this.#answers.get(text)
    if (kept === undefined) return Effect.undefined
    return Effect.map(currentTime, (now) => {
      const isCurrent =
        kept.lastWrite === stamps?.lastWrite &&
        kept.settingsChanged === stamps.settingsChanged &&
        kept.date === todayIn(account.timezone, now) &&
        isSameAccount(kept.account, account)
      if (isCurrent) return kept.response
      this.#answers.delete(text)
      return undefined
    })
  }

  /** Runs a read, and keeps its answer if it shows the state of the account at admission and was requested before. */
  keeping<R>(
    { text }: CacheKey,
    caller: DeferredCaller,
    answer: Effect.Effect<Response, never, R>
  ): Effect.Effect<Response, never, R> {
    // Taken before anything is read, so that an answer of around midnight has the earlier date and soon expires.
    return Effect.flatMap(currentTime, (now) =>
      Effect.map(answer, (response) => {
        const { decision } = caller
        if (decision !== undefined && Result.isSuccess(decision)) this.#keep(text, caller, now, response)
        return response
      })
    )
  }

  #keep(text: string, { account, stamps }: Caller["Service"], now: EpochMillis, response: Response): void {
    const { body, status } = response
    if (stamps === undefined || status !== 200 || body._tag !== "Uint8Array") return
    if (body.contentLength > maxBodyBytes) return
    if (!this.#isAskedAgain(text)) return
    this.#turn++
    const kept = { response, account, ...stamps, date: todayIn(account.timezone, now), turn: this.#turn }
    // The size of the whole buffer, since the body keeps all of it in memory.
    this.#answers.set(text, kept, { size: overhead + text.length + body.body.buffer.byteLength })
  }

  #isAskedAgain(text: string): boolean {
    const hash = Hash.string(text) | 0
    const slot = hash & (maxAsked - 1)
    const isAgain = this.#asked[slot] === hash
    this.#asked[slot] = hash
    return isAgain
  }

  /** The key is writing, so its next reads should not wait for a cached answer that cannot be current. */
  written(keyId: string): void {
    this.#writers.set(keyId, this.#turn)
  }
}
