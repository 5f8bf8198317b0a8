import type { EntityStates } from "../json/OperationJson.ts"
import { inShort } from "./OperationSummaries.ts"

/** What an operation did to an entity, as a line about it begins. */
export const changeVerbs = { created: "Created", updated: "Changed", deleted: "Deleted" } as const

/**
 * The title, text, name or link of an entity of an operation, as it is afterwards or else was before: in one line, cut at 80
 * characters. Undefined where it has none, or that is not kept.
 */
export const nameIn = ({ after, before }: Pick<EntityStates, "after" | "before">): string | undefined => {
  const fields = new Map<string, unknown>(Object.entries(after ?? before ?? {}))
  const named = ["title", "text", "name", "url"].map((field) => fields.get(field))
  const name = named.find((value) => typeof value === "string" && value.trim() !== "")
  return name === undefined ? undefined : inShort(name as string)
}

/** The same in quotation marks; empty where there is none. */
export const entityName = (states: Pick<EntityStates, "after" | "before">): string => {
  const name = nameIn(states)
  return name === undefined ? "" : `“${name}”`
}
