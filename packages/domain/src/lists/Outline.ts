import { caps } from "../model/Caps.ts"
import type { Thing } from "../model/Thing.ts"
import type { Steps } from "../scheduling/Yielding.ts"
import { inPositionOrder } from "../things/PositionAllocator.ts"

/** A thing with what is nested directly under it. */
export interface Node {
  readonly thing: Thing
  /** Index in position order: the tie-break of every sort. */
  readonly at: number
  readonly children: Array<Node>
}

/** A thing's parent is the nearest preceding one with smaller `tabs`. */
export const nest = (things: ReadonlyArray<Thing>): ReadonlyArray<Node> => {
  const roots: Array<Node> = []
  const open: Array<Node> = []
  things.forEach((thing, at) => {
    const node: Node = { thing, at, children: [] }
    while (open.length > 0 && open.at(-1)!.thing.tabs >= thing.tabs) open.pop()
    const siblings = open.at(-1)?.children ?? roots
    siblings.push(node)
    open.push(node)
  })
  return roots
}

/** A thing in the tree that the nesting of a list makes. */
export interface TreeNode {
  readonly parent: Thing | undefined
  /** The one before it under the same parent. */
  readonly before: Thing | undefined
  /** How many `tabs` deeper than the thing itself the deepest thing under it is; 0 if nothing is nested under it. */
  readonly height: number
}

/** The nodes of all things of a list by their ids; the things come in any order. */
export function* treeOf(things: ReadonlyArray<Thing>): Steps<ReadonlyMap<string, TreeNode>> {
  const tree = new Map<string, TreeNode>()
  const ordered = inPositionOrder(things)
  const heights = yield* heightsOf(ordered)
  const levels: Array<{ readonly parent: Thing | undefined; readonly nodes: ReadonlyArray<Node> }> = [
    { parent: undefined, nodes: nest(ordered) }
  ]
  for (let level = levels.pop(); level !== undefined; level = levels.pop()) {
    const { nodes, parent } = level
    for (const [index, { at, children, thing }] of nodes.entries()) {
      tree.set(thing.id, { parent, before: nodes[index - 1]?.thing, height: heights[at]! })
      if (children.length > 0) levels.push({ parent: thing, nodes: children })
      yield
    }
  }
  return tree
}

/** `TreeNode.height` of each of the things, which come in position order. */
function* heightsOf(things: ReadonlyArray<Thing>): Steps<ReadonlyArray<number>> {
  const heights: Array<number> = []
  /** The top-level things of what follows: the depth of each, and of the deepest thing nested under it. */
  const following: Array<{ readonly tabs: number; readonly deepest: number }> = []
  for (const [at, { tabs }] of [...things.entries()].toReversed()) {
    let deepest = tabs
    while (following.length > 0 && following.at(-1)!.tabs > tabs) deepest = Math.max(deepest, following.pop()!.deepest)
    heights[at] = deepest - tabs
    following.push({ tabs, deepest })
    yield
  }
  return heights
}

/** A thing among others that move together, and how deep it is under the outermost of them. */
export interface Outlined {
  readonly thing: Thing
  readonly depth: number
}

/**
 * The wanted things of a list with everything nested under them, in position order, each once. `things` may come in any
 * order.
 */
export const outlinesOf = (
  things: ReadonlyArray<Thing>,
  isWanted: (thing: Thing) => boolean
): ReadonlyArray<Outlined> => {
  const outlined: Array<Outlined> = []
  let outermost: Thing | undefined
  for (const thing of inPositionOrder(things)) {
    if (outermost === undefined || thing.tabs <= outermost.tabs) outermost = isWanted(thing) ? thing : undefined
    if (outermost !== undefined) outlined.push({ thing, depth: thing.tabs - outermost.tabs })
  }
  return outlined
}

/** A thing of a list and everything nested under it, in position order. `things` may come in any order. */
export const withNested = (things: ReadonlyArray<Thing>, { id }: Thing): ReadonlyArray<Thing> =>
  outlinesOf(things, (each) => each.id === id).map(({ thing }) => thing)

/**
 * The `tabs` that nest a thing under the one before it; undefined if there is none, or if the thing or something nested
 * under it would exceed the cap on `tabs`.
 */
export const deeperThan = ({ before, height }: TreeNode): number | undefined =>
  before === undefined || before.tabs + 1 + height > caps.tabs ? undefined : before.tabs + 1

/** The `tabs` that put a thing beside its parent; undefined at the top level. */
export const shallowerThan = ({ parent }: TreeNode): number | undefined => parent?.tabs
