import { withCommands } from "@lists-and-things/domain/text/CommandLine"
import { nearest } from "@lists-and-things/domain/text/Nearest"
import { Help } from "commander"
import type { CommandSpec, LocalRun } from "../../Command.ts"
import { UsageError } from "../../Failure.ts"
import type { Terminal } from "../../Terminal.ts"
import { type TopicName, topicNames, topics } from "./Topics.ts"

export const run: LocalRun = async (input, _installation, { catalog, helpOn }) => {
  const words = input.arguments("TOPIC")
  const topic = words.length === 1 ? topicNames.find((name) => name === words[0]) : undefined
  const text = topic === undefined ? helpOn(words) : topicHelp(topic, input.terminal)
  if (text === undefined) throw unknownTopic(words, catalog)
  return { json: { topic: words.join(" "), text }, text }
}

/** Columns of a topic on a wider terminal. */
const maxColumns = 100

/** The text of a topic; its paragraphs, which two blanks indent, fit the terminal. */
const topicHelp = (topic: TopicName, { columns }: Terminal): string => {
  const help = new Help()
  const indent = "  "
  const paragraph = (part: string): string =>
    help
      .boxWrap(part.trim().replaceAll(`\n${indent}`, " "), Math.min(columns, maxColumns) - indent.length)
      .replaceAll(/^/gm, indent)
  const parts = withCommands(topics[topic]).split("\n\n")
  return parts.map((part) => (/^ {2}\S/.test(part) ? paragraph(part) : part)).join("\n\n")
}

const unknownTopic = (words: ReadonlyArray<string>, catalog: ReadonlyArray<CommandSpec>): UsageError => {
  const wanted = words.join(" ")
  const near = nearest(wanted, [...topicNames, ...catalog.map((spec) => spec.path.join(" "))])
  return new UsageError(`there is no help on '${wanted}'${near === undefined ? "" : `: did you mean ${near}?`}`)
}
