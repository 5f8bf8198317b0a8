import { productVersion } from "@lists-and-things/domain/model/ProductVersion"
import { lat, withCommands } from "@lists-and-things/domain/text/CommandLine"
import { enumerated } from "@lists-and-things/domain/text/Wording"
import { shownValue } from "@lists-and-things/domain/json/ShownValue"
import { Command, CommanderError } from "commander"
import { commandsMeant, commandsOf, groups } from "./Catalog.ts"
import { type ArgumentSpec, type CommandSpec, type OptionSpec, written } from "./Command.ts"
import { withoutControlsInLines } from "./ControlCharacters.ts"
import { UsageError } from "./Failure.ts"
import { Input } from "./Input.ts"
import type { OutputMode } from "./Output.ts"
import { shellQuoted } from "./commands/setup/Programs.ts"
import { topicNames } from "./commands/shell/Topics.ts"
import type { Terminal } from "./Terminal.ts"

export type Invoke = (spec: CommandSpec, input: Input) => Promise<void>

/** Builds the parser of `lat` from the catalog, with the commands that begin with the first word, or all. */
export const program = (words: ReadonlyArray<string>, terminal: Terminal, invoke: Invoke): Command => {
  const root = prepared(new Command(lat("").trimEnd()), terminal)
    .description("Lists and Things on the command line")
    .version(productVersion, "-V, --version", "show the version")
    .usage("COMMAND [OPTIONS]")
    // A command may have subcommands with options of their own.
    .enablePositionalOptions()
    .addHelpText(
      "after",
      [
        "",
        "Every command takes --json (one JSON value on stdout) and --quiet, and shows its own help with --help.",
        `'${lat("help TOPIC")}' explains ${enumerated(topicNames)}. Exit codes: 0 success, 1 failure, 2 wrong usage.`
      ].join("\n")
    )
  const parents = new Map<string, Command>()
  const meant = commandsMeant(words).map((each) => `  ${lat(each)}\n`)
  const suggesting = (command: Command): Command =>
    meant.length === 0
      ? command
      : command.showHelpAfterError(`Did you mean:\n${meant.join("")}${usage}`).showSuggestionAfterError(false)
  suggesting(root)
  for (const spec of commandsOf(words[0])) {
    const [first, second] = spec.path
    const parent = second === undefined ? root : suggesting(groupOf(first, root, parents, terminal))
    const command = commandOf(spec, terminal, invoke)
    parent.addCommand(command, { hidden: spec.hidden === true })
    if (second === undefined) parents.set(first, command.enablePositionalOptions())
  }
  return root
}

const usage = "Add --help for the usage."

const prepared = (command: Command, terminal: Terminal): Command =>
  command
    .exitOverride()
    .helpCommand(false)
    .helpOption("-h, --help", "show this help")
    .showHelpAfterError(usage)
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: (text, write) =>
        write(
          terminal.paintErr(
            "red",
            withoutControlsInLines(withQuoting(text.replace(/^error: /, "lat: ")), terminal.paintErr)
          )
        )
    })
    .configureHelp({ styleTitle: (title) => terminal.paint("bold", title) })

/** Adds to a usage error how to quote a text that was taken for an option or for several arguments. */
const withQuoting = (text: string): string => {
  const [, dashed] = /unknown option '(-[^']*)'/.exec(text) ?? []
  if (dashed !== undefined && /\s|^-\d/.test(dashed))
    return `${text}(A text that begins with a dash comes after --: -- ${shellQuoted(dashed)})\n`
  const [, names] = /Expected 1 argument but got \d+: ([^\n]*)\.\n/.exec(text) ?? []
  return names === undefined
    ? text
    : `${text}(A name of several words is in quotes: ${shellQuoted(names.replaceAll(", ", " "))})\n`
}

const groupOf = (name: string, root: Command, parents: Map<string, Command>, terminal: Terminal): Command => {
  const known = parents.get(name)
  if (known !== undefined) return known
  const group = prepared(new Command(name), terminal)
    .description(groups[name] ?? "")
    .usage("COMMAND [OPTIONS]")
  parents.set(name, group)
  root.addCommand(group)
  return group
}

