import type { EntityJson } from "@lists-and-things/domain/json/OperationJson"
import { changeVerbs } from "@lists-and-things/domain/summaries/EntityName"
import { truncate } from "@lists-and-things/domain/text/Characters"

/** What an operation did to an entity, or a dry run would do, which gives no id to what it would create. */
type Change = Omit<EntityJson, "id"> & { readonly id?: string }

/** A line with the name of the entity, and its changed fields below. */
export const entityLines = ({ after, before, change, id, type }: Change, name: string): ReadonlyArray<string> => {
  const what = type === "account" ? "the settings" : `the ${type} ${name}`.trim()
  const head = `${changeVerbs[change]} ${what}${type === "account" || id === undefined ? "" : ` (${id})`}`
  if (after === null) return [head, ...contentLines(before ?? {})]
  const fields = Object.keys(after).filter((field) => field !== "updated")
  return [head, ...fields.map((field) => `  ${field}: ${valueText(before?.[field])} -> ${valueText(after[field])}`)]
}

/** Tags, link and note of what was deleted. */
const contentLines = (before: Readonly<Record<string, unknown>>): ReadonlyArray<string> =>
  ["tags", "url", "note"].flatMap((field) => {
    const value = before[field]
    const isEmpty = value === undefined || value === "" || (Array.isArray(value) && value.length === 0)
    return isEmpty ? [] : [`  ${field}: ${valueText(value)}`]
  })

const valueText = (value: unknown): string => truncate(JSON.stringify(value ?? null), maxCharacters)

/** Characters of a value that are shown. */
const maxCharacters = 200
