import { Effect } from "effect"
import { isDayWord } from "@lists-and-things/domain/days/Day"
import type {
  Conflict,
  DomainError,
  IdKind,
  InvalidInput,
  NotFound,
  PreconditionFailed
} from "@lists-and-things/domain/model/Errors"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { hintForDayAsId } from "@lists-and-things/domain/targets/UnknownId"
import { fieldsOf } from "../LenientArguments.ts"
import type { Tool } from "../Tool.ts"
import { compactThing } from "./ThingResult.ts"
import { currentTime, secondsUntil } from "@lists-and-things/domain/model/EpochMillis"
import { sentence } from "@lists-and-things/domain/text/Wording"

/**
 * Messages for a model when a call fails: what failed, which argument, and what to do next. Exhaustive over the
 * domain's errors, so that a new one fails to compile without a message.
 */
export const explain = (
  tool: Tool,
  args: unknown,
  error: DomainError,
  tools: ReadonlyArray<Tool>
): Effect.Effect<string> =>
  Effect.map(currentTime, (now): string => {
    const refused = (next: string) => `${sentence(error.message)}${nothingChanged(tool)}${next}`
    switch (error._tag) {
      case "InvalidInput":
        return refused(afterInvalid(tool, fieldsOf(args), error, tools))
      case "NotFound":
        return refused(afterNotFound(tool, args, error, tools))
      case "Conflict":
        return refused(beforeUndoing(error))
      case "PreconditionFailed":
        return refused(shownNow(error))
      case "Ambiguous":
      case "Gone":
        return refused("")
      case "Forbidden":
        return `${tool.name} needs ${error.named}, which this key does not have. Ask the owner for a key with ${error.scopes.length === 1 ? "it" : "them"}.`
      case "Unauthorized":
        return "The API key is not valid any more. Ask the owner for a new one."
      case "RateLimited":
        return `${error.message} That is in ${secondsUntil(error.resetAt, now)} seconds. Nothing was done; the bulk tools do many changes in one call.`
      case "IdempotencyMismatch":
        return "request_id was used with other arguments before. Nothing was changed. Use a new request_id for a new call."
      case "NotReady":
      case "TooManyWaiting":
      case "Overloaded":
        return error.message
      case "StorageUnavailable":
        return error.outcome === "unknown" && error.full !== true
          ? "The storage was lost while it saved: the change may or may not have been made. Read before you repeat it."
          : error.message
    }
  })

/** The message for a defect; the log has the details. */
export const unexpectedError = (tool: Tool): string =>
  `${tool.name} failed inside the server; the owner finds the reason in its log. Try once more, then tell the user.`

const afterInvalid = (
  tool: Tool,
  { list, list_id }: Readonly<Record<string, unknown>>,
  { field, remedy }: InvalidInput,
  tools: ReadonlyArray<Tool>
): string => {
  if (remedy === "read") return ""
  if (remedy === "find-list" && field === "list") return ` ${afterUnknownList(tools, list)}`
  if (remedy === "find-list" && field === "list_id")
    return ` ${noIdOfList(list_id) ?? findWith(tools, "the right list_id", ", or give a title as list")}`
  return ` ${correctIt(tool)}`
}

const correctIt = (tool: Tool): string => `Correct it and call ${tool.name} again.`

const nothingChanged = (tool: Tool): string => (tool.hints.readOnlyHint ? "" : " Nothing was changed.")

const shownNow = ({ thing }: PreconditionFailed): string =>
  thing === undefined ? "" : ` It is now: ${JSON.stringify(compactThing(thing))}`

/** The later operations may be the person's own work. */
const beforeUndoing = ({ isBlockedUndo }: Conflict): string =>
  isBlockedUndo === true ? " If you did not make it yourself, ask the user before you undo it." : ""

/** The tool of this name if the client has it, so that advice can be followed. */
const named = (tools: ReadonlyArray<Tool>, name: string): Tool | undefined => tools.find((tool) => tool.name === name)

const afterUnknownList = (tools: ReadonlyArray<Tool>, list: unknown): string => {
  const addressed = idOfAddress(list)
  if (addressed !== undefined) return `Give its id alone, as list_id: ${JSON.stringify(addressed)}.`
  const day = dayOfAddress(list)
  if (day !== undefined) return `Give the day alone: ${JSON.stringify(day)}.`
  if (typeof list === "string" && list.trim() === "")
    return "An empty list names none: give a title or a day, or an id as list_id."
  return named(tools, "create_list") === undefined ? "Use list_id." : "Use list_id, or create_list first."
}

