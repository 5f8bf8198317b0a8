import { Schema } from "effect"
import type { Account } from "./Account.ts"
import type { AccountId } from "./Ids.ts"
import type { List } from "./List.ts"
import type { SavedPlace } from "./Place.ts"
import type { Reminder } from "./Reminder.ts"
import type { Thing } from "./Thing.ts"

/** A UUID of version 7 whose time is the write timestamp of the operation (`operationIdAt`). */
export const OperationId = Schema.String.pipe(Schema.brand("OperationId"))
export type OperationId = typeof OperationId.Type

export const surfaces = ["rest", "mcp", "cli", "web"] as const
export type Surface = (typeof surfaces)[number]

export const actorTypes = ["key", "app", "session", "operator"] as const

/** Who made a change: an API key, an app that a person signed in to, a browser session, or the operator of the server. */
export interface Actor {
  readonly type: (typeof actorTypes)[number]
  readonly id: string
  readonly name: string
}

/** From what others refer to, to what refers to them: the order in which a mirror can store them. */
export const entityTypes = ["account", "place", "list", "thing", "reminder"] as const
export type EntityType = (typeof entityTypes)[number]

export interface EntityKey {
  readonly type: EntityType
  readonly id: string
}

/** An entity as it was stored at one time. */
export type Entity =
  | { readonly type: "account"; readonly value: Account }
  | { readonly type: "place"; readonly value: SavedPlace }
  | { readonly type: "list"; readonly value: List }
  | { readonly type: "thing"; readonly value: Thing }
  | { readonly type: "reminder"; readonly value: Reminder }

/** What one operation did to an entity; `before` is undefined for what it created. */
export interface EntityChange extends EntityKey {
  readonly change: "created" | "updated" | "deleted"
  readonly before: Entity | undefined
}

/** Entities that an operation changed, by type; a change of the settings is not counted. */
export interface OperationCounts {
  readonly lists: number
  readonly things: number
  readonly reminders: number
  readonly places: number
}

/** One call that changed something. */
export interface Operation {
  readonly id: OperationId
  readonly owner: AccountId
  /** The write timestamp: strictly later than that of the account's operation before. */
  readonly at: number
  /** The `operationId` of the interface description, the same for a tool or a command that does the same. */
  readonly name: string
  readonly surface: Surface
  readonly by: Actor
  /** The `Idempotency-Key` or `request_id` of the call. */
  readonly requestId: string | null
  /** One line in English that names what was changed. */
  readonly summary: string
  readonly counts: OperationCounts
  /** The operation that this one took back. */
  readonly undoes: OperationId | null
  /** The operation that took this one back. */
  readonly undoneBy: OperationId | null
}
