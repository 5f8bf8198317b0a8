import { Context, Effect } from "effect"

export interface Coordinates {
  /** Degrees, WGS 84. */
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
