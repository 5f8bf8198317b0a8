import { Effect } from "effect"
import type { UpdateThingInput } from "../json/ThingInput.ts"
import { notify } from "../model/CurrentOperation.ts"
import type { Thing } from "../model/Thing.ts"

/**
 * A notice for texts that may have lost their end: a client that reads a text cut by `max_text` and writes it back
 * after an edit sends the ellipsis as well (docs/decisions.md#errors).
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
