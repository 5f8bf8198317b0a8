import type { Scope } from "@lists-and-things/domain/model/Scope"

/** What a program may do with a scope, in words for the person who grants it. */
export const scopeMeanings: Readonly<Record<Scope, string>> = {
  "read:lists": "See your lists",
  "write:lists": "Create, change and delete your lists",
  "read:things": "See your things, reminders and tags",
  "write:things": "Create, change and delete your things and reminders",
  search: "Search your lists and things"
}
