import { lat } from "@lists-and-things/domain/text/CommandLine"
import type { Ambiguous, InvalidInput, StorageUnavailable } from "@lists-and-things/domain/model/Errors"
import { rootCause } from "@lists-and-things/domain/model/RootCause"
import { catalog } from "./Catalog.ts"
import { withoutControlsInLines } from "./ControlCharacters.ts"
import { type CommandSpec, wordFor, written } from "./Command.ts"
import { exitCodeOf, exitCodes, Failure, tagOf, UsageError } from "./Failure.ts"
import type { Input } from "./Input.ts"
import type { Installation } from "./Installation.ts"
import { write } from "./Output.ts"
import { helpOn, isAlreadyPrinted, program } from "./Program.ts"
import { processTerminal, type Terminal } from "./Terminal.ts"

/** Runs one command line; returns the exit code. */
export const main = async (
  words: ReadonlyArray<string>,
  installation: Installation,
  terminal: Terminal = processTerminal(installation.environment)
): Promise<number> => {
  let code: number = exitCodes.success
  let asked: CommandSpec | undefined
  const invoke = async (spec: CommandSpec, input: Input): Promise<void> => {
    asked = spec
    const answer = await answerOf(spec, input, installation)
    await write(answer, input.mode, terminal)
    if (answer.failed === true) code = exitCodes.failure
  }
  try {
    const root = program(words, terminal, invoke)
    if (words.length === 0) root.outputHelp()
    else await root.parseAsync(words, { from: "user" })
    return code
  } catch (error) {
    if (isAlreadyPrinted(error)) return error.exitCode === 0 ? exitCodes.success : exitCodes.usage
    report(error, terminal, { asked, words })
    return exitCodeOf(error)
  }
}

const answerOf = async (spec: CommandSpec, input: Input, installation: Installation) => {
  try {
    return await runOf(spec, input, installation)
  } finally {
    input.progress.end()
  }
}

const runOf = async (spec: CommandSpec, input: Input, installation: Installation) => {
  if (spec.load.needs === "nothing") {
    const { run } = await spec.load.from()
    return run(input, installation, { catalog, helpOn: (words) => helpOn(words, input.terminal) })
  }
  const [{ run }, { runWithStorage }] = await Promise.all([spec.load.from(), import("./StorageRunner.ts")])
  return runWithStorage(run, {
    input,
    installation,
    olderSchema: spec.load.olderSchema,
    operation: operationOf(spec, input)
  })
}

const operationOf = ({ operation, operationWith = {} }: CommandSpec, input: Input): string | undefined => {
  const given = Object.keys(operationWith).find((name) => input.switch(name))
  return given === undefined ? operation : operationWith[given]
}

/** The words of the command line, and its command, if it has one. */
interface Asked {
  readonly words: ReadonlyArray<string>
  readonly asked: CommandSpec | undefined
}

/** Writes the error to stderr, and below it the hint, if there is one. */
const report = (error: unknown, terminal: Terminal, { asked, words }: Asked): void => {
  const message = messageOf(error)
  const reason = rootCause(error)
  const because = ofDatabase.has(tagOf(error)) && reason !== error ? ` (${messageOf(reason)})` : ""
  terminal.err(
    `${terminal.paintErr("red", withoutControlsInLines(`lat: ${inCommandsWords(error, message, asked)}${because}`, terminal.paintErr))}\n`
  )
  const hint = error instanceof Failure || error instanceof UsageError ? error.hint : hintFor(error)
  if (hint !== undefined)
    terminal.err(`${withoutControlsInLines(typeof hint === "string" ? hint : hint(words), terminal.paintErr)}\n`)
}

/** Errors whose root cause says what is wrong with the database. */
const ofDatabase = new Set(["StorageUnavailable", "SqlError"])

const messageOf = (error: unknown): string => {
  if (tagOf(error) === "SqlError") return "The database refused a statement"
  if (isRefused(error)) return "The database refused this; nothing was changed"
  if (tagOf(error) === "ConfigError") return (error as { readonly cause: Error }).cause.message
  return error instanceof Error && error.message !== "" ? error.message : String(error)
}

/** Whether the database is reachable and rejected a statement, with an error of its own. */
const isRefused = (error: unknown): boolean => {
  if (tagOf(error) !== "StorageUnavailable") return false
  const { busy, full, outcome } = error as StorageUnavailable
  return full !== true && busy === undefined && outcome === "not-applied" && "severity" in Object(rootCause(error))
}

/**
 * Domain errors name fields of a request, or items of an array field; the CLI names the options and arguments that set
 * them.
 */
const inCommandsWords = (error: unknown, message: string, asked: CommandSpec | undefined): string => {
  if (tagOf(error) === "Ambiguous") return (error as Ambiguous).messageWithoutFields
  if (tagOf(error) !== "InvalidInput") return message
  const { example } = error as InvalidInput
  const said = example === undefined ? message : message.replace(example, inOptions(example, asked))
  return /^[a-z]+(_[a-z]+)*(\[\d{1,5}\])? (must|is) /.test(said)
    ? said.replace(/^([a-z_]+)(\[\d+\])?/, (_, field: string) => wordFor(field, asked))
    : said
}

/**
 * Converts an example of the domain from JSON fields to options; one that was written for the command line is returned
 * unchanged.
 */
const inOptions = (example: string, asked: CommandSpec | undefined): string => {
  try {
    const fields = Object.entries(JSON.parse(`{${example}}`) as object)
    return fields.map(([name, value]) => written(name, value, asked)).join(" ")
  } catch {
    return example
  }
}

const hintFor = (error: unknown): string | undefined => {
  switch (tagOf(error)) {
    case "StorageUnavailable":
    case "SqlError":
      return `'${lat("doctor")}' checks the installation and says what to do.`
    case "ConfigError":
      return "Correct the variable, or unset it for its default."
    case "":
      return `'${lat("doctor")}' checks the installation; LAT_LOG=debug shows more.`
    default:
      return undefined
  }
}
