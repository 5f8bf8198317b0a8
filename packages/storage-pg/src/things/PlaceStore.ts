import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { PlaceStore } from "@lists-and-things/domain/ports/PlaceStore"
import { collate, titleKey } from "@lists-and-things/domain/text/TextFold"
import { Effect, Layer } from "effect"
import { Database } from "../connection/Database.ts"
import { placeColumns, placeOf } from "../Rows.ts"

const select = `select ${placeColumns} from places p where p.owner_id = $1`

const upsert = `insert into places (owner_id, id, name, name_key, address, latitude, longitude, radius_m)
  values ($1, $2, $3, $4, $5, $6, $7, $8)
  on conflict (owner_id, id) do update set name = excluded.name, name_key = excluded.name_key,
    address = excluded.address, latitude = excluded.latitude, longitude = excluded.longitude,
    radius_m = excluded.radius_m`

export const layer = Layer.effect(
  PlaceStore,
  Effect.gen(function* () {
    const db = yield* Database
    return PlaceStore.of({
      get: (owner, id) =>
        isIdForm(id)
          ? Effect.map(db.read(`${select} and p.id = $2`, [owner, id]), (rows) => rows.map(placeOf(owner))[0])
          : Effect.succeed(undefined),
      byName: (owner, name) =>
        Effect.map(
          db.read(`${select} and md5(p.name_key) = md5($2) and p.name_key = $2`, [owner, titleKey(name)]),
          (rows) => rows.map(placeOf(owner))[0]
        ),
      all: (owner) =>
        Effect.map(db.read(`${select} order by p.id`, [owner]), (rows) =>
          rows.map(placeOf(owner)).sort((a, b) => collate(a.name, b.name))
        ),
      put: (place) =>
        db.send(upsert, [
          place.owner,
          place.id,
          place.name,
          titleKey(place.name),
          place.address,
          place.latitude,
          place.longitude,
          place.radiusMeters
        ]),
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
