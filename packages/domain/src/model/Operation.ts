import { Equal, Schema } from "effect"
import type { Account } from "./Account.ts"
import { type AccountId, byId, isIdForm } from "./Ids.ts"
import type { List } from "./List.ts"
import type { SavedPlace } from "./Place.ts"
import type { Reminder } from "./Reminder.ts"
import type { Thing } from "./Thing.ts"
import { EpochMillis } from "./EpochMillis.ts"

/** A UUID of version 7 whose time is the write timestamp of the operation (`operationIdAt`). */
export const OperationId = Schema.String.pipe(Schema.brand("OperationId"))
export type OperationId = typeof OperationId.Type

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))

/** The id of the operation with this write timestamp, from 10 random bytes. */
export const operationIdAt = (writeTimestamp: EpochMillis, random: Uint8Array): OperationId =>
  operationIdOf(writeTimestamp, operationTail(random))

const operationTail = (random: Uint8Array): string => {
  const version = hexOfByte[(random[0]! & 0x0f) | 0x70]! + hexOfByte[random[1]!]!
  const variant = hexOfByte[(random[2]! & 0x3f) | 0x80]!
  let hex = version + variant
  for (let at = 3; at < 10; at++) hex += hexOfByte[random[at]!]!
  return hex
}

/** The same from `tail`, the last 20 hexadecimal digits of the id: a UUID's version, its variant, and what is random. */
export const operationIdOf = (writeTimestamp: EpochMillis, tail: string): OperationId => {
  const time = writeTimestamp.toString(16).padStart(12, "0")
  const parts = [time.slice(0, 8), time.slice(8), tail.slice(0, 4), tail.slice(4, 8), tail.slice(8)]
  return parts.join("-") as OperationId
}

/** The write timestamp in an operation's id; undefined for a string that is no id. */
export const writeTimestampOf = (id: string): EpochMillis | undefined =>
  isIdForm(id) ? EpochMillis(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)) : undefined

/** How a call came in: REST, tools, the command line, or pages in the browser. */
export const surfaces = ["rest", "mcp", "cli", "web"] as const
export type Surface = (typeof surfaces)[number]

export const actorTypes = ["key", "app", "session", "operator"] as const

/** Who made a change: an API key, an app that a person signed in to, a browser session, or the operator of the server. */
export interface Actor {
  readonly type: (typeof actorTypes)[number]
  /** Of a key its id, of an app its client id, of a session digits of its hash, of the operator the user's name. */
  readonly id: string
  readonly name: string
}

/** Referenced types come before those that refer to them, so a mirror can store entities in this order. */
export const entityTypes = ["account", "place", "list", "thing", "reminder"] as const
export type EntityType = (typeof entityTypes)[number]

/** Names an entity of an account; ids are unique within a type. */
export interface EntityKey {
  readonly type: EntityType
  readonly id: string
}

/** The key as one string, for maps and sets. */
export const keyText = ({ id, type }: EntityKey): string => `${type} ${id}`

/** In the order of `entityTypes`, then by id. */
export const byTypeAndId = (a: EntityKey, b: EntityKey): number =>
  entityTypes.indexOf(a.type) - entityTypes.indexOf(b.type) || byId(a, b)

/** What an account's history knows of it: an operation never shows an email. */
export type Settings = Omit<Account, "email">

export const settingsOf = ({ email: _, ...settings }: Account): Settings => settings

/** An entity as it was stored at one time. */
export type Entity =
  | { readonly type: "account"; readonly value: Settings }
  | { readonly type: "place"; readonly value: SavedPlace }
  | { readonly type: "list"; readonly value: List }
  | { readonly type: "thing"; readonly value: Thing }
  | { readonly type: "reminder"; readonly value: Reminder }

/** What one operation did to an entity; `before` is undefined for what it created. */
export interface EntityChange extends EntityKey {
  readonly change: "created" | "updated" | "deleted"
  /** The image: the entity as it was before the operation. */
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
  readonly at: EpochMillis
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

/** Of the account: such an operation is never undone. */
export const changesSettings = ({ name }: Operation): boolean => name === "updateAccount"

/** False for an operation that at most moved `updated`, such as completing a completed thing. */
export const hasEffect = (operation: Operation): boolean => {
  const { lists, places, reminders, things } = operation.counts
  return changesSettings(operation) || lists + places + reminders + things > 0
}

/**
 * Whether hosts may offer to undo an operation, judged by the operation alone. Changes of settings are never undone,
 * even if a new time zone moved reminders.
 */
export const canBeUndone = (operation: Operation): boolean => !changesSettings(operation) && hasEffect(operation)

/** Whether two states are equal except for `updated`, which alone does not count as a change. */
export const isSame = (a: object | undefined, b: object | undefined): boolean => {
  if (a === b) return true
  if (a === undefined || b === undefined) return false
  const others = new Map<string, unknown>(Object.entries(b))
  return Object.entries(a).every(([key, value]) => key === "updated" || Equal.equals(value, others.get(key)))
}
