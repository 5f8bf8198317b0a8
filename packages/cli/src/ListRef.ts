import type { Account } from "@lists-and-things/domain/model/Account"
import { isDayWord } from "@lists-and-things/domain/days/Day"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { type ListView, Lists } from "@lists-and-things/domain/lists/Lists"
import { Effect } from "effect"
import { onBehalfOf } from "./Owner.ts"

/** Resolves a list by id, day word or title; creates a day list that does not exist yet. */
export const viewList = (account: Account, ref: string) =>
  Effect.gen(function* () {
    const lists = yield* Lists
    if (isIdForm(ref)) return yield* lists.view(ref)
    if (isDayWord(ref)) return (yield* lists.day(ref.trim())) as ListView
    return yield* lists.view((yield* lists.byName(ref)).id)
  }).pipe(onBehalfOf(account))

/** The list reference of a write. */
export const targetOf = (ref: string): { readonly listId: string } | { readonly list: string } =>
  isIdForm(ref) ? { listId: ref } : { list: ref }
