import { dryRunOption, ownerOption, storage, type CommandSpec } from "../../Command.ts"

export const documentCommands: ReadonlyArray<CommandSpec> = [
  {
    path: ["import"],
    operation: "importMarkdown",
    operationWith: { list: "appendMarkdown" },
    about: "create a list from each markdown document, or add them to a list",
    detail:
      "'-' reads standard input, which must not be empty; a pattern in quotes is expanded. No file is imported when one cannot be read.",
    arguments: [{ name: "FILE", about: "markdown files, patterns, or -", many: true, values: "file" }],
    options: [
      ownerOption,
      { name: "title", value: "TITLE", about: "title of the list, for a single document" },
      {
        name: "list",
        value: "LIST",
        about: "add to this list or day instead of creating lists: its id, title or date"
      },
      dryRunOption
    ],
    examples: [
      "lat import groceries.md --account ann@example.com",
      "lat import 'notes/**/*.md' --account ann@example.com",
      "lat import daily/2026-11-22.md --list 2026-11-22",
      "curl -s https://example.com/plan.md | lat import - --account ann@example.com --title Plan"
    ],
    load: storage(() => import("./import.ts"))
  },
  {
    path: ["export"],
    about: "write everything an account owns to files",
    detail:
      "json is one file that 'lat restore' reads without loss; markdown is one file a list. Keys are in neither. Files of these names that are there are replaced.",
    options: [
      ownerOption,
      { name: "format", value: "FORMAT", about: "default: json", values: ["json", "markdown"] },
      {
        name: "out",
        value: "DIR",
        about: "folder to write to, created if missing; - writes json to standard output",
        values: "folder",
        required: true
      }
    ],
    examples: [
      "lat export --account ann@example.com --format json --out backup",
      "lat export --account ann@example.com --format markdown --out notes",
      "lat export --account ann@example.com --out - | gzip > ann.json.gz"
    ],
    load: storage(() => import("./export.ts"))
  },
  {
    path: ["restore"],
    operation: "restoreAccount",
    about: "restore an export",
    detail:
      "The account must be empty; with --merge it may own things, and what it has already is skipped. All or nothing.",
    arguments: [{ name: "FILE", about: "a file that 'lat export --format json' wrote, or -", values: "file" }],
    options: [
      ownerOption,
      { name: "merge", about: "restore into an account that is not empty; ids that it has are skipped" },
      dryRunOption
    ],
    examples: [
      "lat restore backup/ann@example.com.json --account ann@example.com",
      "lat restore backup/ann@example.com.json --account ann@example.com --merge"
    ],
    load: storage(() => import("./restore.ts"), "migrate")
  }
]
