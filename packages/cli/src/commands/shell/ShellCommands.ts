import { local, type CommandSpec } from "../../Command.ts"
import { topicNames } from "./Topics.ts"

export const shellCommands: ReadonlyArray<CommandSpec> = [
  {
    path: ["config"],
    about: "show the settings in force and where each comes from",
    examples: ["lat config", "lat config --json | jq .settings"],
    load: local(() => import("./config.ts"))
  },
  {
    path: ["doctor"],
    about: "check the installation and say what to do",
    examples: ["lat doctor", "lat doctor --json | jq '.checks[] | select(.state != \"ok\")'"],
    load: local(() => import("./doctor.ts"))
  },
  {
    path: ["completion"],
    about: "write a completion script for a shell",
    arguments: [{ name: "SHELL", about: "bash, zsh or fish", values: ["bash", "zsh", "fish"] }],
    examples: [
      "source <(lat completion bash)",
      "lat completion zsh > ~/.zfunc/_lat",
      "lat completion fish > ~/.config/fish/completions/lat.fish"
    ],
    load: local(() => import("./completion.ts"))
  },
  {
    path: ["help"],
    about: `explain a topic (${topicNames.join(", ")}) or a command`,
    arguments: [{ name: "TOPIC", about: "a topic or a command", many: true, optional: true, values: topicNames }],
    examples: ["lat help keys", "lat help account set"],
    load: local(() => import("./help.ts"))
  },
  {
    path: ["complete-words"],
    about: "answer the completion scripts",
    arguments: [{ name: "WORDS", about: "the words after lat, the last one unfinished", many: true, optional: true }],
    examples: ["lat complete-words -- account sh"],
    hidden: true,
    load: local(() => import("./completeWords.ts"))
  }
]
