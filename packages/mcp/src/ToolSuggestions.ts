import { comparable, editsWithin, nearest } from "@lists-and-things/domain/text/Nearest"

/** Verbs of the tools, each with the words that models use for it. */
const synonyms: Readonly<Record<string, ReadonlyArray<string>>> = {
  create: ["create", "add", "new", "make", "insert", "save", "set"],
  update: [
    ...["update", "edit", "change", "modify", "rename", "move", "set", "star", "archive", "toggle"],
    ...["complete", "finish", "check", "uncheck", "tick", "mark", "close", "cancel", "reopen"]
  ],
  get: ["get", "read", "show", "view", "open"],
  list: ["list", "get", "read", "show", "browse", "query"],
  delete: ["delete", "remove", "erase", "destroy", "trash", "drop"],
  remove: ["remove", "delete", "clear", "cancel"],
  set: ["set", "create", "add", "update", "change"],
  save: ["save", "create", "add", "update", "set"],
  search: ["search", "find", "query", "lookup"],
  undo: ["undo", "revert", "rollback"]
}

const isSynonymOf = (known: string, verb: string): boolean => synonyms[known]?.includes(verb) === true

/** Words that other products use for a thing. */
const things = /^(?:todo|task|item|entry|note)(s|)$/

const words = (name: string): ReadonlyArray<string> =>
  name
    .slice(0, 100)
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[_\-\s.]+/)
    .filter((word) => word !== "")

const removing = new Set(["delete", "remove"])

/** Verbs of tools that read. */
const reading = new Set(["get", "list", "search", "fetch"])

const asksToRead = (verb: string): boolean => [...reading].some((known) => isSynonymOf(known, verb))

/** Whether the verb may mean a tool with this one. */
const isLike = (known: string, verb: string): boolean =>
  editsWithin(verb, known, 1) !== undefined || isSynonymOf(known, verb)

const singular = (noun: string): string => noun.replace(/s$/, "")

/**
 * Whether the name may mean this tool. A tool that removes something is suggested only for a name that asks to remove
 * just that, and none other for such a name: `delete_tag` is neither `delete_thing` nor `list_tags`. A name that asks to
 * read is that of no tool that writes: `get_reminder` is not `set_reminder`, which would replace it.
 */
const isMeant = (verb: string, noun: string, tool: string): boolean => {
  const [known = "", ...of] = words(tool)
  if (known === "undo") return isLike(known, verb)
  if (removing.has(known)) return isLike(known, verb) && singular(of.join("_")) === singular(noun)
  if (asksToRead(verb)) return reading.has(known)
  return isSynonymOf(known, verb) || ![...removing].some((each) => isLike(each, verb))
}

/**
 * The tool that an unknown name most likely means: without the name of a server or a library before it
 * (`functions.search`), by synonyms (`complete_task` is `update_thing`), else by its spelling. A note that is to be
 * removed is that of a thing, and not the thing.
 */
export const suggestedTool = (name: string, tools: ReadonlyArray<string>): string | undefined => {
  const own = name
    .slice(0, 200)
    .split(/[.:/]|__/)
    .at(-1)!
  if (own !== name && tools.includes(own)) return own
  const [verb = "", ...rest] = words(name)
  const noun = rest.map((word) => word.replace(things, "thing$1")).join("_")
  const removed = rest.some((word) => /^notes?$/.test(word)) ? rest.join("_") : noun
  const candidates = tools.filter((tool) => isMeant(verb, removed, tool))
  const byWords = candidates.filter((tool) => {
    const [known = "", ...of] = words(tool)
    return isSynonymOf(known, verb) && (of.length === 0 || of.join("_") === noun)
  })
  const byNoun = candidates.find((tool) => singular(words(tool).slice(1).join("_")) === singular(noun))
  return (
    nearest(`${verb}_${noun}`, byWords) ??
    byWords[0] ??
    nearest(comparable(name), candidates) ??
    (asksToRead(verb) ? byNoun : undefined)
  )
}
