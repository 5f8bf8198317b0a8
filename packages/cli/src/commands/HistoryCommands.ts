import { ownerOption, storage, yesOption, type CommandSpec } from "../Command.ts"

export const historyCommands: ReadonlyArray<CommandSpec> = [
  {
    path: ["history"],
    about: "show what was changed, newest first, and by whom",
    detail:
      "The newest 50 operations; with --since all that are later. Times are on the account's clock. What they deleted is kept until they are pruned, or until 'lat history erase'.",
    options: [
      ownerOption,
      { name: "by", value: "ID", about: "only those of this key, app or user" },
      {
        name: "since",
        value: "TIME",
        about: "only later ones; today, yesterday or ISO 8601, in the account's time zone"
      },
      { name: "find", value: "WORDS", about: "only those whose line has these words, such as Deleted or a title" },
      { name: "thing", value: "ID", about: "only those of the thing with this id, even if it was deleted" },
      { name: "list", value: "ID", about: "only those of the list with this id and of what is in it" }
    ],
    examples: [
      "lat history",
      "lat history --since 2026-11-14 --find deleted",
      "lat history --by 3kTMd9sLq0Xy --since 2026-11-21T09:00 --json"
    ],
    load: storage(async () => ({ run: (await import("./History.ts")).history }))
  },
  {
    path: ["history", "show"],
    about: "show what an operation changed or deleted, and whether it can be undone",
    detail: "At most 500 lists, things, reminders and places; --json has every field of what was deleted.",
    arguments: [{ name: "OPERATION", about: "id of the operation, as 'lat history' shows it" }],
    options: [ownerOption],
    examples: [
      "lat history show 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10",
      "lat history show 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10 --json | jq '.entities[].before'"
    ],
    load: storage(async () => ({ run: (await import("./History.ts")).show }))
  },
  {
    path: ["history", "erase"],
    about: "remove what operations keep of deleted and former content",
    detail:
      "The operations stay and can no longer be undone. Without --operation and --before it is that of all operations.",
    arguments: [{ name: "ACCOUNT", about: "id or email of the account", values: "account", optional: true }],
    options: [
      { name: "operation", value: "ID", about: "only of this operation" },
      {
        name: "before",
        value: "TIME",
        about: "only of operations before this time; today, yesterday or ISO 8601, in the account's time zone"
      },
      yesOption
    ],
    examples: [
      "lat history erase ann@example.com --operation 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10 --yes",
      "lat history erase ann@example.com --before 2026-11-01 --yes"
    ],
    load: storage(async () => ({ run: (await import("./History.ts")).erase }))
  },
  {
    path: ["undo"],
    operation: "undoOperation",
    about: "undo operations, each as a whole or not at all",
    detail:
      "Without an operation it is your newest one on the command line that is not undone. Several are undone in the order given, up to the first that cannot be: what depends on another goes before it. With --by and --since all that a key or app did after a time, as one operation. Undoing an undo is a redo.",
    arguments: [
      { name: "OPERATION", about: "ids of operations, as 'lat history' shows them", many: true, optional: true }
    ],
    options: [
      ownerOption,
      { name: "by", value: "ID", about: "undo what this key, app or user did" },
      {
        name: "since",
        value: "TIME",
        about: "after this time; today, yesterday or ISO 8601, in the account's time zone"
      },
      yesOption
    ],
    examples: [
      "lat undo",
      "lat undo 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10 --yes",
      "lat undo 019ac3f0-6d7e-7a55-b1f4-0c39fe9d5a10 019ac3ef-27b1-7c0e-9f34-6a1d2c3b4e5f --yes",
      "lat undo --by 3kTMd9sLq0Xy --since 2026-11-21T09:00 --yes"
    ],
    load: storage(async () => ({ run: (await import("./History.ts")).undo }))
  },
  {
    path: ["changes"],
    about: "write the whole state, and each change, as lines of JSON",
    detail:
      "The lines of GET /changes. With --cursor-file it goes on where it was before; with --follow it waits for what comes.",
    options: [
      ownerOption,
      { name: "follow", about: "wait for changes until interrupted" },
      { name: "cursor-file", value: "FILE", about: "keeps the cursor between runs", values: "file" }
    ],
    examples: ["lat changes > everything.jsonl", "lat changes --follow --cursor-file ~/.lists.cursor | ./mirror"],
    load: storage(async () => ({ run: (await import("./History.ts")).changes }))
  }
]
