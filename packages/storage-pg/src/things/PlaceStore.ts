import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { collate, titleKey } from "@lists-and-things/domain/text/TextFold"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { places } from "../Tables.ts"

const select = `select ${places.selected} from places p where p.owner_id = $1`

const upsert = `insert into places (owner_id, ${places.names}) values ($1, ${places.parameters})
  on conflict (owner_id, id) do update set ${places.assignments("excluded", ["id"])}`

export const layer = Layer.effect(
  PlaceStore,
  Effect.gen(function* () {
    const db = yield* Database
    return PlaceStore.of({
      get: (owner, id) =>
        isIdForm(id)
          ? Effect.map(db.read(`${select} and p.id = $2`, [owner, id]), (rows) => rows.map(places.ofRow(owner))[0])
          : Effect.succeed(undefined),
      byName: (owner, name) =>
        Effect.map(
          db.read(`${select} and md5(p.name_key) = md5($2) and p.name_key = $2`, [owner, titleKey(name)]),
          (rows) => rows.map(places.ofRow(owner))[0]
        ),
      all: (owner) =>
        Effect.map(db.read(`${select} order by p.id`, [owner]), (rows) =>
          rows.map(places.ofRow(owner)).sort((a, b) => collate(a.name, b.name))
        ),
      put: (place) => db.send(upsert, places.params(place)),
      remove: (owner, id) =>
        isIdForm(id)
          ? Effect.map(
              db.write("delete from places where owner_id = $1 and id = $2 returning 1", [owner, id]),
              (rows) => rows.length > 0
            )
          : Effect.succeed(false)
    })
  })
)
