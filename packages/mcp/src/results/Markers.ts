import { notify } from "@lists-and-things/domain/model/CurrentOperation"
import { Effect } from "effect"

interface Written {
  readonly text?: string | undefined
  readonly code?: boolean | undefined
}

/** A box or a bullet of markdown with which a text begins. */
const marker = /^\s{0,20}((?:[-*+]\s{1,5})?\[[ xX-]\]|[-*])\s{1,5}\S/

const markerOf = ({ code, text }: Written): string | undefined =>
  code === true || text === undefined ? undefined : marker.exec(text)?.[1]

/**
 * Says that the marker of markdown with which a text begins stays in it: a model that writes `- [ ] Milk` means a todo,
 * and the person would see two boxes. `nameOf` names the argument of the text at an index.
 */
export const notifyMarkers = (written: ReadonlyArray<Written>, nameOf: (at: number) => string): Effect.Effect<void> => {
  const marked = written.flatMap((each, at) => {
    const found = markerOf(each)
    return found === undefined ? [] : [{ at, found }]
  })
  const [first] = marked
  if (first === undefined) return Effect.void
  const instead = first.found.endsWith("]")
    ? "a todo has its own box, and completed ticks it"
    : 'a thing of type "bullet" has its own'
  const others = marked.length === 1 ? "" : ` So it is with ${marked.length - 1} more.`
  return notify(
    `${nameOf(first.at)} begins with ${JSON.stringify(first.found)}, which stays in the text: ${instead}.${others}`
  )
}
