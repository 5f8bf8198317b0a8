import { Schema } from "effect"

/**
 * The errors a use case can end in. They know nothing of HTTP, MCP or exit codes: every host has one
 * exhaustive table that maps them, so that a new error breaks the build where it must be handled.
 */

const idKinds = ["list", "thing", "place", "reminder"] as const
export type IdKind = (typeof idKinds)[number]

/** Nothing of the caller's has this id or name. Foreign, deleted and malformed ids read exactly alike. */
export class NotFound extends Schema.TaggedError<NotFound>()("NotFound", {
  /** One sentence for the client; never says whether somebody else owns the id. */
  message: Schema.String,
  /** What the id names instead, of the caller's own. */
  found: Schema.optionalKey(Schema.Literals(idKinds)),
  /** What the request calls the id or name, where it is in a body. */
  field: Schema.optionalKey(Schema.String)
}) {}

/** A value breaks a rule. `field` is the contract's name with its path, such as `items[37].text`. */
export class InvalidInput extends Schema.TaggedError<InvalidInput>()("InvalidInput", {
  field: Schema.String,
  /** What is wanted, as the rest of a sentence that begins with the field: "must be …". */
  reason: Schema.String
}) {
  override get message(): string {
    return this.field === "" ? this.reason : `${this.field} ${this.reason}`
  }
}

/** A name fits two or more lists; the sentence lists at most five candidates with id and title. */
export class Ambiguous extends Schema.TaggedError<Ambiguous>()("Ambiguous", {
  field: Schema.String,
  message: Schema.String,
  candidates: Schema.Array(Schema.Struct({ id: Schema.String, title: Schema.String }))
}) {}

/** No key, a mistyped, unknown or revoked one: all alike. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", {}) {
  override get message(): string {
    return "A valid API key is required: send it as 'Authorization: Bearer <API_KEY>'."
  }
}

export class Forbidden extends Schema.TaggedError<Forbidden>()("Forbidden", { scope: Schema.String }) {
  override get message(): string {
    return `This key does not have the scope ${this.scope}, which this request requires.`
  }
}

/** The key's hourly limit is used up until `resetAt` (epoch milliseconds). */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  limit: Schema.Int,
  resetAt: Schema.Int
}) {
  override get message(): string {
    return `More than ${this.limit} requests in this hour: wait until ${new Date(this.resetAt).toISOString()}.`
  }
}

/** The same `Idempotency-Key` came with another request body. */
export class IdempotencyMismatch extends Schema.TaggedError<IdempotencyMismatch>()("IdempotencyMismatch", {}) {
  override get message(): string {
    return "This Idempotency-Key was used with another request: use a new key for a new request."
  }
}

/** A state that forbids what was asked, such as restoring into an account that is not empty. */
export class Conflict extends Schema.TaggedError<Conflict>()("Conflict", { message: Schema.String }) {}

/**
 * The storage did not answer in time or lost its connection. Where the outcome of a commit is unknown,
 * `outcome` says so and nothing retries the write by itself.
 */
export class StorageUnavailable extends Schema.TaggedError<StorageUnavailable>()("StorageUnavailable", {
  outcome: Schema.Literals(["not-applied", "unknown"]),
  /** There is no room for a write; reads go on. */
  full: Schema.optionalKey(Schema.Boolean),
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message(): string {
    if (this.full === true) {
      return "The server's disk is full; nothing was changed. Reading goes on; whoever runs the server must make room."
    }
    return this.outcome === "unknown"
      ? "The storage was lost while it committed: the change may or may not have been made. Read before you repeat it, or repeat it with the same Idempotency-Key."
      : "The storage cannot be reached right now; nothing was changed. Try again in a moment."
  }
}

/** The answers under way take as much memory as they may. */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", {}) {
  override get message(): string {
    return "The server is busy with other large answers; nothing was changed. Try again in a moment."
  }
}

export type DomainError =
  | NotFound
  | InvalidInput
  | Ambiguous
  | Unauthorized
  | Forbidden
  | RateLimited
  | IdempotencyMismatch
  | Conflict
  | Overloaded
  | StorageUnavailable
