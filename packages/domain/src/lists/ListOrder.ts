import { plainText } from "../markdown/TextMarkup.ts"
import { streamSafe } from "../text/Normalization.ts"
import { collate } from "../text/TextFold.ts"
import type { Thing } from "../model/Thing.ts"
import { sortSteps, type Steps } from "../scheduling/Yielding.ts"
import type { ListSort } from "../model/List.ts"
import { nest, type Node } from "./Outline.ts"

type Compare = (a: Node, b: Node) => number

/**
 * The order in which a list shows its things (docs/decisions.md#order-and-nesting). `things` come in position order. A
 * sort other than `chronological` sorts siblings and keeps every child under its parent, at any depth.
 */
export function* displayOrder(things: ReadonlyArray<Thing>, sort: ListSort): Steps<ReadonlyArray<Thing>> {
  if (sort === "chronological") return things
  const roots = nest(things)
  const compare = yield* comparisons[sort](things)
  const ordered: Array<Thing> = []
  const pending = yield* sortedLast(roots, compare)
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    ordered.push(node.thing)
    for (const child of yield* sortedLast(node.children, compare)) pending.push(child)
    yield
  }
  return ordered
}

function* sortedLast(nodes: ReadonlyArray<Node>, compare: Compare): Steps<Array<Node>> {
  return nodes.length === 0 ? [] : (yield* sortSteps(nodes, compare)).toReversed()
}

function* alphabetical(things: ReadonlyArray<Thing>): Steps<Compare> {
  const plain = new Map<string, string>()
  for (const thing of things) {
    plain.set(thing.id, streamSafe(plainText(thing.text, thing.code)))
    yield
  }
  return (a, b) => collate(plain.get(a.thing.id)!, plain.get(b.thing.id)!)
}

const comparisons: Record<Exclude<ListSort, "chronological">, (things: ReadonlyArray<Thing>) => Steps<Compare>> = {
  *"reverse-chronological"() {
    return (a, b) => b.at - a.at
  },
  *alphabetical(things) {
    const byText = yield* alphabetical(things)
    return (a, b) => byText(a, b) || a.at - b.at
  },
  *"reverse-alphabetical"(things) {
    const byText = yield* alphabetical(things)
    return (a, b) => byText(b, a) || a.at - b.at
  },
  *modified() {
    return (a, b) => b.thing.updated - a.thing.updated || a.at - b.at
  }
}
