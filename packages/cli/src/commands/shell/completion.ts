import type { LocalRun } from "../../Command.ts"
import { UsageError } from "../../Failure.ts"
import { completionScripts } from "./CompletionScripts.ts"

export const run: LocalRun = async (input) => {
  const shell = input.argument("SHELL")
  const script = Object.hasOwn(completionScripts, shell) ? completionScripts[shell] : undefined
  if (script === undefined) throw new UsageError(`'${shell}' is not a shell known here: bash, zsh or fish`)
  return { json: { shell, script }, text: script, quiet: script }
}
