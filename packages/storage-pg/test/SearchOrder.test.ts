import { afterAll, describe, expect, layer as withLayer } from "@effect/vitest"
import { searchForms } from "@lists-and-things/domain/markdown/TextMarkup"
import { ListStore } from "@lists-and-things/domain/ports/ListStore"
import { ThingStore } from "@lists-and-things/domain/ports/ThingStore"
import { searchKey, searchRank } from "@lists-and-things/domain/text/SearchRank"
import { earliest, latest, newAccount, newList, newThings, noon } from "@lists-and-things/testing/Fixtures"
import { fold } from "@lists-and-things/domain/text/TextFold"
import { Effect } from "effect"
import * as fc from "fast-check"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

/** Characters that break careless patterns, normalization, collation or word boundaries. */
const character = fc.constantFrom(
  ..."abABßẞİıσςΣéÉ12_%\\ -.,*`~#\n\t\u0001\u0002\u0003\u0004日本🦊",
  "e\u0301",
  "\u0301",
  "**",
  "ab",
  "foo",
  "\u200d"
)
const text = fc.array(character, { minLength: 1, maxLength: 12 }).map((parts) => parts.join(""))
const query = fc.array(character, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(""))

const times = [noon, noon + 1, noon + 2, earliest, latest]

const expected = <A extends { readonly id: string; readonly updated: number }>(
  items: ReadonlyArray<A>,
  formsOf: (item: A) => ReadonlyArray<string>,
  asked: string
): ReadonlyArray<string> =>
  items
    .flatMap((item) => {
      const rank = searchRank(formsOf(item), searchKey(asked))
      return rank === undefined ? [] : [{ item, rank }]
    })
    .sort((a, b) => a.rank - b.rank || b.item.updated - a.item.updated || (a.item.id < b.item.id ? 1 : -1))
    .map(({ item }) => item.id)

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())

  describe(`PostgreSQL ${version}: the order of a search equals the domain's`, () => {
    withLayer(PgStorage.layer(server.config()), { excludeTestServices: true })((it) => {
      it.effect("for any texts and queries", () =>
        Effect.gen(function* () {
          const things = yield* ThingStore
          const lists = yield* ListStore
          const samples = fc.sample(
            fc.tuple(fc.array(text, { minLength: 5, maxLength: 30 }), fc.array(query, { minLength: 5, maxLength: 15 })),
            40
          )
          for (const [texts, queries] of samples) {
            const { id: owner } = yield* newAccount()
            const list = yield* newList(owner, { title: texts[0] ?? "" })
            const other = yield* newList(owner, { title: texts[1] ?? "" })
            const made = yield* newThings(
              owner,
              list.id,
              texts.map((text, n) => ({ text, updated: times[n % times.length]!, code: n % 4 === 0 }))
            )
            const asked = [...queries, ...texts.slice(0, 4)].filter((some) => searchKey(some) !== "")
            for (const some of asked) {
              const found = yield* things.search(owner, some, 100)
              expect(
                found.items.map(({ id }) => id as string),
                JSON.stringify({ some, texts })
              ).toStrictEqual(expected(made, (thing) => searchForms(thing.text, thing.code), some))
              const titles = yield* lists.search(owner, some, 100)
              expect(titles.items.map(({ id }) => id as string)).toStrictEqual(
                expected([list, other], ({ title }) => [fold(title)], some)
              )
            }
          }
        })
      )
    })
  })
}
