/** The five scopes of a key, in the contract's order ("Authentication"). */
export const scopes = ["read:lists", "write:lists", "read:things", "write:things", "search"] as const
export type Scope = (typeof scopes)[number]

/** What a client may do that asks to be let in and names no scope: read. */
export const defaultScopes: ReadonlyArray<Scope> = ["read:lists", "read:things", "search"]

/** Those of the required scopes that are not held. */
export const missingScopes = (held: ReadonlySet<Scope>, required: ReadonlyArray<Scope>): ReadonlyArray<Scope> =>
  required.filter((scope) => !held.has(scope))

/** What an operation requires, as it is declared. */
export type RequiredScopes = Scope | ReadonlyArray<Scope>
/** A scope alone as an array of one; the caller needs all of them. */
export const scopesOf = (required: RequiredScopes): ReadonlyArray<Scope> =>
  typeof required === "string" ? [required] : required
