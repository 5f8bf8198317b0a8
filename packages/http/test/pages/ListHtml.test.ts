import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { ThingId } from "@lists-and-things/domain/model/Ids"
import * as Fixtures from "@lists-and-things/testing/Fixtures"
import { openAmong } from "../../src/pages/ListHtml.ts"

const account = Fixtures.account()
const list = Fixtures.list(account.id)

describe("the open things of a list", () => {
  it("are every open thing and those under which it is nested, in order, and nothing else", () => {
    const thing = fc.record({ tabs: fc.integer({ min: 0, max: 4 }), completed: fc.boolean() })
    fc.assert(
      fc.property(fc.array(thing, { maxLength: 30 }), (given) => {
        const things = given.map((made, at) =>
          Fixtures.thing(account.id, list.id, { ...made, id: ThingId.make(String(at)) })
        )
        const wanted = new Set<number>()
        for (const [at, { completed }] of given.entries()) {
          let around = completed ? -1 : at
          while (around >= 0) {
            wanted.add(around)
            const { tabs } = given[around]!
            around = given.slice(0, around).findLastIndex((before) => before.tabs < tabs)
          }
        }
        expect(openAmong(things)).toStrictEqual(things.filter((_, at) => wanted.has(at)))
      })
    )
  })
})
