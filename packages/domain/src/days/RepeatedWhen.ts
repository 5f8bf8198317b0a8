import type { EpochMillis } from "../model/EpochMillis.ts"
import { type Repeat, type Weekday, weekdayNamed, weekdays } from "../model/Reminder.ts"
import { todayIn } from "./Day.ts"
import { readWhen, whyUnclear, withoutTime, wordsOf } from "./When.ts"

/** How often a reminder comes again; a field is absent if the words do not say it. */
export interface Repetition {
  readonly repeat?: Repeat
  readonly every?: number
  readonly days?: ReadonlyArray<Weekday>
}

/** The first time, as ISO 8601, and how often it comes again. */
export interface RepeatedWhen extends Repetition {
  readonly at: string
}

/** More than the longest form has: `every monday and … and sunday at 6:30 pm`. */
const maxWords = 20

/**
 * A time as of `readWhen`, with how often it comes again before or after it, or how often alone; undefined for any
 * other text (docs/decisions.md#reminders). Without a time it begins today, without a day on the next day that has the
 * time; named weekdays move that to the first of them when the reminder is set.
 */
export const readRepeatedWhen = (text: string, zone: string, now: EpochMillis): RepeatedWhen | undefined => {
  const once = readWhen(text, zone, now)
  if (once !== undefined) return { at: once }
  for (const { repetition, when } of repetitionsIn(text)) {
    const at = when === "" ? todayIn(zone, now) : readWhen(when, zone, now)
    if (at !== undefined) return { at, ...repetition }
  }
  return undefined
}

/** Why a text is ambiguous, as of `whyUnclear`, also next to how often it comes again. */
export const whyUnclearRepeated = (text: string, zone: string, now: EpochMillis): string | undefined => {
  const phrase = wordsOf(text).join(" ")
  const [, part] = partOfEveryDay.exec(phrase) ?? []
  if (part !== undefined) return withoutTime(phrase, "every day", part)
  const parts = [text, ...repetitionsIn(text).map(({ when }) => when)]
  return parts.map((part) => whyUnclear(part, zone, now)).find((reason) => reason !== undefined)
}

/** Every way to read the beginning or the end of a text as how often, with the rest. */
const repetitionsIn = (text: string) => {
  const words = wordsOf(text)
  if (words.length > maxWords) return []
  return words.flatMap((_, at) => {
    const [head, tail] = [words.slice(0, at).join(" "), words.slice(at).join(" ")]
    return [
      { repetition: repetitionOf(tail), when: head },
      { repetition: repetitionOf(head), when: tail }
    ].filter(({ repetition }) => repetition !== undefined)
  })
}

const partOfEveryDay = /^every (morning|afternoon|evening|night)$/
const everyUnit = /^every (?:(other|[1-9]\d{0,3}) )?(day|week|month|year)s?$/
const separators = /, ?| and /

const repeatOf = { day: "daily", week: "weekly", month: "monthly", year: "yearly" } as const

const repetitionOf = (phrase: string): Repetition | undefined => {
  const adverb = Object.values(repeatOf).find((repeat) => repeat === phrase)
  if (adverb !== undefined) return { repeat: adverb }
  const [, count, unit] = everyUnit.exec(phrase) ?? []
  if (unit === undefined) return everyDayOf(phrase)
  const repeat = repeatOf[unit as keyof typeof repeatOf]
  return count === undefined ? { repeat } : { repeat, every: count === "other" ? 2 : Number(count) }
}

/** Named weekdays: `every monday and thu`, or all of `every weekday`. */
const everyDayOf = (phrase: string): Repetition | undefined => {
  if (!phrase.startsWith("every ")) return undefined
  const names = phrase.slice("every ".length).split(separators)
  if (names.join() === "weekday") return { days: weekdays.slice(1, 6) }
  const days = names.flatMap((name) => weekdays[weekdayNamed(name)] ?? [])
  return days.length === names.length ? { days } : undefined
}
