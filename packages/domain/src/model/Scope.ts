import { Schema } from "effect"

/** The five scopes of a key, in the contract's order ("Authentication"). */
export const scopes = ["read:lists", "write:lists", "read:things", "write:things", "search"] as const
export const Scope = Schema.Literals(scopes)
export type Scope = typeof Scope.Type
