import { Schema } from "effect"

/** A time as every answer gives it: ISO 8601, UTC, milliseconds, `Z` (decisions 3). */
export const TimeJson = Schema.String.annotate({ format: "date-time" })
