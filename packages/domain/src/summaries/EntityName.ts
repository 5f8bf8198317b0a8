import type { EntityStates } from "../json/OperationJson.ts"
import { shortText } from "./OperationSummaries.ts"

/** What an operation did to an entity, as a line about it begins. */
export const changeVerbs = { created: "Created", updated: "Changed", deleted: "Deleted" } as const

/** An entity of an operation by its title, text or name, in quotation marks; empty where it has none or that is not kept. */
export const entityName = ({ after, before }: Pick<EntityStates, "after" | "before">): string => {
  const fields = new Map<string, unknown>(Object.entries(after ?? before ?? {}))
  const name = fields.get("title") ?? fields.get("text") ?? fields.get("name")
  return typeof name === "string" && name.trim() !== "" ? shortText(name) : ""
}
