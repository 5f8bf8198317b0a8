import { dryRunOption, ownerOption, storage, yesOption, type ArgumentSpec, type CommandSpec } from "../Command.ts"

const things: ArgumentSpec = { name: "ID", about: "ids of things, as --ids shows them", many: true }
const types = ["todo", "note", "dash", "number", "bullet", "none", "photo"]

export const thingCommands: ReadonlyArray<CommandSpec> = [
  {
    path: ["thing", "add"],
    operation: "createThing",
    about: "add a thing to a list",
    detail: "Several words make one text. Without --list it goes to today's list.",
    arguments: [{ name: "TEXT", about: "what it says", many: true }],
    options: [
      ownerOption,
      { name: "list", value: "LIST", about: "id or title of the list, or a day" },
      { name: "type", value: "TYPE", about: "the account's default when left out", values: types },
      { name: "tag", value: "TAG", about: "may be given several times", many: true },
      { name: "url", value: "URL", about: "a link" },
      { name: "note", value: "NOTE", about: "a longer note" },
      { name: "tabs", value: "N", about: "levels of indentation" },
      dryRunOption
    ],
    examples: ["lat thing add Buy milk", "lat thing add 'Call Ann' --list tomorrow --tag family"],
    load: storage(async () => ({ run: (await import("./Thing.ts")).add }))
  },
  {
    path: ["thing", "done"],
    operation: "updateThings",
    about: "complete things, or open them again with --undo",
    arguments: [things],
    options: [
      ownerOption,
      { name: "undo", about: "open them again" },
      { name: "cancel", about: "cancel instead of completing" },
      dryRunOption
    ],
    examples: ["lat thing done 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10"],
    load: storage(async () => ({ run: (await import("./Thing.ts")).done }))
  },
  {
    path: ["thing", "move"],
    operation: "updateThings",
    about: "move things to the end of another list",
    arguments: [things],
    options: [
      ownerOption,
      { name: "to", value: "LIST", about: "id or title of the list, or a day", required: true },
      dryRunOption
    ],
    examples: ["lat thing move 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10 --to tomorrow"],
    load: storage(async () => ({ run: (await import("./Thing.ts")).move }))
  },
  {
    path: ["thing", "rm"],
    operation: "deleteThings",
    about: "delete things",
    arguments: [things],
    options: [ownerOption, yesOption, dryRunOption],
    examples: ["lat thing rm 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10 --yes"],
    load: storage(async () => ({ run: (await import("./Thing.ts")).rm }))
  }
]
