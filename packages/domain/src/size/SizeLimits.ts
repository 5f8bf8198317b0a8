import { Context } from "effect"
import { InvalidInput } from "../model/Errors.ts"
import type { Size } from "../model/Size.ts"
import { counted, inFigures } from "../text/Wording.ts"

/** How much a list and an account may hold (docs/decisions.md#caps). */
export interface Limits {
  readonly list: Size
  readonly account: Size
}

/** Inclusive. */
export const defaultLimits: Limits = {
  list: { things: 20_000, bytes: 16 * 1024 ** 2 },
  account: { things: 1_000_000, bytes: 2 * 1024 ** 3 }
}

/** The limits in force; configurable by the operator. Read when the layers are built. */
export const SizeLimits = Context.Reference<Limits>("@lists-and-things/domain/size/SizeLimits", {
  defaultValue: () => defaultLimits
})

/**
 * Whether a write fits. One that does not grow always does, so that content over the limit can be read and reduced.
 */
export const fitsWithin = (limit: Size, there: Size, growth: Size): boolean =>
  !exceeds(limit, there, growth, "things") && !exceeds(limit, there, growth, "bytes")

const exceeds = (limit: Size, there: Size, growth: Size, unit: keyof Size): boolean =>
  growth[unit] > 0 && there[unit] + growth[unit] > limit[unit]

/** The refusal of a write that does not fit, by its first limit. `holder` begins the message: "The list …". */
export const overLimit = (holder: string, limit: Size, there: Size, growth: Size): InvalidInput | undefined => {
  if (exceeds(limit, there, growth, "things"))
    return refusal(
      `${holder} can hold at most ${counted(limit.things, "thing")}: it has ${inFigures(there.things)}, and this would add ${inFigures(growth.things)}`
    )
  if (exceeds(limit, there, growth, "bytes"))
    return refusal(
      `${holder} can hold at most ${bytes(limit.bytes)} of texts, notes and addresses: it has ${counted(there.bytes, "byte")}, and this would add ${inFigures(growth.bytes)}`
    )
  return undefined
}

const refusal = (reason: string) => new InvalidInput({ field: "", reason })

const units = [
  ["GiB", 1024 ** 3],
  ["MiB", 1024 ** 2]
] as const

/** In the largest unit that divides it evenly. */
const bytes = (value: number): string => {
  const unit = units.find(([, size]) => value >= size && value % size === 0)
  return unit === undefined ? counted(value, "byte") : `${inFigures(value / unit[1])} ${unit[0]}`
}
