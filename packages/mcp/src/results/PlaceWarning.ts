import type { SavedPlace } from "@lists-and-things/domain/model/Place"

/** Warns that a place without coordinates cannot trigger reminders yet. */
export const withoutCoordinates = (place: SavedPlace | null): { readonly warning?: string } =>
  place !== null && place.latitude === null
    ? {
        warning: `The coordinates of '${place.name}' are not known, so its reminders cannot fire until they are: call save_place with latitude and longitude.`
      }
    : {}
