import type { LocalRun } from "../../Command.ts"
import { type Installation, usesEmbedded } from "../../Installation.ts"
import { complete } from "./CompletionCandidates.ts"

/** One candidate per line; the first line, after a colon, is what the shell completes itself. Never fails. */
export const run: LocalRun = async (input, installation, { catalog }) => {
  const words = input.arguments("WORDS")
  const offer = complete(catalog, words)
  const found = offer.also === "accounts" ? await emails(words.at(-1) ?? "", installation) : offer.words
  const also = offer.also === "accounts" ? "nothing" : offer.also
  return { json: { words: found, also }, text: [`:${also}`, ...found].join("\n") }
}

/** Queries a database that is already running; never starts one. */
const emails = async (last: string, installation: Installation): Promise<ReadonlyArray<string>> => {
  try {
    const embedded = usesEmbedded(await installation.settings())
    if (embedded && !(await installation.embedded()).running) return []
    const [{ accountEmails }, { runOver }] = await Promise.all([
      import("../../Owner.ts"),
      import("../../StorageRunner.ts")
    ])
    return (await runOver(installation, accountEmails)).filter((email) => email.startsWith(last))
  } catch {
    return []
  }
}
