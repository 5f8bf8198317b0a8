import { instantToWall, wallText } from "@lists-and-things/domain/days/Zone"
import { EpochMillis, msPerDay } from "@lists-and-things/domain/model/EpochMillis"

/**
 * The VTIMEZONE of a zone between two instants, from the application's own zone rules, so that calendar programs
 * compute the same times as the service. One observance per change of the offset.
 */
export const zoneComponent = (zone: string, from: EpochMillis, to: EpochMillis): string => {
  const offsetAt = (ms: number): number => instantToWall(zone, EpochMillis(ms)) - ms
  const changes = offsetChanges(offsetAt, from, to)
  const observances = [
    observance("STANDARD", longAgo, offsetAt(from), offsetAt(from)),
    ...changes.map((at) => {
      const [before, after] = [offsetAt(at - 1), offsetAt(at)]
      return observance(after > before ? "DAYLIGHT" : "STANDARD", at + before, before, after)
    })
  ]
  return ["BEGIN:VTIMEZONE", `TZID:${zone}`, ...observances, "END:VTIMEZONE"].join("\r\n")
}

/** Search step: no zone changes its offset and back within ten days. */
const stepMillis = 10 * msPerDay

/** 1601-01-01T00:00: times before `from` use the offset in force at `from`. */
const longAgo = Date.UTC(1601, 0, 1)

const offsetChanges = (offsetAt: (ms: number) => number, from: number, to: number): ReadonlyArray<number> => {
  const found: Array<number> = []
  for (let low = from; low < to; low += stepMillis) {
    const high = Math.min(low + stepMillis, to)
    if (offsetAt(low) !== offsetAt(high)) found.push(changeBetween(offsetAt, low, high))
  }
  return found
}

/** The first instant of the new offset, to the second. */
const changeBetween = (offsetAt: (ms: number) => number, low: number, high: number): number => {
  const before = offsetAt(low)
  let [still, already] = [Math.floor(low / 1000), Math.ceil(high / 1000)]
  while (already - still > 1) {
    const middle = Math.floor((still + already) / 2)
    if (offsetAt(middle * 1000) === before) still = middle
    else already = middle
  }
  return already * 1000
}

const observance = (kind: "STANDARD" | "DAYLIGHT", wall: number, before: number, after: number): string =>
  [
    `BEGIN:${kind}`,
    `DTSTART:${basicForm(wall)}`,
    `TZOFFSETFROM:${offsetText(before)}`,
    `TZOFFSETTO:${offsetText(after)}`,
    `END:${kind}`
  ].join("\r\n")

const basicForm = (wall: number): string => wallText(wall).slice(0, 19).replace(/[-:]/g, "")

const offsetText = (offset: number): string => {
  const seconds = Math.round(Math.abs(offset) / 1000)
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  const digits = parts.map((part) => String(part).padStart(2, "0"))
  return `${offset < 0 ? "-" : "+"}${digits[0]}${digits[1]}${parts[2] === 0 ? "" : digits[2]}`
}
