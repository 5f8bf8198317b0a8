import { Context, Effect, Layer } from "effect"
import type { Account } from "../model/Account.ts"
import { dateOfWrite } from "../days/ClockSkew.ts"
import type { StorageUnavailable } from "../model/Errors.ts"
import { describe } from "../model/CurrentOperation.ts"
import { Ids, type ListId } from "../model/Ids.ts"
import type { List } from "../model/List.ts"
import { ListStore, type NewList } from "../ports/ListStore.ts"
import type { EpochMillis } from "../model/EpochMillis.ts"
import { madeDayList } from "../summaries/OperationSummaries.ts"
import { traced } from "../scheduling/Traced.ts"

/**
 * The lists of dates; (owner, date) is unique even under concurrent requests (docs/decisions.md#lists-and-day-lists).
 */
export class DayLists extends Context.Service<
  DayLists,
  {
    /**
     * The day list of a date (`YYYY-MM-DD`), created when there is none. Inside `Storage.transact`; what the write does
     * besides is described after.
     */
    readonly ensure: (
      account: Account,
      day: string,
      writeTimestamp: EpochMillis
    ) => Effect.Effect<List, StorageUnavailable>
    /** The list that `ensure` creates. */
    readonly draft: (account: Account, day: string) => Effect.Effect<NewList & { readonly day: string }>
  }
>()("@lists-and-things/domain/targets/DayLists") {
  static readonly layer = Layer.effect(
    DayLists,
    Effect.gen(function* () {
      const lists = yield* ListStore
      const ids = yield* Ids

      const ensure = traced("DayLists.ensure")(function* (account: Account, day: string, writeTimestamp: EpochMillis) {
        const existing = yield* lists.byDay(account.id, day)
        if (existing !== undefined) return existing
        yield* describe(madeDayList(day))
        const created = yield* dateOfWrite(writeTimestamp)
        return yield* lists.insert({ ...(yield* draft(account, day)), created, updated: writeTimestamp })
      })

      const draft = (account: Account, day: string) =>
        Effect.map(ids.next, (id) => ({
          id: id as ListId,
          owner: account.id,
          title: day,
          emoji: "",
          day,
          favorited: false,
          archived: false,
          sort: account.defaultListSort
        }))

      return DayLists.of({ ensure, draft })
    })
  )
}
