import { catalog } from "../../Catalog.ts"
import type { LocalRun } from "../../Command.ts"
import type { Installation } from "../../Installation.ts"
import { complete } from "./Offers.ts"

/** One offer a line; first, after a colon, what the shell completes by itself. Never fails: a prompt is no place for it. */
export const run: LocalRun = async (input, installation) => {
  const words = input.arguments("WORDS")
  const offer = complete(catalog, words)
  const found = offer.also === "accounts" ? await emails(words.at(-1) ?? "", installation) : offer.words
  const also = offer.also === "accounts" ? "nothing" : offer.also
  return { json: { words: found, also }, text: [`:${also}`, ...found].join("\n") }
}

/** Asked of a database that runs; none is started for it. */
const emails = async (last: string, installation: Installation): Promise<ReadonlyArray<string>> => {
  try {
    const own = !installation.environment["DATABASE_URL"] && installation.environment["LAT_STORAGE"] !== "memory"
    if (own && !(await installation.embedded()).running) return []
    const { accountEmails } = await import("./AccountEmails.ts")
    return (await accountEmails(installation)).filter((email) => email.startsWith(last))
  } catch {
    return []
  }
}
