import { accountOption, local, storage, type CommandSpec } from "../Command.ts"

export const dbCommands: ReadonlyArray<CommandSpec> = [
  {
    path: ["db", "status"],
    about: "show where the data is, its version and who is connected",
    examples: ["lat db status", "lat db status --json | jq .schema_version"],
    load: storage(async () => ({ run: (await import("./Db.ts")).status }), "accept")
  },
  {
    path: ["db", "migrate"],
    about: "bring the schema up to date",
    detail: "The server does so on its start, and 'lat restore'; other commands refuse the data of an older release.",
    examples: ["lat db migrate"],
    load: storage(async () => ({ run: (await import("./Db.ts")).migrate }), "accept")
  },
  {
    path: ["db", "stop"],
    about: "stop the embedded PostgreSQL",
    detail: "Processes that are connected lose their connection. The next command starts it again.",
    examples: ["lat db stop"],
    load: local(async () => ({ run: (await import("./Db.ts")).stop }))
  },
  {
    path: ["stats"],
    about: "count accounts, keys, lists, things, reminders and the size on disk",
    options: [{ ...accountOption, about: "only what this account owns", required: false }],
    examples: ["lat stats", "lat stats --account ann@example.com --json"],
    load: storage(async () => ({ run: (await import("./Db.ts")).stats }))
  }
]
