import { titleKey } from "../text/TextFold.ts"
import type { BackupDocument } from "./BackupDocument.ts"
import type { Section } from "./BackupLayout.ts"

export type BackupRecord<S extends Section> = NonNullable<BackupDocument[S]>[number]

/** What is wrong with a field of a record. */
export interface Broken {
  readonly field: string
  readonly reason: string
}

const names = (what: string): string => `must name ${what} of this document`

/**
 * Checks what the schema cannot, record by record in the order of an export: ids are unique, and every reference
 * resolves within the document. Of things and reminders it remembers ids alone.
 */
export class BackupChecks {
  readonly places: Array<BackupRecord<"places">> = []
  readonly lists: Array<BackupRecord<"lists">> = []
  readonly webhooks: Array<BackupRecord<"webhooks">> = []
  /** The index and the original of each copy, by id. */
  private readonly copies = new Map<string, { readonly at: number; readonly original: string }>()
  private readonly seen = new Map<string, Set<string>>()

  /** The first problem of a record, which is the one at this index of its section. */
  readonly add: { readonly [S in Section]: (record: BackupRecord<S>, at: number) => Broken | undefined } = {
    places: (place) => {
      this.places.push(place)
      return this.repeated("place", "id", place.id) ?? this.repeated("place", "name", titleKey(place.name))
    },
    lists: (list) => {
      this.lists.push(list)
      return this.repeated("list", "id", list.id) ?? this.repeated("list", "day", list.day)
    },
    things: ({ clone_of, id, list_id, list_ref }, at) => {
      const repeated = this.repeated("thing", "id", id)
      if (repeated !== undefined) return repeated
      if (clone_of !== null) this.copies.set(id, { at, original: clone_of })
      if (!this.has("list", list_id)) return { field: "list_id", reason: names("a list") }
      return list_ref === null || this.has("list", list_ref)
        ? undefined
        : { field: "list_ref", reason: names("a list") }
    },
    reminders: ({ id, place, thing_id, time }) => {
      const repeated = this.repeated("reminder", "id", id) ?? this.repeated("reminder", "thing_id", thing_id)
      if (repeated !== undefined) return repeated
      if (!this.isOriginal(thing_id)) return { field: "thing_id", reason: names("a thing that is no clone") }
      if (place !== null && !this.has("place", place.id)) return { field: "place", reason: names("a place") }
      return (time === null) === (place === null)
        ? { field: "time", reason: "must be there where place is not, and only there" }
        : undefined
    },
    webhooks: (webhook) => {
      this.webhooks.push(webhook)
      return this.repeated("webhook", "id", webhook.id)
    }
  }

  /** The first copy whose original is no original, once all things were added. */
  orphan(): (Broken & { readonly at: number }) | undefined {
    for (const { at, original } of this.copies.values())
      if (!this.isOriginal(original)) return { at, field: "clone_of", reason: names("a thing that is no clone itself") }
    return undefined
  }

  private isOriginal(id: string): boolean {
    return this.has("thing", id) && !this.copies.has(id)
  }

  private has(kind: string, id: string): boolean {
    return this.seen.get(`${kind}.id`)?.has(id) === true
  }

  private repeated(kind: string, field: string, value: string | null): Broken | undefined {
    if (value === null) return undefined
    const name = `${kind}.${field}`
    const seen = this.seen.get(name) ?? new Set()
    this.seen.set(name, seen)
    if (seen.has(value)) return { field, reason: "is there a second time" }
    seen.add(value)
    return undefined
  }
}
