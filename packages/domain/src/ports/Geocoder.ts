import { Context, Effect } from "effect"

/** Degrees, WGS 84: latitude from -90 to 90, longitude from -180 to 180, both inclusive. */
export interface Coordinates {
  readonly latitude: number
  readonly longitude: number
}

/**
 * Looks up the coordinates of an address; undefined when unknown or not answered in time. Disabled unless a composition
 * root provides one.
 */
export const Geocoder = Context.Reference<{
  readonly locate: (address: string) => Effect.Effect<Coordinates | undefined>
}>("@lists-and-things/domain/ports/Geocoder", {
  defaultValue: () => ({ locate: () => Effect.succeed(undefined) })
})
