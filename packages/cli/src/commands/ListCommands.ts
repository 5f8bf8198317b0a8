import { dryRunOption, ownerOption, storage, yesOption, type ArgumentSpec, type CommandSpec } from "../Command.ts"

const list: ArgumentSpec = { name: "LIST", about: "id or title of the list, or a day such as today or 2026-11-21" }
const sorts = ["chronological", "reverse-chronological", "alphabetical", "reverse-alphabetical", "modified"]

export const listCommands: ReadonlyArray<CommandSpec> = [
  {
    path: ["today"],
    operation: "getToday",
    about: "show the list of a day",
    options: [
      ownerOption,
      { name: "date", value: "DATE", about: "today, yesterday, tomorrow or an ISO date" },
      { name: "ids", about: "show ids" }
    ],
    examples: ["lat today", "lat today --date tomorrow --ids"],
    load: storage(async () => ({ run: (await import("./List.ts")).today }))
  },
  {
    path: ["list", "ls"],
    about: "show the lists, most recently modified first",
    options: [
      ownerOption,
      { name: "page", value: "N", about: "50 lists a page, counted from 0; all pages when left out" }
    ],
    examples: ["lat list ls --account ann@example.com"],
    load: storage(async () => ({ run: (await import("./List.ts")).ls }))
  },
  {
    path: ["list", "show"],
    operation: "getToday",
    about: "show a list as people write it",
    arguments: [list],
    options: [
      ownerOption,
      { name: "ids", about: "show ids" },
      { name: "markdown", about: "as markdown that imports again" }
    ],
    examples: ["lat list show Groceries", "lat list show Groceries --ids", "lat list show today --markdown > today.md"],
    load: storage(async () => ({ run: (await import("./List.ts")).show }))
  },
  {
    path: ["list", "create"],
    operation: "createList",
    about: "make a list",
    arguments: [{ name: "TITLE", about: "title of the list" }],
    options: [
      ownerOption,
      { name: "emoji", value: "EMOJI", about: "shown before the title" },
      { name: "sort", value: "SORT", about: "the account's default when left out", values: sorts },
      dryRunOption
    ],
    examples: ["lat list create Groceries --emoji 🛒", "lat list create Books --sort alphabetical"],
    load: storage(async () => ({ run: (await import("./List.ts")).create }))
  },
  {
    path: ["list", "archive"],
    operation: "updateList",
    about: "put a list away, or bring it back with --undo",
    arguments: [list],
    options: [ownerOption, { name: "undo", about: "bring it back" }, dryRunOption],
    examples: ["lat list archive 'Trip 2025'", "lat list archive 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10 --undo"],
    load: storage(async () => ({ run: (await import("./List.ts")).archive }))
  },
  {
    path: ["list", "delete"],
    operation: "deleteList",
    about: "delete a list with its things",
    arguments: [list],
    options: [ownerOption, yesOption, dryRunOption],
    examples: ["lat list delete 'Trip 2025' --yes"],
    load: storage(async () => ({ run: (await import("./List.ts")).remove }))
  }
]
