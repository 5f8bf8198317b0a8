import { isDayWord, parseDay } from "@lists-and-things/domain/days/Day"
import { instantOf } from "@lists-and-things/domain/days/IsoTime"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { optional } from "@lists-and-things/domain/json/Described"
import { TimeText } from "@lists-and-things/domain/json/Fields"
import type { Account } from "@lists-and-things/domain/model/Account"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"
import { Effect, Schema } from "effect"
import type { Input } from "./Input.ts"

const example = "2026-11-21T09:00"

const Times = Schema.Struct({
  since: optional(TimeText, "Later ones", example),
  before: optional(TimeText, "Earlier ones", example)
})

/**
 * The instant that an option names: a time, in the account's zone if it has no offset, or the start of a day such as
 * `yesterday`. Undefined if the option is not given.
 */
export const timeOption = (input: Input, name: "before" | "since", account: Account) =>
  Effect.gen(function* () {
    const time = input.option(name)
    if (time === undefined) return undefined
    const day = isDayWord(time) ? parseDay(time.trim(), account.timezone, yield* currentTime) : undefined
    if (day !== undefined) return instantOf(day, account.timezone)
    const { [name]: text = time } = yield* decodeInput(Times, input.wording)({ [name]: time })
    return instantOf(text, account.timezone)
  })
