import { Effect } from "effect"
import type { UpdateThingInput } from "../json/ThingInput.ts"
import { notify } from "../model/CurrentOperation.ts"
import type { Thing } from "../model/Thing.ts"

/**
 * Says which texts may have lost their end: who reads a text that `max_text` cut, edits it and writes it back, sends the
 * ellipsis of the cut with it (docs/decisions.md#errors).
 */
export const notifyCut = (before: Thing, { note, text }: UpdateThingInput): Effect.Effect<void> =>
  text === undefined && note === undefined
    ? Effect.void
    : Effect.andThen(notifyIfCut("text", before.text, text), notifyIfCut("note", before.note, note))

const notifyIfCut = (name: string, before: string, after: string | undefined): Effect.Effect<void> =>
  after !== undefined && after.endsWith("…") && after.length < before.length && !before.endsWith("…")
    ? notify(
        `The ${name} ends with an ellipsis and is shorter than before: if it was read cut, undo this and read it whole first.`
      )
    : Effect.void
