import { scopes } from "@lists-and-things/domain/model/Scope"
import { onlyAccountOption, ownerOption, storage, type CommandSpec } from "../Command.ts"

export const keyCommands: ReadonlyArray<CommandSpec> = [
  {
    path: ["key", "create"],
    about: "create an API key and show it once",
    detail: "Only a hash of the key is kept. See also: lat help keys, lat help scopes.",
    options: [
      ownerOption,
      { name: "name", value: "NAME", about: "what the key is for" },
      {
        name: "scopes",
        value: "SCOPES",
        about: `comma-separated, of ${scopes.join(", ")}; default: all`,
        many: true,
        values: scopes
      },
      { name: "rate-limit", value: "N", about: "requests per hour; default: 1000" }
    ],
    examples: [
      "lat key create --account ann@example.com --name laptop",
      "lat key create --account ann@example.com --scopes read:lists,read:things,search",
      "export LAT_API_KEY=$(lat key create --account ann@example.com --quiet)"
    ],
    load: storage(async () => ({ run: (await import("./Key.ts")).create }))
  },
  {
    path: ["key", "list"],
    about: "show keys, without their secrets",
    options: [onlyAccountOption("only keys of this account")],
    examples: ["lat key list", "lat key list --account ann@example.com --json"],
    load: storage(async () => ({ run: (await import("./Key.ts")).list }))
  },
  {
    path: ["key", "revoke"],
    about: "revoke a key at once",
    arguments: [{ name: "KEY_ID", about: "the key's id: the 12 characters between the underscores" }],
    options: [{ name: "yes", about: "has no effect: revoking never asks" }],
    examples: ["lat key revoke 3kTMd9sLq0Xy"],
    load: storage(async () => ({ run: (await import("./Key.ts")).revoke }))
  }
]
