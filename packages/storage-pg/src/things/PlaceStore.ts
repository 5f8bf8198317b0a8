import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { sortYielding } from "@lists-and-things/domain/scheduling/Yielding"
import { collate, titleKey } from "@lists-and-things/domain/text/TextFold"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { changing, makeRecorder } from "../history/Recorder.ts"
import { places } from "../Tables.ts"

const select = `select ${places.selected} from places p where p.owner_id = $1`

const upsert = changing(places.parameterCount, ({ imaged }) => ({
  recorded: [imaged("place", `p.id = ${places.parameter("id")}`)],
  writes: [
    {
      sql: `insert into places (owner_id, ${places.names}) values ($1, ${places.parameters})
        on conflict (owner_id, id) do update set ${places.assignments("excluded", ["id"])}`
    }
  ]
}))

const remove = changing(
  2,
  ({ imaged }) => ({
    recorded: [imaged("place", "p.id = $2"), imaged("reminder", "r.place_id = $2")],
    writes: [{ sql: "delete from places where owner_id = $1 and id = $2 returning 1" }]
  }),
  { removes: true }
)

export const layer = Layer.effect(
  PlaceStore,
  Effect.gen(function* () {
    const db = yield* Database
    const recorder = yield* makeRecorder
    return PlaceStore.of({
      get: (owner, id) =>
        isIdForm(id)
          ? Effect.map(db.read(`${select} and p.id = $2`, [owner, id]), (rows) => rows.map(places.ofRow(owner))[0])
          : Effect.succeed(undefined),
      getMany: (owner, ids) => {
        const known = ids.filter(isIdForm)
        return known.length === 0
          ? Effect.succeed([])
          : Effect.map(db.read(`${select} and p.id = any ($2::uuid[])`, [owner, known]), (rows) =>
              rows.map(places.ofRow(owner))
            )
      },
      byName: (owner, name) =>
        Effect.map(
          db.read(`${select} and md5(p.name_key) = md5($2) and p.name_key = $2`, [owner, titleKey(name)]),
          (rows) => rows.map(places.ofRow(owner))[0]
        ),
      all: (owner) =>
        Effect.flatMap(db.readLong(`${select} order by p.id`, [owner]), (rows) =>
          sortYielding(rows.map(places.ofRow(owner)), (a, b) => collate(a.name, b.name))
        ),
      count: (owner) =>
        Effect.map(
          db.read("select count(*)::int4 as count from places where owner_id = $1", [owner]),
          ([row]) => row?.count as number
        ),
      put: (place) => recorder.send(upsert, places.params(place), { stored: ["place", [place.id]], among: [place.id] }),
      remove: (owner, id) =>
        isIdForm(id)
          ? Effect.map(recorder.write(remove, [owner, id]), (rows) => rows.length > 0)
          : Effect.succeed(false)
    })
  })
)
