import { type ParsedMarkdown, type ParseOptions, parseSteps } from "../../src/markdown/MarkdownImport.ts"
import { runStepsSync } from "../../src/scheduling/Yielding.ts"

/** `parseSteps` without yielding and without a limit on the number of things. */
export const parseMarkdown = (markdown: string, options: ParseOptions): ParsedMarkdown =>
  runStepsSync(parseSteps(markdown, { ...options, max: Infinity })) ?? { title: undefined, items: [] }