const afterNotFound = (
  tool: Tool,
  args: unknown,
  { field, found, remedy }: NotFound,
  tools: ReadonlyArray<Tool>
): string => {
  if (remedy === "read") return ""
  if (remedy === "rewrite") return ` ${correctIt(tool)}`
  const next =
    found !== undefined && field === undefined ? alternativeFor(tool, found, tools) : findIt(tool, args, field, tools)
  return next === "" ? "" : ` ${next}`
}

/** Suggests the tool for an id of that kind. */
const alternativeFor = (tool: Tool, found: IdKind, tools: ReadonlyArray<Tool>): string => {
  if (found === "reminder") return "Use the reminder's thing_id."
  if (found === "place") return "list_places shows places; find lists and things with search."
  const verb = ["get", "update", "delete"].find((each) => tool.name.startsWith(`${each}_`)) ?? "get"
  const instead = named(tools, `${verb}_${found}`) ?? named(tools, `get_${found}`)
  return instead === undefined ? findWith(tools, "the right id") : `Use ${instead.name} for it.`
}

const findIt = (tool: Tool, args: unknown, field: string | undefined, tools: ReadonlyArray<Tool>): string => {
  const given = fieldsOf(args)
  const list = given["list"]
  if (field !== "list_id" && typeof list === "string" && isDayWord(list.toLowerCase())) {
    const day = list.trim().toLowerCase()
    if (day !== list.trim()) return `Use list ${JSON.stringify(day)}.`
    const getToday = named(tools, "get_today")
    if (getToday === undefined || getToday.hints.readOnlyHint) return ""
    return `Call get_today with date ${JSON.stringify(day)}: it makes the day list.`
  }
  // If both an id and a list's name were given, an error without a field is about the id.
  const isList = field === "list" || (field === undefined && list !== undefined && given["thing_id"] === undefined)
  if (isList) return afterUnknownList(tools, list)
  if (given["operation_id"] !== undefined)
    return named(tools, "list_operations") === undefined
      ? "Leave it out for the newest."
      : "list_operations shows them."
  const argument = field ?? ["thing_id", "list_id", "id"].find((name) => given[name] !== undefined)
  if (argument === undefined) return findWith(tools, "it")
  const takesName = argument === "list_id" && "list" in tool.inputSchema.properties
  const day = argument === "id" ? dayGiven(given["id"]) : undefined
  if (day !== undefined && named(tools, "get_today") !== undefined)
    return `Call get_today with date ${JSON.stringify(day)} for that day.`
  return (
    (takesName ? noIdOfList(given[argument]) : idAlone(given[argument])) ??
    findWith(tools, `the right ${argument}`, takesName ? ", or give a title as list" : "")
  )
}

/** Advice for a `list_id` that is an address, a day or empty; undefined for one that may be an id. */
const noIdOfList = (id: unknown): string | undefined => {
  if (typeof id !== "string") return undefined
  if (id.trim() === "") return "An empty list_id names none: give an id, or a title or a day as list."
  const day = dayOfAddress(id)
  return idAlone(id) ?? hintForDayAsId(day ?? id)
}

/** The id at the end of an address of a page or a resource. */
const idOfAddress = (address: unknown): string | undefined => {
  if (typeof address !== "string") return undefined
  const last = address.slice(address.lastIndexOf("/") + 1)
  return last !== address && isIdForm(last) ? last : undefined
}

/** The day in the address of a resource, such as `day://today`. */
const dayOfAddress = (address: unknown): string | undefined => {
  const day = typeof address === "string" ? /^day:\/\/([^/]+)\/?$/.exec(address.trim())?.[1] : undefined
  return day !== undefined && isDayWord(day) ? day : undefined
}

/** The day that was given for an id: by its word or date, or by the address of its resource. */
const dayGiven = (id: unknown): string | undefined => {
  const day = typeof id === "string" ? id.trim().toLowerCase() : ""
  return dayOfAddress(day) ?? (isDayWord(day) ? day : undefined)
}

const idAlone = (address: unknown): string | undefined => {
  const id = idOfAddress(address)
  return id === undefined ? undefined : `Give its id alone: ${JSON.stringify(id)}.`
}

const findWith = (tools: ReadonlyArray<Tool>, what: string, instead = ""): string => {
  const finders = ["search", "get_list"].filter((name) => named(tools, name) !== undefined)
  return finders.length === 0 ? "Ask the user for it." : `Find ${what} with ${finders.join(" or ")}${instead}.`
}
