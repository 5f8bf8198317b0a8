import { Context, Effect } from "effect"

export interface Coordinates {
  /** Degrees, WGS 84. */
  readonly latitude: number
  readonly longitude: number
}

/**
 * Finds where an address is; undefined where it does not know or cannot answer in time. Unless a composition
 * root provides one, no address is looked up anywhere.
 */
export const Geocoder = Context.Reference<{
  readonly locate: (address: string) => Effect.Effect<Coordinates | undefined>
}>("@lists-and-things/domain/ports/Geocoder", {
  defaultValue: () => ({ locate: () => Effect.succeed(undefined) })
})
