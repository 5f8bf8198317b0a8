import { afterAll, expect, layer as withLayer } from "@effect/vitest"
import { EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import { ListId, ThingId } from "@lists-and-things/domain/model/Ids"
import { HistoryStore, type OperationFilter } from "@lists-and-things/domain/ports/HistoryStore"
import { newAccount } from "@lists-and-things/testing/Fixtures"
import { Effect } from "effect"
import { randomUUID } from "node:crypto"
import * as PgStorage from "../src/PgStorage.ts"
import { openTestDatabase } from "../src/testing/TestDatabase.ts"
import { testVersions } from "../src/testing/TestServer.ts"

const total = 3_000
const [often, seldom, never] = [ListId.make(randomUUID()), ListId.make(randomUUID()), ListId.make(randomUUID())]
const [thing, copy] = [ThingId.make(randomUUID()), ThingId.make(randomUUID())]

/** The operations at 1 to `total`: an id of every so many of them. */
const recorded = (owner: string): string => `insert into operations (owner_id, stamp, id,
    name, surface, by_type, by_id, by_name, summary, has_images, settings, lists, things, touched_lists, reminded_things)
  select '${owner}', n, gen_random_uuid(), 'update_thing', 'rest', 'key', case when n % 3 = 0 then 'mine' else 'other' end,
    '', '', false, false,
    case when n % 10 = 0 then array['${often}'::uuid] end, case when n % 31 = 0 then array['${thing}'::uuid] end,
    case when n % 400 = 1 then array['${seldom}'::uuid] when n % 2 = 0 then array['${often}'::uuid] end,
    case when n % 37 = 0 then array['${thing}'::uuid, '${copy}'::uuid] end
  from generate_series(1, ${total}) as n`

/** Which operations a filter selects. */
const isSelected = ({ before, byId, listId, originalId, since, thingId }: OperationFilter, n: number): boolean => {
  const lists = n % 2 === 0 ? [often] : n % 400 === 1 ? [seldom] : []
  const reminded = n % 37 === 0 ? [thing, copy] : []
  const isOfThing =
    thingId === undefined ||
    (n % 31 === 0 && thingId === thing) ||
    reminded.some((id) => id === thingId || id === originalId)
  return (
    (listId === undefined || lists.some((id) => id === listId)) &&
    isOfThing &&
    (byId === undefined || byId === (n % 3 === 0 ? "mine" : "other")) &&
    (since === undefined || n > since) &&
    (before === undefined || n < before)
  )
}

const entities: ReadonlyArray<OperationFilter> = [
  { listId: often },
  { listId: seldom },
  { listId: never },
  { thingId: thing },
  { thingId: copy },
  { thingId: ThingId.make(randomUUID()), originalId: copy },
  { listId: often, thingId: thing }
]
const others: ReadonlyArray<OperationFilter> = [
  {},
  { byId: "mine" },
  { since: EpochMillis(1_500) },
  { before: EpochMillis(1_000) },
  { byId: "other", since: EpochMillis(700), before: EpochMillis(2_900) }
]

for (const version of testVersions) {
  const server = await openTestDatabase({ version })
  afterAll(() => server.stop())

  withLayer(PgStorage.layer(server.config()), { excludeTestServices: true })(
    `PostgreSQL ${version}: pages of many operations`,
    (it) => {
      it.effect("each operation of the filter once, newest first, wherever the page is", () =>
        Effect.gen(function* () {
          const history = yield* HistoryStore
          const { id: owner } = yield* newAccount()
          yield* Effect.promise(() => server.sql(recorded(owner)))
          const newestFirst = Array.from({ length: total }, (_, at) => total - at)
          for (const filter of entities.flatMap((entity) => others.map((other) => ({ ...entity, ...other })))) {
            const expected = newestFirst.filter((n) => isSelected(filter, n))
            const shown: Array<number> = []
            for (let page = 0, hasMore = true; hasMore; page++) {
              const found = yield* history.page(owner, filter, page, 50)
              shown.push(...found.items.map(({ at }) => at))
              hasMore = found.hasMore
            }
            expect(shown, JSON.stringify(filter)).toStrictEqual(expected)
            expect((yield* history.page(owner, filter, 70, 50)).items).toStrictEqual([])
          }
        })
      )
    }
  )
}
