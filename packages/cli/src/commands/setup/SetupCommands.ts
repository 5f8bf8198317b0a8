import { type CommandSpec, dryRunOption, local, ownerOption } from "../../Command.ts"
import { assistantNames } from "./Programs.ts"

export const setupCommands: ReadonlyArray<CommandSpec> = [
  {
    path: ["setup"],
    about: "show addresses and how to sign in, connect an assistant, install a launcher",
    detail:
      "Alone it says where the server answers, how to sign in, the line that connects an assistant, the calendar feed and where the data lies. Where the account has no password it asks for one on a terminal, or makes a link that works once, within an hour; earlier links end.\n\nWith --assistant it adds the tools to the settings of that program, keeps all else in the file, and keeps the file as it was beside it. With --launcher it makes ~/.local/bin/lat.",
    options: [
      { name: "assistant", value: "NAME", about: "connect this program on this machine", values: assistantNames },
      { name: "launcher", about: "create a launcher of lat for use in every folder" },
      ownerOption,
      dryRunOption
    ],
    examples: [
      "lat setup",
      "lat setup --assistant claude-desktop",
      "lat setup --assistant vscode --dry-run",
      "lat setup --launcher"
    ],
    load: local(async () => ({ run: (await import("./Setup.ts")).run }))
  }
]
