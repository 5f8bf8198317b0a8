import type { CommandSpec, OptionSpec, Values } from "../../Command.ts"

/** Completion candidates for the last word. */
export interface Candidates {
  readonly words: ReadonlyArray<string>
  /** Candidates that the shell computes itself, such as file names. */
  readonly also: "nothing" | "files" | "folders" | "accounts"
}

const always: ReadonlyArray<OptionSpec> = [
  { name: "json", about: "" },
  { name: "quiet", about: "" },
  { name: "help", about: "" }
]

/** Completes the words after `lat`; the last one is unfinished. */
export const complete = (catalog: ReadonlyArray<CommandSpec>, words: ReadonlyArray<string>): Candidates => {
  const visible = catalog.filter((spec) => spec.hidden !== true)
  const last = words.at(-1) ?? ""
  const before = words.slice(0, -1)
  const [spec] = visible
    .filter((each) => each.path.every((word, at) => before[at] === word))
    .toSorted((a, b) => b.path.length - a.path.length)
  const commands = names(commandWords(visible, before), last)
  if (spec === undefined) return commands
  const own = ofCommand(spec, before.slice(spec.path.length), last)
  return { ...own, words: [...commands.words, ...own.words] }
}

const commandWords = (catalog: ReadonlyArray<CommandSpec>, before: ReadonlyArray<string>): ReadonlyArray<string> => {
  const fitting = catalog.filter(
    ({ path }) => before.length < path.length && before.every((word, at) => path[at] === word)
  )
  return [...new Set(fitting.map(({ path }) => path[before.length]!))]
}

const ofCommand = (spec: CommandSpec, given: ReadonlyArray<string>, last: string): Candidates => {
  const options = [...(spec.options ?? []), ...always]
  const [name, ...rest] = last.split("=")
  const assigned =
    rest.length > 0 ? options.find((each) => each.value !== undefined && `--${each.name}` === name) : undefined
  if (assigned !== undefined) {
    const offer = values(assigned, rest.join("="))
    return { ...offer, words: offer.words.map((word) => `${name}=${word}`) }
  }
  const open = options.find((each) => each.value !== undefined && `--${each.name}` === given.at(-1))
  if (open !== undefined) return values(open, last)
  if (last.startsWith("-")) return names(unused(options, given), last)
  const at = positional(options, given)
  const all = spec.arguments ?? []
  const argument = all[at] ?? (all.at(-1)?.many === true ? all.at(-1) : undefined)
  const offer = argument === undefined ? nothing : byKind(argument.values, last)
  return offer.also === "nothing" && offer.words.length === 0 && last === ""
    ? names(unused(options, given), last)
    : offer
}

const unused = (options: ReadonlyArray<OptionSpec>, given: ReadonlyArray<string>): ReadonlyArray<string> =>
  options.filter((each) => each.many === true || !given.includes(`--${each.name}`)).map((each) => `--${each.name}`)

/** The number of positional arguments before the last word. */
const positional = (options: ReadonlyArray<OptionSpec>, given: ReadonlyArray<string>): number => {
  const taking = new Set(options.filter((each) => each.value !== undefined).map((each) => `--${each.name}`))
  return given.filter((word, at) => !word.startsWith("-") && !taking.has(given[at - 1] ?? "")).length
}

/** For an option that takes a comma-separated list, completes its last item. */
const values = (option: OptionSpec, last: string): Candidates => {
  if (option.many !== true || !Array.isArray(option.values)) return byKind(option.values, last)
  const done = last.split(",").slice(0, -1)
  const left = (option.values as ReadonlyArray<string>).filter((value) => !done.includes(value))
  return names(
    left.map((value) => [...done, value].join(",")),
    last
  )
}

const nothing: Candidates = { words: [], also: "nothing" }

const byKind = (kind: Values | undefined, last: string): Candidates => {
  if (kind === undefined) return nothing
  if (kind === "file") return { words: [], also: "files" }
  if (kind === "folder") return { words: [], also: "folders" }
  if (kind === "account") return { words: [], also: "accounts" }
  return names(kind, last)
}

const names = (all: ReadonlyArray<string>, last: string): Candidates => ({
  words: all.filter((word) => word.startsWith(last)),
  also: "nothing"
})
