import { Effect } from "effect"
import { missingScopes, type Scope } from "@lists-and-things/domain/model/Scope"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import type { CredentialKind } from "./Authenticator.ts"
import type { Tool } from "./Tool.ts"
import { appendMarkdown } from "./tools/append_markdown.ts"
import { createList } from "./tools/create_list.ts"
import { createThing } from "./tools/create_thing.ts"
import { createThings } from "./tools/create_things.ts"
import { deleteList } from "./tools/delete_list.ts"
import { deleteThing } from "./tools/delete_thing.ts"
import { deleteThings } from "./tools/delete_things.ts"
import { fetchDocument } from "./tools/fetch.ts"
import { getList } from "./tools/get_list.ts"
import { getThing } from "./tools/get_thing.ts"
import { getToday, readToday } from "./tools/get_today.ts"
import { importMarkdown } from "./tools/import_markdown.ts"
import { listChanges } from "./tools/list_changes.ts"
import { listLists } from "./tools/list_lists.ts"
import { listOperations } from "./tools/list_operations.ts"
import { listPlaces } from "./tools/list_places.ts"
import { listReminders } from "./tools/list_reminders.ts"
import { listTags } from "./tools/list_tags.ts"
import { listThings } from "./tools/list_things.ts"
import { removeReminder } from "./tools/remove_reminder.ts"
import { savePlace } from "./tools/save_place.ts"
import { search } from "./tools/search.ts"
import { setReminder } from "./tools/set_reminder.ts"
import { undo } from "./tools/undo.ts"
import { updateList } from "./tools/update_list.ts"
import { updateThing } from "./tools/update_thing.ts"
import { updateThings } from "./tools/update_things.ts"
import { suggestedTool } from "./ToolSuggestions.ts"

/** All tools in the order in which clients see them: those of the contract, then those of the history. */
export const allTools: ReadonlyArray<Tool> = [
  listLists,
  getList,
  getToday,
  createList,
  importMarkdown,
  updateList,
  deleteList,
  listThings,
  createThing,
  createThings,
  appendMarkdown,
  getThing,
  updateThing,
  updateThings,
  deleteThing,
  deleteThings,
  setReminder,
  removeReminder,
  listReminders,
  listPlaces,
  savePlace,
  search,
  fetchDocument,
  listTags,
  listOperations,
  listChanges,
  undo
]

export interface Narrowing {
  /** Only read-only tools. */
  readonly readOnly?: boolean | undefined
  /** Excludes tools that delete permanently. */
  readonly noDelete?: boolean | undefined
  /** Only the named tools. */
  readonly tools?: ReadonlyArray<string> | undefined
}

/** The tools that the operator allows; fails with `InvalidInput` for an unknown name, and if no tool is left. */
export const narrowed = (narrowing: Narrowing): Effect.Effect<ReadonlyArray<Tool>, InvalidInput> => {
  const names = allTools.map((tool) => tool.name)
  const unknown = narrowing.tools?.find((name) => !names.includes(name))
  if (unknown !== undefined) {
    const near = suggestedTool(unknown, names)
    const hint = near === undefined ? `the tools are ${names.join(", ")}` : `did you mean ${near}?`
    return Effect.fail(
      new InvalidInput({ field: "--tools", reason: `names no tool '${unknown.slice(0, 80)}': ${hint}` })
    )
  }
  const all = narrowing.readOnly === true ? allTools.map((tool) => (tool === getToday ? readToday : tool)) : allTools
  const left = all.filter(
    (tool) =>
      (narrowing.readOnly !== true || tool.hints.readOnlyHint) &&
      (narrowing.noDelete !== true || !tool.name.startsWith("delete_")) &&
      (narrowing.tools === undefined || narrowing.tools.includes(tool.name))
  )
  return left.length > 0
    ? Effect.succeed(left)
    : Effect.fail(
        new InvalidInput({ field: "--tools", reason: "leaves no tool", example: "--tools list_lists,get_list" })
      )
}

/** The tools that a key's scopes permit. */
export const permitted = (tools: ReadonlyArray<Tool>, scopes: ReadonlySet<Scope>): ReadonlyArray<Tool> =>
  tools.filter((tool) => missingScopes(scopes, tool.scopes).length === 0)

/**
 * The tools that are listed to a client: for a key, those that it may call; for a token, all, since its client can ask
 * the user for more scopes.
 */
export const offered = (tools: ReadonlyArray<Tool>, kind: CredentialKind, scopes: ReadonlySet<Scope>) =>
  kind === "key" ? permitted(tools, scopes) : tools

/** A tool as `tools/list` describes it. */
export const listed = ({ name, title, description, inputSchema, outputSchema, hints }: Tool) => ({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations: hints
})