const commandOf = (spec: CommandSpec, terminal: Terminal, invoke: Invoke): Command => {
  const command = prepared(new Command(spec.path.at(-1)!), terminal).description(
    spec.detail === undefined ? spec.about : `${spec.about}\n\n${withCommands(spec.detail)}`
  )
  command.summary(spec.about)
  for (const argument of spec.arguments ?? []) command.argument(argumentSyntax(argument), withCommands(argument.about))
  for (const option of spec.options ?? []) addOption(command, option)
  command.option("--json", "write one JSON value to stdout")
  command.option("-q, --quiet", "write only the bare result, or nothing")
  const examples = spec.examples.map((example) => `  ${withCommands(example)}`).join("\n")
  command.addHelpText("after", `\n${terminal.paint("bold", "Examples:")}\n${examples}`)
  command.showHelpAfterError(`For example: ${withCommands(spec.examples[0]!)}\n${usage}`)
  command.action(async () => {
    await invoke(spec, inputOf(spec, command, terminal))
  })
  return command
}

const argumentSyntax = ({ name, many, optional }: ArgumentSpec): string => {
  const dotted = many === true ? `${name}...` : name
  return optional === true ? `[${dotted}]` : `<${dotted}>`
}

const addOption = (command: Command, spec: OptionSpec): void => {
  const flags = spec.value === undefined ? `--${spec.name}` : `--${spec.name} <${spec.value}>`
  const among = Array.isArray(spec.values) && spec.many !== true ? ` (${spec.values.join(", ")})` : ""
  const about = `${spec.about}${among}${spec.required === true ? " (required)" : ""}`
  const collect = (value: string, before: ReadonlyArray<string> | undefined) => {
    refuseEmpty(`--${spec.name}`, spec, value)
    const allowed = Array.isArray(spec.values) && spec.many !== true ? spec.values : undefined
    if (allowed !== undefined && !allowed.includes(value)) {
      throw new UsageError(`--${spec.name} must be one of ${allowed.join(", ")}, not ${shownValue(value)}`)
    }
    return [...(before ?? []), value]
  }
  const option = command.createOption(flags, about)
  if (spec.value !== undefined) option.argParser(collect)
  option.mandatory = spec.required === true
  command.addOption(option)
}

/**
 * Refuses an empty file, folder or account: it usually comes from an unset shell variable, and the default would be
 * another one.
 */
const refuseEmpty = (word: string, { values }: ArgumentSpec | OptionSpec, value: string): void => {
  if (value === "" && typeof values === "string")
    throw new UsageError(`${word} must not be empty`, "A variable that is not set leaves such a gap.")
}

const inputOf = (spec: CommandSpec, command: Command, terminal: Terminal): Input => {
  const values = command.processedArgs as ReadonlyArray<string | ReadonlyArray<string> | undefined>
  const given = new Map<string, ReadonlyArray<string>>()
  for (const [at, argument] of (spec.arguments ?? []).entries()) {
    const value = values[at]
    for (const each of [value ?? []].flat()) refuseEmpty(argument.name, argument, each)
    given.set(argument.name, typeof value === "string" ? [value] : (value ?? []))
  }
  const options = new Map<string, ReadonlyArray<string> | true>()
  for (const option of command.options) {
    const value = command.getOptionValue(option.attributeName()) as ReadonlyArray<string> | true | undefined
    if (value !== undefined) options.set(option.long!.slice(2), value)
  }
  const ofSpec = (name: string, value: unknown): string => written(name, value, spec)
  return new Input({ arguments: given, options, written: ofSpec }, modeOf(options), terminal)
}

const modeOf = (options: ReadonlyMap<string, unknown>): OutputMode => ({
  json: options.has("json"),
  quiet: options.has("quiet")
})

/** The help on a command, or on its group, as `--help` prints it; undefined if the words name neither. */
export const helpOn = (words: ReadonlyArray<string>, terminal: Terminal): string | undefined => {
  let command: Command | undefined = program(words, terminal, () => Promise.resolve())
  for (const word of words) command = command?.commands.find((each) => each.name() === word)
  let text = ""
  command?.configureOutput({ writeOut: (part) => (text += part) }).outputHelp()
  return command && text
}

/** Whether commander has already printed the output: help, the version or a usage error. */
export const isAlreadyPrinted = (error: unknown): error is CommanderError => error instanceof CommanderError
