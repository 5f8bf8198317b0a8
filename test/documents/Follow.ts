import { expect } from "@effect/vitest"
import { readDocument, rewrite, type Step } from "./Document.ts"
import { Session, type SessionOptions, today, type Told } from "./Session.ts"

/**
 * With `LAT_WRITE_DOCUMENTS=1`, documents are updated with the actual output; review the difference before you commit
 * it.
 */
const writes = process.env["LAT_WRITE_DOCUMENTS"] === "1"

/**
 * Runs the blocks of a document in order, and expects the outputs that it shows. Returns the output of blocks that
 * show one. `last` are commands to run afterwards. A document shows one day: a run that fails in a night is repeated on
 * the new day.
 */
export const follow = async (path: string, options: SessionOptions = {}, last = ""): Promise<string> => {
  const day = today()
  try {
    return await followOnce(path, options, last)
  } catch (error) {
    if (today() === day) throw error
    return followOnce(path, options, last)
  }
}

const followOnce = async (path: string, options: SessionOptions, last: string): Promise<string> => {
  const document = readDocument(path)
  expect(document.recorded, "the day of the transcripts").toBeDefined()
  const session = await Session.open(document, options)
  const blocks = new Map<Step, string>()
  const differing = new Set<Step>()
  try {
    for await (const told of session.follow()) {
      if (!told.matches && !writes) expect(located(told.said, told)).toBe(located(told.shown, told))
      if (!told.matches) differing.add(told.step)
      blocks.set(told.step, blockWith(blocks.get(told.step), told))
    }
    await session.run(last)
  } finally {
    await session.end()
  }
  expect(blocks.size, "blocks that show an answer").toBeGreaterThan(0)
  if (writes) rewrite(document, new Map([...blocks].filter(([step]) => differing.has(step))))
  return [...blocks.values()].join("")
}

const located = (text: string, { call = "", step }: Told): string => `line ${step.line} ${call}\n${text.trimEnd()}`

/** The block with the actual output; for a conversation, appended to the earlier answers. */
const blockWith = (before: string | undefined, { call, matches, said, shown, step }: Told): string => {
  const answer = matches ? shown : said
  if (call === undefined) return answer
  const begun = before ?? /^\$ .*\n/.exec(step.text)?.[0] ?? ""
  return `${begun}→ ${call}\n${answer.trim()}\n\n`
}
