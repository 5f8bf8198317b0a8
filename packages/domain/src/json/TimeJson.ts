import { Schema } from "effect"

/** A time as every answer gives it: ISO 8601, UTC, milliseconds, `Z` (docs/decisions.md#times). */
export const TimeJson = Schema.String.annotate({ format: "date-time" })
