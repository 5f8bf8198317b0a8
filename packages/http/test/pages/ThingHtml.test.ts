import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { ThingId } from "@lists-and-things/domain/model/Ids"
import * as Fixtures from "@lists-and-things/testing/Fixtures"
import { runStepsSync } from "@lists-and-things/domain/scheduling/Yielding"
import { thingsHtml, thingSteps } from "../../src/pages/ThingHtml.ts"

const account = Fixtures.account()
const list = Fixtures.list(account.id)

const thingHtml = (...args: Parameters<typeof thingSteps>) => runStepsSync(thingSteps(...args))

const thingsOf = (tabs: ReadonlyArray<number>) =>
  tabs.map((depth, at) =>
    Fixtures.thing(account.id, list.id, { id: ThingId.make(String(at)), text: `thing ${at}`, tabs: depth })
  )

const written = (tabs: ReadonlyArray<number>) => runStepsSync(thingsHtml(thingsOf(tabs), new Map())).text

interface Node {
  readonly at: number
  readonly children: Array<Node>
}

/** Each thing under the nearest one before it with a smaller indent, written from the inside out. */
const nested = (tabs: ReadonlyArray<number>): string => {
  const things = thingsOf(tabs)
  const roots: Array<Node> = []
  const nodes: Array<Node> = []
  for (const [at, depth] of tabs.entries()) {
    const node: Node = { at, children: [] }
    const parent = tabs.slice(0, at).findLastIndex((before) => before < depth)
    ;(nodes[parent]?.children ?? roots).push(node)
    nodes.push(node)
  }
  const item = ({ at, children }: Node): string => {
    const inner = children.length === 0 ? "" : `<ul>${children.map(item).join("")}</ul>`
    return `<li>${thingHtml(things[at]!, { reminder: undefined }).text}${inner}</li>`
  }
  return `<ul class="things">${roots.map(item).join("")}</ul>`
}

const count = (text: string, part: string): number => text.split(part).length - 1

describe("the page of a list", () => {
  it("renders inline markup", () => {
    const thing = Fixtures.thing(account.id, list.id, { text: "**a** *b* ~~c~~ `d` *~~e~~*" })
    expect(thingHtml(thing, { reminder: undefined }).text).toContain(
      "<strong>a</strong> <em>b</em> <s>c</s> <code>d</code> <em><s>e</s></em>"
    )
  })

  it("nests its things as the list does", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 30 }), (tabs) => {
        expect(written(tabs)).toBe(nested(tabs))
      })
    )
  })

  it("names a thing without a text by its photo or its list, and a link without words by its address", () => {
    const shown = (fields: Parameters<typeof Fixtures.thing>[2]) =>
      thingHtml(Fixtures.thing(account.id, list.id, { id: ThingId.make("1"), ...fields }), {
        reminder: undefined,
        look: { zone: "UTC", now: EpochMillis(0) }
      }).text
    const name = (words: string) => `id="t-1"><span class="spoken">${words}</span></div>`
    expect(shown({ text: "", photos: ["https://example.com/cat.jpg"] })).toContain(name("https://example.com/cat.jpg"))
    expect(shown({ text: "", listRef: list.id })).toContain(name("A list"))
    expect(shown({ text: "", url: "https://example.com/" })).not.toContain('</a><span class="spoken">')
    expect(shown({ text: "[ ](https://example.com/)" })).toContain(">https://example.com/</a>")
  })

  it("shows an address as text that a browser would complete with that of the page", () => {
    const shown = (text: string) =>
      thingHtml(Fixtures.thing(account.id, list.id, { text }), { reminder: undefined }).text.match(/href="[^"]*"/g)
    expect(shown("[a](http://a.example) [b](HTTPS://b.example) [c](mailto:c@d.example) [d](tel:1)")).toHaveLength(4)
    expect(shown("[a](https:account) [b](http:/account) [c](https:)")).toBeNull()
  })

  it("nests no link in another: the address of a thing stands behind a text with links", () => {
    const fields = { text: "**[Book](https://a.example/)** and more", url: "https://b.example/" }
    const { text } = thingHtml(Fixtures.thing(account.id, list.id, fields), { reminder: undefined })
    expect(text.replaceAll(/ rel="[^"]*"/g, "")).toContain(
      '<strong><a href="https://a.example/">Book</a></strong> and more <a href="https://b.example/">https://b.example/</a></div>'
    )
  })

  it("marks headings up for screen readers", () => {
    const [thing] = thingsOf([0])
    const markup = (made: object) => thingHtml({ ...thing!, ...made }, { reminder: undefined }).text
    expect(markup({ header: true })).toContain('role="heading" aria-level="2"')
    expect(markup({ subheader: true })).toContain('role="heading" aria-level="3"')
    expect(markup({})).not.toContain("role=")
  })

  it("takes one step per thing, and a size that depends on their number alone, however deep they are", () => {
    const depths = (length: number) => Array.from({ length }, (_, at) => Math.min(at >> 1, 1_000))
    const things = thingsOf(depths(3_000))
    const steps = thingsHtml(things, new Map())
    let taken = 0
    while (steps.next().done !== true) taken++
    expect(taken).toBe(things.length)
    const [once, twice] = [written(depths(1_500)).length, written(depths(3_000)).length]
    expect(twice).toBeLessThan(2.1 * once)
  })

  it("yields within a note of many addresses, and links each of them", () => {
    const [thing] = thingsOf([0])
    const steps = thingsHtml([{ ...thing!, note: "http://a.b/c\n".repeat(70_000) }], new Map())
    let [taken, step] = [0, steps.next()]
    for (; step.done !== true; step = steps.next()) taken++
    expect(taken).toBeGreaterThan(100)
    expect(count(step.value.text, "<a ")).toBe(70_000)
    for (const piece of step.value.pieces) expect(piece.length).toBeLessThan(130_000)
  })

  it("yields within a long note without addresses, and shows every character", () => {
    const [thing] = thingsOf([0])
    const steps = thingsHtml([{ ...thing!, note: `a${"🦊<".repeat(300_000)}` }], new Map())
    let [taken, step] = [0, steps.next()]
    for (; step.done !== true; step = steps.next()) taken++
    expect(taken).toBeGreaterThan(10)
    expect(step.value.text).toContain(`a${"🦊&#60;".repeat(300_000)}</pre>`)
  })

  it("closes every element it opens, beyond the deepest level too", () => {
    const tabs = [...Array.from({ length: 60 }, (_, at) => at), 50, 45, 61, 3, 70, 0, 1]
    const text = written(tabs)
    expect(count(text, "<ul")).toBe(count(text, "</ul>"))
    expect(count(text, "<li>")).toBe(tabs.length)
    expect(count(text, "</li>")).toBe(tabs.length)
    const depth = text.match(/<ul|<\/ul>/g)!.reduce(
      ({ now, most }, tag) => {
        const next = now + (tag === "<ul" ? 1 : -1)
        return { now: next, most: Math.max(most, next) }
      },
      { now: 0, most: 0 }
    )
    expect(depth).toEqual({ now: 0, most: 40 })
  })
})
