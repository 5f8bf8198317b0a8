import { Effect } from "effect"
import { typedLines } from "../markdown/TypedLines.ts"
import type { Account } from "../model/Account.ts"
import { mapYielding, runSteps } from "../scheduling/Yielding.ts"
import { takeTags } from "./TypedLine.ts"
import { markdownDrafts } from "./MarkdownDrafts.ts"
import type { ThingDraft } from "./ThingDraft.ts"

/** A plain line takes the account's default type; anything with a marker keeps what the marker says. */
const typedDraft = (draft: ThingDraft, { defaultThingType }: Account): ThingDraft => {
  const { code, header, markup, quote, subheader, type } = draft.content
  const isPlainLine = type === "none" && markup === "" && !(header || subheader || quote || code)
  return isPlainLine ? { ...draft, content: { ...draft.content, type: defaultThingType } } : draft
}

const taggedDraft = (draft: ThingDraft): ThingDraft =>
  draft.content.code ? draft : { ...draft, content: { ...draft.content, ...takeTags(draft.content.text) } }

/** Lines that a person typed or pasted, as drafts, including blank ones. Words such as `#shop` end a line that is alone. */
export const typedDrafts = Effect.fnUntraced(function* (text: string, account: Account) {
  const isOneLine = !text.trim().includes("\n")
  const { drafts } = yield* markdownDrafts(yield* runSteps(() => typedLines(text)), { title: "none" })
  return yield* mapYielding(drafts, (draft) => typedDraft(isOneLine ? taggedDraft(draft) : draft, account))
})
