import { writtenTypes } from "@lists-and-things/domain/model/Thing"
import {
  dryRunOption,
  ownerOption,
  storage,
  yesOption,
  type ArgumentSpec,
  type CommandSpec,
  type OptionSpec
} from "../Command.ts"

const things: ArgumentSpec = { name: "THING", about: "short ids or ids of things, or words of a text", many: true }

const naming =
  "A thing is named by its short id, as 'lat today', 'lat list show' and 'lat search' show it, by its id, or by words of its text that no other open thing has. Several are named by ids, or by texts in quotes."

/** Options of both new and changed things; `none` says how to clear one. */
const fields = (of: { readonly type: string; readonly tags: string; readonly none: string }) => [
  { name: "type", value: "TYPE", about: of.type, values: writtenTypes },
  { name: "tag", value: "TAG", about: of.tags, many: true, field: "tags" },
  { name: "url", value: "URL", about: `a link${of.none}` },
  { name: "note", value: "NOTE", about: `a longer note${of.none}; - reads it from standard input` },
  { name: "tabs", value: "N", about: "levels of indentation" }
]

const given: ReadonlyArray<OptionSpec> = fields({
  type: "default: the account's",
  tags: "may be given several times",
  none: ""
})

const changes: ReadonlyArray<OptionSpec> = [
  { name: "text", value: "TEXT", about: "its text; - reads it from standard input" },
  ...fields({
    type: "what kind of line it is",
    tags: "replaces its tags; may be given several times, '' for none",
    none: ", or '' for none"
  }),
  { name: "favorited", value: "BOOL", about: "whether it has a star", values: ["true", "false"] }
]

export const thingCommands: ReadonlyArray<CommandSpec> = [
  {
    path: ["thing", "add"],
    operation: "createThing",
    about: "add a thing to a list",
    detail:
      "Several words make one text. Without --list it goes to today's list. '-' reads the text from standard input; one that begins with a dash comes after '--'.",
    arguments: [{ name: "TEXT", about: "text of the thing", many: true }],
    options: [
      ownerOption,
      { name: "list", value: "LIST", about: "id or title of the list, or a day" },
      ...given,
      dryRunOption
    ],
    examples: ["lat thing add Buy milk", "lat thing add 'Call Ann' --list tomorrow --tag family"],
    load: storage(async () => ({ run: (await import("./Thing.ts")).add }))
  },
  {
    path: ["thing", "show"],
    about: "show a thing with its note, tags and reminder",
    detail: naming.replace(/ Several .*$/, ""),
    arguments: [{ ...things, about: "short id or id of the thing, or words of its text" }],
    options: [ownerOption],
    examples: ["lat thing show 0afc", "lat thing show buy milk --json | jq .reminder.summary"],
    load: storage(async () => ({ run: (await import("./Thing.ts")).show }))
  },
  {
    path: ["thing", "list"],
    about: "show things of all lists, newest first",
    detail: "50 per page. Options filter as the parameters of GET /things do.",
    options: [
      ownerOption,
      { name: "list", value: "LIST", about: "only those of this list: its id or title, or a day" },
      { name: "tag", value: "TAG", about: "only those with this tag" },
      {
        name: "completed",
        value: "BOOL",
        about: "only completed things, or only the others",
        values: ["true", "false"]
      },
      {
        name: "since",
        value: "TIME",
        about:
          "only those added later, with --sort updated those changed later; today, yesterday or ISO 8601, in the account's time zone"
      },
      {
        name: "sort",
        value: "TIME",
        about: "the time to sort by and to compare with --since; default: created",
        values: ["created", "updated"]
      },
      { name: "page", value: "N", about: "page number, from 0" }
    ],
    examples: [
      "lat thing list --tag errands --completed false",
      "lat thing list --since yesterday --sort updated --completed true --json | jq -r '.[].text'"
    ],
    load: storage(async () => ({ run: (await import("./Find.ts")).things }))
  },
  {
    path: ["thing", "done"],
    operation: "updateThings",
    about: "complete things, or reopen them with --undo",
    detail: naming,
    arguments: [things],
    options: [
      ownerOption,
      { name: "undo", about: "reopen them" },
      { name: "cancel", about: "cancel instead of completing" },
      dryRunOption
    ],
    examples: ["lat thing done buy milk", "lat thing done 0afc", "lat thing done 0afc 52f9 'call Ann'"],
    load: storage(async () => ({ run: (await import("./Thing.ts")).done }))
  },
  {
    path: ["thing", "cancel"],
    operation: "updateThings",
    about: "cancel things",
    detail: naming,
    arguments: [things],
    options: [ownerOption, dryRunOption],
    examples: ["lat thing cancel call Ann", "lat thing cancel 0afc"],
    load: storage(async () => ({ run: (await import("./Thing.ts")).cancelThings }))
  },
  {
    path: ["thing", "reopen"],
    operation: "updateThings",
    about: "reopen completed or canceled things",
    detail: naming.replace("open thing", "closed thing"),
    arguments: [things],
    options: [ownerOption, dryRunOption],
    examples: ["lat thing reopen buy milk", "lat thing reopen 0afc"],
    load: storage(async () => ({ run: (await import("./Thing.ts")).reopen }))
  },
  {
    path: ["thing", "edit"],
    operation: "updateThing",
    about: "change the text, tags, note and other fields of a thing",
    detail: `Only what is given changes. ${naming.replace(/ Several .*$/, "")}`,
    arguments: [{ ...things, about: "short id or id of the thing, or words of its text" }],
    options: [ownerOption, ...changes, dryRunOption],
    examples: [
      "lat thing edit 0afc --text 'Buy oat milk'",
      "lat thing edit buy milk --tag food --note 'The blue carton.'"
    ],
    load: storage(async () => ({ run: (await import("./Thing.ts")).edit }))
  },
  {
    path: ["thing", "move"],
    operation: "updateThings",
    about: "move things to the end of another list",
    detail: naming,
    arguments: [things],
    options: [
      ownerOption,
      { name: "to", value: "LIST", about: "id or title of the list, or a day", required: true, field: "list" },
      dryRunOption
    ],
    examples: ["lat thing move buy milk --to tomorrow", "lat thing move 0afc 52f9 --to Groceries"],
    load: storage(async () => ({ run: (await import("./Thing.ts")).move }))
  },
  {
    path: ["thing", "delete"],
    operation: "deleteThings",
    about: "delete things",
    detail: naming,
    arguments: [things],
    options: [ownerOption, yesOption, dryRunOption],
    examples: ["lat thing delete 0afc --yes", "lat thing delete buy milk"],
    load: storage(async () => ({ run: (await import("./Thing.ts")).remove }))
  },
  {
    path: ["thing", "rm"],
    hidden: true,
    operation: "deleteThings",
    about: "delete things",
    detail: "As 'lat thing delete' does.",
    arguments: [things],
    options: [ownerOption, yesOption, dryRunOption],
    examples: ["lat thing rm 0afc --yes"],
    load: storage(async () => ({ run: (await import("./Thing.ts")).remove }))
  }
]
