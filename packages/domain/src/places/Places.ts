import { Context, Effect, Layer } from "effect"
import { deletedPlace, savedPlace } from "../summaries/OperationSummaries.ts"
import { describe } from "../model/CurrentOperation.ts"
import { isSame } from "../model/Operation.ts"
import { type Caller, callerWith } from "../model/Caller.ts"
import { type AccessError, InvalidInput, type NotFound } from "../model/Errors.ts"
import { Ids, type PlaceId } from "../model/Ids.ts"
import { isStorable, storableText } from "../text/Characters.ts"
import type { SavePlaceInput } from "../json/PlaceJson.ts"
import { inFigures } from "../text/Wording.ts"
import { normalize } from "../text/Normalization.ts"
import { type Coordinates, Geocoder } from "../ports/Geocoder.ts"
import { ListStore } from "../ports/ListStore.ts"
import { PlaceStore } from "../ports/PlaceStore.ts"
import { ReminderStore } from "../ports/ReminderStore.ts"
import { Storage } from "../ports/Storage.ts"
import { ThingStore } from "../ports/ThingStore.ts"
import { Families } from "../targets/Families.ts"
import type { SavedPlace } from "../model/Place.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import { inSpan, traced } from "../scheduling/Traced.ts"

/** Of a place that is saved without one. */
const defaultRadiusMeters = 150

/** Places of an account. */
export const maxPlaces = 1_000

export interface SavedResult {
  readonly place: SavedPlace
  /** False where a place of that name was changed. */
  readonly created: boolean
}

/** The use cases of saved places (docs/decisions.md#reminders). */
export class Places extends Context.Service<
  Places,
  {
    /** By name. */
    readonly list: Effect.Effect<ReadonlyArray<SavedPlace>, AccessError, Caller>
    /**
     * Creates a place, or updates the one with that name (ignoring case). Omitted fields keep their values. Another
     * address without coordinates clears those of the former one, unless a geocoder resolves it; the first address of
     * a place with coordinates keeps them. `InvalidInput` for a new one beyond `maxPlaces`.
     */
    readonly save: (input: SavePlaceInput) => Effect.Effect<SavedResult, InvalidInput | NotFound | AccessError, Caller>
    /** Also removes its reminders. Succeeds for unknown ids as well. */
    readonly remove: (id: string) => Effect.Effect<void, NotFound | AccessError, Caller>
  }
>()("@lists-and-things/domain/places/Places") {
  static readonly layer = Layer.effect(
    Places,
    Effect.gen(function* () {
      const storage = yield* Storage
      const store = yield* PlaceStore
      const reminders = yield* ReminderStore
      const things = yield* ThingStore
      const lists = yield* ListStore
      const families = yield* Families
      const ids = yield* Ids
      const geocoder = yield* Geocoder

      const list = Effect.gen(function* () {
        const { account } = yield* callerWith("read:things")
        return yield* store.all(account.id)
      }).pipe(inSpan("Places.list"))

      const save = traced("Places.save")(function* (input: SavePlaceInput) {
        const { account } = yield* callerWith("write:things")
        const given = yield* givenCoordinates(input)
        for (const field of ["name", "address"] as const) {
          if (!isStorable(input[field] ?? "")) {
            return yield* new InvalidInput({ field, reason: `must be ${storableText}` })
          }
        }
        const before = yield* store.byName(account.id, input.name)
        // Called before the transaction, so that the account is never locked while waiting for a remote service.
        const found =
          given === undefined && isNewAddress(before, input) ? yield* geocoder.locate(input.address!) : undefined
        const write = Effect.fnUntraced(function* () {
          const earlier = yield* store.byName(account.id, input.name)
          if (earlier === undefined && (yield* store.count(account.id)) >= maxPlaces) return yield* tooMany
          const kept = isNewAddress(earlier, input) ? undefined : earlier
          const place: SavedPlace = {
            id: earlier?.id ?? ((yield* ids.next) as PlaceId),
            owner: account.id,
            name: normalize(input.name).trim(),
            address: input.address ?? earlier?.address ?? "",
            ...coordinates(given ?? found ?? kept),
            radiusMeters: input.radiusMeters ?? earlier?.radiusMeters ?? defaultRadiusMeters
          }
          if (!isSame(earlier, place)) yield* store.put(place)
          yield* describe(savedPlace(place.name, earlier === undefined))
          return { place, created: earlier === undefined }
        })
        return yield* storage.transact(account.id, write)
      })

      const remove = traced("Places.remove")(function* (id: string) {
        const { account } = yield* callerWith("write:things")
        const drop = Effect.fnUntraced(function* (writeTimestamp: EpochMillis) {
          const bound = (yield* reminders.atPlaces(account.id)).filter(
            ({ trigger }) => trigger._tag === "Place" && trigger.placeId === id
          )
          const held = yield* things.getMany(
            account.id,
            bound.map((reminder) => reminder.thingId)
          )
          const members = [...(yield* families.membersOf(account.id, held)).values()]
          const place = yield* store.get(account.id, id)
          if (place === undefined) return
          yield* store.remove(account.id, id)
          yield* describe(deletedPlace(place.name))
          yield* lists.touch(account.id, [...new Set(members.map((member) => member.listId))], writeTimestamp)
        })
        yield* storage.transact(account.id, drop)
      })

      return Places.of({ list, save, remove })
    })
  )
}

const tooMany = new InvalidInput({
  field: "",
  reason: `An account can have at most ${inFigures(maxPlaces)} places: save one that is there again, with another address.`
})

/** Whether the input has an address that the place's coordinates are not of. */
const isNewAddress = (place: SavedPlace | undefined, { address }: SavePlaceInput): boolean =>
  address !== undefined &&
  address.trim() !== "" &&
  address !== place?.address &&
  !(place?.address === "" && place.latitude !== null)

const givenCoordinates = (input: SavePlaceInput): Effect.Effect<Coordinates | undefined, InvalidInput> => {
  const { latitude, longitude } = input
  if (latitude !== undefined && longitude !== undefined) return Effect.succeed({ latitude, longitude })
  if (latitude === undefined && longitude === undefined) return Effect.succeed(undefined)
  const [field, other] = latitude === undefined ? ["longitude", "latitude"] : ["latitude", "longitude"]
  return Effect.fail(
    new InvalidInput({
      field: field!,
      reason: `and ${other} must be given together`,
      example: '"latitude": 48.2085, "longitude": 16.3731'
    })
  )
}

const coordinates = (known: Pick<SavedPlace, "latitude" | "longitude"> | undefined) => ({
  latitude: known?.latitude ?? null,
  longitude: known?.longitude ?? null
})
