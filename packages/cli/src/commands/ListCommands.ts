import { listSorts } from "@lists-and-things/domain/model/List"
import {
  dryRunOption,
  ownerOption,
  storage,
  yesOption,
  type ArgumentSpec,
  type CommandSpec,
  type OptionSpec
} from "../Command.ts"

const list: ArgumentSpec = { name: "LIST", about: "id or title of the list, or a day such as today or 2026-11-21" }

const pages: ReadonlyArray<OptionSpec> = [
  ownerOption,
  { name: "archived", about: "archived lists instead of the others" },
  { name: "page", value: "N", about: "page number, from 0, with 50 lists per page; default: all pages" }
]

export const listCommands: ReadonlyArray<CommandSpec> = [
  {
    path: ["today"],
    operation: "getToday",
    about: "show the list of a day",
    options: [
      ownerOption,
      { name: "date", value: "DATE", about: "today, yesterday, tomorrow or an ISO date" },
      { name: "ids", about: "show full ids instead of short ones" }
    ],
    examples: ["lat today", "lat today --date tomorrow --ids"],
    load: storage(async () => ({ run: (await import("./List.ts")).today }))
  },
  {
    path: ["search"],
    about: "find lists by their titles and things by their texts",
    detail: "Ignores case, best matches first, at most 50 lists and 50 things. Times are on the account's clock.",
    arguments: [{ name: "WORDS", about: "any part of a title or a text", many: true, field: "query" }],
    options: [ownerOption],
    examples: ["lat search milk", "lat search call Ann --json | jq '.things[].id'"],
    load: storage(async () => ({ run: (await import("./Find.ts")).search }))
  },
  {
    path: ["tags"],
    about: "show the tags and how many things have each",
    options: [ownerOption],
    examples: ["lat tags", "lat tags --json | jq -r '.[].name'"],
    load: storage(async () => ({ run: (await import("./Find.ts")).tags }))
  },
  {
    path: ["list", "list"],
    about: "show the lists, most recently modified first",
    detail: "Times are on the account's clock.",
    options: pages,
    examples: ["lat list list", "lat list list --archived", "lat list list --account ann@example.com --page 0"],
    load: storage(async () => ({ run: (await import("./List.ts")).ls }))
  },
  {
    path: ["list", "ls"],
    hidden: true,
    about: "show the lists",
    detail: "As 'lat list list' does.",
    options: pages,
    examples: ["lat list ls --account ann@example.com"],
    load: storage(async () => ({ run: (await import("./List.ts")).ls }))
  },
  {
    path: ["list", "show"],
    operation: "getToday",
    about: "show a list with its things",
    arguments: [list],
    options: [
      ownerOption,
      { name: "ids", about: "show full ids instead of short ones" },
      { name: "markdown", about: "as markdown, which can be imported again" }
    ],
    examples: ["lat list show Groceries", "lat list show Groceries --ids", "lat list show today --markdown > today.md"],
    load: storage(async () => ({ run: (await import("./List.ts")).show }))
  },
  {
    path: ["list", "create"],
    operation: "createList",
    about: "create a list",
    arguments: [{ name: "TITLE", about: "title of the list" }],
    options: [
      ownerOption,
      { name: "emoji", value: "EMOJI", about: "shown before the title" },
      { name: "sort", value: "SORT", about: "default: the account's", values: listSorts },
      dryRunOption
    ],
    examples: ["lat list create Groceries --emoji 🛒", "lat list create Books --sort alphabetical"],
    load: storage(async () => ({ run: (await import("./List.ts")).create }))
  },
  {
    path: ["list", "edit"],
    operation: "updateList",
    about: "rename a list, or change its emoji, order or star",
    detail: "Only what is given changes.",
    arguments: [list],
    options: [
      ownerOption,
      { name: "title", value: "TITLE", about: "title of the list" },
      { name: "emoji", value: "EMOJI", about: "shown before the title, or '' for none" },
      { name: "sort", value: "SORT", about: "order of its things", values: listSorts },
      { name: "favorited", value: "BOOL", about: "whether it has a star", values: ["true", "false"] },
      dryRunOption
    ],
    examples: ["lat list edit Groceries --title Food --emoji 🥕", "lat list edit Books --sort alphabetical"],
    load: storage(async () => ({ run: (await import("./List.ts")).edit }))
  },
  {
    path: ["list", "archive"],
    operation: "updateList",
    about: "archive a list, or unarchive it with --undo",
    arguments: [list],
    options: [ownerOption, { name: "undo", about: "unarchive it" }, dryRunOption],
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
