import { Schema } from "effect"
import { enumerated } from "../text/Wording.ts"
import type { Thing } from "./Thing.ts"

/**
 * The errors of use cases. They are independent of HTTP, MCP and exit codes: each host maps them in one exhaustive
 * table, so a new error fails to compile until every host handles it.
 */

const idKinds = ["list", "thing", "place", "reminder"] as const
export type IdKind = (typeof idKinds)[number]

/**
 * What a client should do next, for hosts that give advice, so that none has to parse a message. `read`: follow the
 * message. `rewrite`: send the value in the form that the message gives. `find-list`: find the list that was meant.
 */
const remedies = ["read", "rewrite", "find-list"] as const

/** The caller owns nothing with this id or name. Foreign, deleted and malformed ids are indistinguishable. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  /** One sentence for the client; never reveals whether someone else owns the id. */
  message: Schema.String,
  /** The kind of the caller's own item that the id does name. */
  found: Schema.optionalKey(Schema.Literals(idKinds)),
  /** The request's field with the id or name, where it is in a body. */
  field: Schema.optionalKey(Schema.String),
  remedy: Schema.optionalKey(Schema.Literals(remedies))
}) {}

/** A value breaks a rule. `field` is the contract's name with its path, such as `items[37].text`. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  field: Schema.String,
  /** The requirement, worded to follow the field's name: "must be …". */
  reason: Schema.String,
  /** What was sent, cut to a bound (`shownValue`). */
  sent: Schema.optionalKey(Schema.String),
  /** What would have worked, as it is written in a request: `"tabs": 1`. */
  example: Schema.optionalKey(Schema.String),
  remedy: Schema.optionalKey(Schema.Literals(remedies))
}) {
  override get message(): string {
    const broken = this.field === "" ? this.reason : `${this.field} ${this.reason}`
    const sent = this.sent === undefined ? "" : `, not ${this.sent}`
    if (this.example === undefined) return `${broken}${sent}`
    return `${broken}${sent}${broken.endsWith("?") ? "" : "."} For example ${this.example}`
  }
}

/** A name matches two or more lists or things; the message lists at most five candidates. */
export class Ambiguous extends Schema.TaggedError<Ambiguous>()("Ambiguous", {
  field: Schema.String,
  message: Schema.String,
  /** The message for callers who name lists by id; omitted when it is the same. */
  inPlaceOfTitle: Schema.optionalKey(Schema.String),
  candidates: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      title: Schema.String,
      /** Of a thing: its short id, and the title of its list. */
      short: Schema.optionalKey(Schema.String),
      list: Schema.optionalKey(Schema.String)
    })
  ),
  /** Whether it matches more than these candidates. */
  hasMore: Schema.optionalKey(Schema.Boolean)
}) {
  /** The message on a command line or in a form, which have no fields. */
  get messageWithoutFields(): string {
    return this.inPlaceOfTitle ?? this.message
  }
}

/** No key, or a mistyped, unknown or revoked one; indistinguishable to the client. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {
  /** Whether there was a key, which is not good. */
  isInvalid: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return "A valid API key is required: send it as 'Authorization: Bearer <API_KEY>'."
  }
}

/** The caller's key or token lacks scopes: all those that it would need besides. */
export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", { scopes: Schema.Array(Schema.String) }) {
  override get message(): string {
    return `This key does not have ${this.named}, which this request requires.`
  }

  /** `the scope write:lists`. */
  get named(): string {
    return `the scope${this.scopes.length === 1 ? "" : "s"} ${enumerated(this.scopes)}`
  }
}

/** The key's hourly limit is used up until `resetAt`. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  limit: Schema.Int,
  resetAt: Schema.Int.pipe(Schema.brand("EpochMillis"))
}) {
  override get message(): string {
    return `More than ${this.limit} requests in this hour: wait until ${new Date(this.resetAt).toISOString()}.`
  }
}

/** The same `Idempotency-Key` was used with a different request body. */
export class IdempotencyMismatch extends Schema.TaggedError<IdempotencyMismatch>()("IdempotencyMismatch", {}) {
  override get message(): string {
    return "This Idempotency-Key was used with another request: use a new key for a new request."
  }
}

/** The current state does not allow the request, such as restoring into an account that is not empty. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", {
  message: Schema.String,
  /** Whether it is an undo in whose way later operations are, which the message names. */
  isBlockedUndo: Schema.optionalKey(Schema.Boolean)
}) {}

/** What the request names was there and can no longer be had, such as the images of a pruned operation. */
export class Gone extends Schema.TaggedError<Gone>()("Gone", { message: Schema.String }) {}

/** A part of the product does not serve yet, such as the feed while a program without history may write. */
export class NotReady extends Schema.TaggedError<NotReady>()("NotReady", { message: Schema.String }) {}

/** As many requests of one key or app as may wait for changes do so already. */
export class TooManyWaiting extends Schema.TaggedError<TooManyWaiting>()("TooManyWaiting", { limit: Schema.Int }) {
  override get message(): string {
    return `At most ${this.limit} requests of one key or app can wait for changes at the same time: repeat this one when another is answered.`
  }
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null

/** What the request changes is not, or no longer, as the client has seen it; nothing was changed. */
export class PreconditionFailed extends Schema.TaggedError<PreconditionFailed>()("PreconditionFailed", {
  message: Schema.String,
  /** The entity tag that it has now (`EntityTags`); absent where it does not exist. */
  tag: Schema.optionalKey(Schema.String),
  /** The thing as it is now, where the client named the time of its last change. */
  thing: Schema.optionalKey(Schema.declare((value): value is Thing => isObject(value)))
}) {}

/**
 * The storage did not serve the request. Where the outcome of a commit is unknown, `outcome` says so and the
 * write is not retried automatically.
 */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  outcome: Schema.Literals(["not-applied", "unknown"]),
  /** The storage is full; reads still work. */
  full: Schema.optionalKey(Schema.Boolean),
  /** The storage runs: something else holds what this needs, this took too long, or no connection is left. */
  busy: Schema.optionalKey(Schema.Literals(["held", "slow", "crowded"])),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    if (this.full === true) {
      return "The server's disk is full; nothing was changed. Reading goes on; whoever runs the server must make room."
    }
    return this.outcome === "unknown"
      ? "The storage was lost while it committed: the change may or may not have been made. Read before you repeat it, or repeat it with the same Idempotency-Key."
      : `${notServed[this.busy ?? "lost"]}; nothing was changed. Try again in a moment.`
  }
}

const notServed = {
  held: "Another change, which takes long, holds what this one needs",
  slow: "The storage did not get this done in time",
  crowded: "The storage has no connection left for this",
  lost: "The storage cannot be reached right now"
}

/** A failure after steps of the same change that stay. */
export const partlyApplied = (cause: StorageUnavailable): StorageUnavailable =>
  new StorageUnavailable({ outcome: "unknown", cause })

/** The answers in progress use all the memory they may. */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", {}) {
  override get message(): string {
    return "The server is busy with other large answers; nothing was changed. Try again in a moment."
  }
}

/** What every use case can fail with: the caller lacks a scope, or the storage does not answer. */
export type AccessError = Forbidden | StorageUnavailable

/** Every error of a use case; what is none of these is a defect. */
export type DomainError =
  | NotFound
  | InvalidInput
  | Ambiguous
  | Unauthorized
  | Forbidden
  | RateLimited
  | IdempotencyMismatch
  | Conflict
  | Gone
  | NotReady
  | TooManyWaiting
  | PreconditionFailed
  | Overloaded
  | StorageUnavailable
