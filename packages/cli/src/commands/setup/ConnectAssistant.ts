import { ApiKeys } from "@lists-and-things/domain/caller/ApiKeys"
import { Effect } from "effect"
import { Failure } from "../../Failure.ts"
import type { Input } from "../../Input.ts"
import type { Installation } from "../../Installation.ts"
import type { Answer } from "../../Output.ts"
import { namedAccount, ownerOf } from "../../Owner.ts"
import { runOver } from "../../StorageRunner.ts"
import { type Assistant, assistants, type Entry, mergeEntry, thisMachine } from "./Assistants.ts"
import { optionsFor, variablesOfStorage } from "./SetupFacts.ts"
import { type AssistantName, latMcpPath, type Programs, serverName } from "./Programs.ts"
import { replaceFile, textOf } from "./SettingsFile.ts"

/** Adds the tool server to the settings of an assistant; with `--dry-run` only shows the entry. */
export const connectAssistant = async (name: string, input: Input, installation: Installation): Promise<Answer> => {
  const assistant = assistants[name as AssistantName]
  const path = assistant.file(thisMachine(installation.environment))
  const before = await textOf(path)
  // Checks the file before a key is created.
  const first = checked(mergeEntry(before, assistant, entryOf(installation.programs, [], {})), path)
  const isDry = input.switch("dry-run")
  const hasKey = "LAT_API_KEY" in variablesIn(first.entry)
  const { options, variables } = await runOver(installation, requirementsOf(input, assistant, { hasKey, isDry }))
  const entry = entryOf(installation.programs, options, variables)
  const merged = checked(mergeEntry(before, assistant, entry), path)
  const shown = { [assistant.section]: { [serverName]: withoutSecrets(merged.entry) } }
  const json = { assistant: name, file: path, changed: merged.isChanged, settings: shown }
  if (isDry)
    return {
      json: { ...json, dry_run: true },
      text: `${merged.isChanged ? "Would be" : "Is already"} in ${path}:\n\n${JSON.stringify(shown, null, 2)}`,
      quiet: path
    }
  if (!merged.isChanged) return { json, text: `${assistant.title} is connected already: ${path}`, quiet: path }
  const backup = await replaceFile(path, merged.text, { keepsFormer: true })
  return {
    json: { ...json, backup: backup ?? null },
    text: `${assistant.title} is connected by ${path}.${backup === undefined ? "" : `\nAs it was before: ${backup}`}`,
    quiet: path,
    remark: assistant.next
  }
}

const checked = (merged: ReturnType<typeof mergeEntry>, path: string) => {
  if (merged._tag === "Merged") return merged
  throw new Failure(
    `${path}, line ${merged.line}, column ${merged.column}: ${merged.reason}. Nothing was changed.`,
    "Correct the file, or move it away, and try again."
  )
}

const entryOf = (programs: Programs, options: ReadonlyArray<string>, env: Readonly<Record<string, string>>): Entry => ({
  command: programs.node,
  args: [latMcpPath(programs), ...options],
  env
})

/**
 * Options and variables of the tool server: the account if one is named, the location of the data, and an API key if
 * the data is in an external database. A key that the entry already has is kept.
 */
const requirementsOf = Effect.fnUntraced(function* (
  input: Input,
  assistant: Assistant,
  { hasKey, isDry }: { readonly hasKey: boolean; readonly isDry: boolean }
) {
  const account = yield* ownerOf(input)
  const variables = yield* variablesOfStorage
  if (!("DATABASE_URL" in variables)) return { options: optionsFor((yield* namedAccount(input))?.email), variables }
  if (hasKey) return { options: [], variables }
  if (isDry) return { options: [], variables: { ...variables, LAT_API_KEY: "a new key" } }
  const { token } = yield* (yield* ApiKeys).create({ account: account.id, name: assistant.title })
  return { options: [], variables: { ...variables, LAT_API_KEY: token } }
})

const secrets = ["DATABASE_URL", "LAT_API_KEY"]

const variablesIn = (entry: object): object =>
  "env" in entry && typeof entry.env === "object" && entry.env !== null ? entry.env : {}

const withoutSecrets = (entry: object): object => {
  const shown = Object.entries(variablesIn(entry)).map(([name, value]) => [
    name,
    secrets.includes(name) ? "(hidden)" : (value as unknown)
  ])
  return shown.length === 0 ? entry : { ...entry, env: Object.fromEntries(shown) as object }
}
