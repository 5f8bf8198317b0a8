import type { Effect } from "effect"
import type { CliServices } from "./CliServices.ts"
import type { Input } from "./Input.ts"
import type { Installation, OlderSchema } from "./Installation.ts"
import type { Answer } from "./Output.ts"

/** The kind of a value; validation and shell completion follow it. */
export type Values = ReadonlyArray<string> | "file" | "folder" | "account"

/** A positional argument; only the last one can be `many`. */
export interface ArgumentSpec {
  readonly name: string
  readonly about: string
  readonly many?: boolean
  readonly optional?: boolean
  readonly values?: Values
  /** The request field that it sets, if that has another name. */
  readonly field?: string
}

export interface OptionSpec {
  /** In kebab case. */
  readonly name: string
  /** Name of the value in the help; an option without one is a switch. */
  readonly value?: string
  readonly about: string
  readonly required?: boolean
  /** The option may be repeated. */
  readonly many?: boolean
  readonly values?: Values
  /** The request field that it sets, if that has another name. */
  readonly field?: string
}

const argumentFor = (field: string, spec: CommandSpec | undefined): ArgumentSpec | undefined =>
  spec?.arguments?.find((each) => (each.field ?? each.name.toLowerCase()) === field)

/** The name of the argument, or the option, that sets a field of a request. */
export const wordFor = (field: string, spec: CommandSpec | undefined): string => {
  const argument = argumentFor(field, spec)
  const option = spec?.options?.find((each) => each.field === field)
  return argument?.name ?? `--${option?.name ?? field.replaceAll("_", "-")}`
}

/** A field with its value, as a command line writes it. */
export const written = (name: string, value: unknown, spec: CommandSpec | undefined): string =>
  argumentFor(name, spec) === undefined ? `${wordFor(name, spec)} ${wordOf(value)}` : wordOf(value)

const wordOf = (value: unknown): string =>
  typeof value === "string" ? `'${value}'` : Array.isArray(value) ? value.join(",") : JSON.stringify(value)

/** A command over the ports, in a process that has connected to the storage. */
export type StorageRun = (input: Input) => Effect.Effect<Answer, Error, CliServices>
/** The whole of `lat`, for the commands that describe it. */
export interface ProgramDescription {
  /** Every command, in the order of the help. */
  readonly catalog: ReadonlyArray<CommandSpec>
  /** The help on a command, or on its group, as `--help` prints it; undefined if the words name neither. */
  readonly helpOn: (words: ReadonlyArray<string>) => string | undefined
}

/** A command that runs without a connection to the storage, and uses the installation as it needs. */
export type LocalRun = (input: Input, installation: Installation, program: ProgramDescription) => Promise<Answer>

/** Declaration of a command without the code that runs it: help and completion load nothing else. */
export interface CommandSpec {
  readonly path: readonly [string] | readonly [string, string]
  readonly about: string
  readonly detail?: string
  readonly arguments?: ReadonlyArray<ArgumentSpec>
  readonly options?: ReadonlyArray<OptionSpec>
  readonly examples: ReadonlyArray<string>
  readonly hidden?: boolean
  /**
   * For commands that change something, the name of their operation in the history: the `operationId` of the REST
   * endpoint that does the same, or a name in that form.
   */
  readonly operation?: string
  /** Operations by the switch that selects them in place of `operation`. */
  readonly operationWith?: Readonly<Record<string, string>>
  readonly load:
    | {
        readonly needs: "storage"
        readonly from: () => Promise<{ readonly run: StorageRun }>
        readonly olderSchema: OlderSchema
      }
    | { readonly needs: "nothing"; readonly from: () => Promise<{ readonly run: LocalRun }> }
}

/** Commands refuse data of an older release, except those that migrate or inspect it. */
export const storage = (
  from: () => Promise<{ readonly run: StorageRun }>,
  olderSchema: OlderSchema = "refuse"
): CommandSpec["load"] => ({ needs: "storage", from, olderSchema })

export const local = (from: () => Promise<{ readonly run: LocalRun }>): CommandSpec["load"] => ({
  needs: "nothing",
  from
})

/** For commands that work in one account. */
export const ownerOption: OptionSpec = {
  name: "account",
  value: "ACCOUNT",
  about: "id or email of the account; default: LAT_ACCOUNT, or the only account",
  values: "account"
}

/** For commands that cover all accounts unless one is named. */
export const onlyAccountOption = (about: string): OptionSpec => ({ ...ownerOption, about })

export const yesOption: OptionSpec = { name: "yes", about: "do not ask" }

/** For commands that write. */
export const dryRunOption: OptionSpec = { name: "dry-run", about: "show what would change, and change nothing" }
