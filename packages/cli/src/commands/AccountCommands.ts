import { listSorts } from "@lists-and-things/domain/model/List"
import { writtenTypes } from "@lists-and-things/domain/model/Thing"
import { dryRunOption, storage, yesOption, type ArgumentSpec, type CommandSpec, type OptionSpec } from "../Command.ts"

const account: ArgumentSpec = {
  name: "ACCOUNT",
  about: "id or email; default: LAT_ACCOUNT, or the only account",
  values: "account",
  optional: true
}

/** Every setting of an account, its name in kebab case. */
const settings: ReadonlyArray<OptionSpec> = [
  { name: "email", value: "EMAIL", about: "the address to sign in with; unique" },
  { name: "name", value: "NAME", about: "name of the person" },
  {
    name: "timezone",
    value: "ZONE",
    about: "IANA time zone such as Europe/Berlin; days and plain times are read in it"
  },
  {
    name: "default-thing-type",
    value: "TYPE",
    about: "type of new things for which none is given",
    values: writtenTypes
  },
  { name: "default-list-sort", value: "SORT", about: "order of new lists", values: listSorts },
  {
    name: "default-reminder-minutes",
    value: "N",
    about: "duration of new reminders for which none is given; 0 for no end"
  },
  {
    name: "default-alert-minutes",
    value: "N",
    about: "notice before new reminders for which none is given; 0 for none"
  },
  { name: "default-reminder-color", value: "COLOR", about: "#rrggbb, or empty" },
  {
    name: "repeat-moves-to-day",
    value: "BOOL",
    about: "whether a repeating thing that is done moves to the day list of its next date",
    values: ["true", "false"]
  },
  { name: "all-day-at", value: "HH:MM", about: "when reminders of a whole day are due, for webhooks; default: 09:00" }
]

export const accountCommands: ReadonlyArray<CommandSpec> = [
  {
    path: ["account", "create"],
    about: "create an account",
    options: settings.map((each) => (each.name === "email" ? { ...each, required: true } : each)),
    examples: [
      "lat account create --email ann@example.com --name Ann --timezone Europe/Berlin",
      "ID=$(lat account create --email bot@example.com --quiet)"
    ],
    load: storage(async () => ({ run: (await import("./Account.ts")).create }))
  },
  {
    path: ["account", "list"],
    about: "show all accounts",
    examples: ["lat account list", "lat account list --json | jq -r '.[].email'"],
    load: storage(async () => ({ run: (await import("./Account.ts")).list }))
  },
  {
    path: ["account", "show"],
    about: "show an account with its settings",
    arguments: [account],
    examples: ["lat account show ann@example.com"],
    load: storage(async () => ({ run: (await import("./Account.ts")).show }))
  },
  {
    path: ["account", "set"],
    operation: "updateAccount",
    about: "change settings of an account",
    detail:
      "Only what is given changes. The password is read from standard input, so that no process list shows it; on a terminal it is asked twice and not shown.",
    arguments: [account],
    options: [
      ...settings,
      { name: "password-stdin", about: "read a new password (8 to 1024 characters) from standard input" },
      dryRunOption
    ],
    examples: [
      "lat account set ann@example.com --timezone America/New_York --default-list-sort modified",
      "lat account set ann@example.com --repeat-moves-to-day false",
      "pass show lists/ann | lat account set ann@example.com --password-stdin"
    ],
    load: storage(async () => ({ run: (await import("./Account.ts")).set }))
  },
  {
    path: ["account", "link"],
    about: "create a link by which a person chooses the password of an account",
    detail:
      "For a first password and for a forgotten one. The link works once, within an hour, and ends with a newer one. Whoever has it can sign in, so give it to that person alone.",
    arguments: [account],
    examples: ["lat account link ann@example.com"],
    load: storage(async () => ({ run: (await import("./Account.ts")).link }))
  },
  {
    path: ["account", "feed"],
    about: "show the address of an account's calendar feed",
    detail: "Whoever knows the address can read the reminders. --rotate replaces it; the old one stops working.",
    arguments: [account],
    options: [{ name: "rotate", about: "replace the address" }],
    examples: ["lat account feed ann@example.com", "lat account feed ann@example.com --rotate"],
    load: storage(async () => ({ run: (await import("./Account.ts")).feed }))
  },
  {
    path: ["account", "revoke"],
    about: "end all access to an account, for instance after losing a phone",
    detail:
      "Every API key, connected program and signed-in browser, the password, and the address of the calendar feed. Lists stay. It shows a link to choose a new password with.",
    arguments: [{ ...account, about: "id or email of the account" }],
    options: [yesOption],
    examples: ["lat account revoke ann@example.com --yes"],
    load: storage(async () => ({ run: (await import("./Account.ts")).revoke }))
  },
  {
    path: ["account", "delete"],
    about: "delete an account with everything it owns",
    arguments: [{ ...account, about: "id or email of the account" }],
    options: [yesOption],
    examples: ["lat export --account ann@example.com --out backup && lat account delete ann@example.com --yes"],
    load: storage(async () => ({ run: (await import("./Account.ts")).remove }))
  }
]
