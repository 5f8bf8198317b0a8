import type { CommandSpec } from "./Command.ts"
import { accountCommands } from "./commands/AccountCommands.ts"
import { dbCommands } from "./commands/DbCommands.ts"
import { documentCommands } from "./commands/documents/DocumentCommands.ts"
import { historyCommands } from "./commands/HistoryCommands.ts"
import { keyCommands } from "./commands/KeyCommands.ts"
import { listCommands } from "./commands/ListCommands.ts"
import { setupCommands } from "./commands/setup/SetupCommands.ts"
import { shellCommands } from "./commands/shell/ShellCommands.ts"
import { webhookCommands } from "./commands/WebhookCommands.ts"
import { reminderCommands } from "./commands/ReminderCommands.ts"
import { thingCommands } from "./commands/ThingCommands.ts"

/** Every command, in the order of the help. */
export const catalog: ReadonlyArray<CommandSpec> = [
  ...accountCommands,
  ...keyCommands,
  ...listCommands,
  ...thingCommands,
  ...reminderCommands,
  ...historyCommands,
  ...documentCommands,
  ...webhookCommands,
  ...dbCommands,
  ...setupCommands,
  ...shellCommands
]

/** The commands whose first word is `word`, or all if there are none: the parser is built of no more than it needs. */
export const commandsOf = (word: string | undefined): ReadonlyArray<CommandSpec> => {
  const found = catalog.filter(({ path }) => path[0] === word)
  return found.length === 0 ? catalog : found
}

/** Names of commands in other programs, by the last word of ours. */
const elsewhere: Readonly<Record<string, ReadonlyArray<string>>> = {
  add: ["new", "create"],
  create: ["new", "make", "add"],
  delete: ["remove", "rm", "del", "erase"],
  done: ["complete", "finish", "check", "tick", "close"],
  dump: ["backup"],
  edit: ["rename", "change", "modify", "update", "set"],
  list: ["ls"],
  remind: ["reminder"],
  reopen: ["uncheck", "uncomplete", "open"],
  set: ["edit", "change", "modify", "update"],
  setup: ["start", "serve", "server", "run", "login"],
  show: ["view", "get", "cat"]
}

/**
 * Suggestions for unknown words: `thing done` for `done` without its group, or for `complete`. Empty if the words begin
 * a command.
 */
export const commandsMeant = ([first, second]: ReadonlyArray<string>): ReadonlyArray<string> => {
  const shown = catalog.filter(({ hidden }) => hidden !== true)
  const inGroup = shown.filter(({ path }) => path[0] === first)
  const isKnown = inGroup.some(({ path }) => path.length === 1 || path[1] === second)
  const word = inGroup.length === 0 ? first : second
  if (isKnown || word === undefined) return []
  const among = inGroup.length === 0 ? shown : inGroup
  const named = among.filter(({ path }) => path.at(-1) === word)
  const found = named.length > 0 ? named : among.filter(({ path }) => elsewhere[path.at(-1)!]?.includes(word) === true)
  return found.map(({ path }) => path.join(" "))
}

/** Descriptions of the first words that group commands. */
export const groups: Readonly<Record<string, string>> = {
  account: "accounts and their settings",
  key: "API keys",
  list: "lists of an account",
  thing: "things in the lists of an account",
  webhook: "webhooks, which tell other systems of reminders and changes",
  db: "the database: its status, schema and backups"
}
