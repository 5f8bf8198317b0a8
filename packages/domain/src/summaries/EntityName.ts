import type { EntityStates } from "../json/OperationJson.ts"
import { shortText } from "./OperationSummaries.ts"

/** What an operation did to an entity, as a line about it begins. */
export const changeVerbs = { created: "Created", updated: "Changed", deleted: "Deleted" } as const

/**
 * An entity of an operation by its title, text, name or link, as it is afterwards or else was before, in quotation
 * marks; empty where it has none or that is not kept.
 */
export const entityName = ({ after, before }: Pick<EntityStates, "after" | "before">): string => {
  const fields = new Map<string, unknown>(Object.entries(after ?? before ?? {}))
  const named = ["title", "text", "name", "url"].map((field) => fields.get(field))
  const name = named.find((value) => typeof value === "string" && value.trim() !== "")
  return name === undefined ? "" : shortText(name as string)
}
