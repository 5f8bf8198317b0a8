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

/** The commands that begin with a word, or all where none does: a command line is built of what it can show. */
export const commandsOf = (word: string | undefined): ReadonlyArray<CommandSpec> => {
  const found = catalog.filter(({ path }) => path[0] === word)
  return found.length === 0 ? catalog : found
}

/** The commands in a group that a word means which begins none, such as `thing done` by `done`. */
export const commandsNamed = (word: string | undefined): ReadonlyArray<string> =>
  catalog.some(({ path }) => path[0] === word)
    ? []
    : catalog.filter(({ hidden, path }) => hidden !== true && path[1] === word).map(({ path }) => path.join(" "))

/** Descriptions of the first words that group commands. */
export const groups: Readonly<Record<string, string>> = {
  account: "accounts and their settings",
  key: "API keys",
  list: "lists of an account",
  thing: "things in the lists of an account",
  webhook: "other systems that are told of reminders and changes",
  db: "where the data is kept"
}
