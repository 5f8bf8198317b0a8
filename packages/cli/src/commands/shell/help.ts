import { withCommands } from "@lists-and-things/domain/text/CommandLine"
import { catalog } from "../../Catalog.ts"
import { nearest } from "@lists-and-things/domain/text/Nearest"
import { Help } from "commander"
import type { LocalRun } from "../../Command.ts"
import { UsageError } from "../../Failure.ts"
import { program } from "../../Program.ts"
import type { Terminal } from "../../Terminal.ts"
import { topicNames } from "./ShellCommands.ts"
import { topics } from "./Topics.ts"

export const run: LocalRun = async (input) => {
  const words = input.arguments("TOPIC")
  const topic = words.length === 1 ? topicNames.find((name) => name === words[0]) : undefined
  const text = topic === undefined ? commandHelp(words, input.terminal) : topicHelp(topic, input.terminal)
  return { json: { topic: words.join(" "), text }, text }
}

/** Columns of a topic on a wider terminal. */
const maxColumns = 100

/** The text of a topic; its paragraphs, which two blanks indent, fit the terminal. */
const topicHelp = (topic: keyof typeof topics, { columns }: Terminal): string => {
  const help = new Help()
  const indent = "  "
  const paragraph = (part: string): string =>
    help
      .boxWrap(part.trim().replaceAll(`\n${indent}`, " "), Math.min(columns, maxColumns) - indent.length)
      .replaceAll(/^/gm, indent)
  const parts = withCommands(topics[topic]).split("\n\n")
  return parts.map((part) => (/^ {2}\S/.test(part) ? paragraph(part) : part)).join("\n\n")
}

const commandHelp = (words: ReadonlyArray<string>, terminal: Terminal): string => {
  let command = program(words, terminal, () => Promise.resolve())
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word)
    if (next === undefined) throw unknownTopic(words)
    command = next
  }
  let text = ""
  command.configureOutput({ writeOut: (part) => (text += part) })
  command.outputHelp()
  return text
}

const unknownTopic = (words: ReadonlyArray<string>): UsageError => {
  const wanted = words.join(" ")
  const near = nearest(wanted, [...topicNames, ...catalog.map((spec) => spec.path.join(" "))])
  return new UsageError(`there is no help on '${wanted}'${near === undefined ? "" : `: did you mean ${near}?`}`)
}
