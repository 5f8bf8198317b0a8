import type { Account } from "@lists-and-things/domain/model/Account"
import { isDayWord } from "@lists-and-things/domain/days/Day"
import { isIdForm } from "@lists-and-things/domain/model/Ids"
import { type ListView, Lists } from "@lists-and-things/domain/lists/Lists"
import { Effect } from "effect"
import { onBehalfOf } from "./Owner.ts"

/** The list that an id, a day or a title names; a day list is made when it is not there yet. */
export const viewList = (account: Account, ref: string) =>
  Effect.gen(function* () {
    const lists = yield* Lists
    if (isIdForm(ref)) return yield* lists.view(ref)
    if (isDayWord(ref)) return (yield* lists.day(ref.trim())) as ListView
    return yield* lists.view((yield* lists.byName(ref)).id)
  }).pipe(onBehalfOf(account))

/** How a write says which list it means. */
export const targetOf = (ref: string): { readonly listId: string } | { readonly list: string } =>
  isIdForm(ref) ? { listId: ref } : { list: ref }
