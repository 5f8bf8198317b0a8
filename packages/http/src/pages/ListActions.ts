import { Effect, Layer } from "effect"
import { todayIn } from "@lists-and-things/domain/days/Day"
import { ImportMarkdownInput, UpdateListInput } from "@lists-and-things/domain/json/ListInput"
import { AppendMarkdownInput } from "@lists-and-things/domain/json/ThingInput"
import { decodeInput } from "@lists-and-things/domain/json/Decode"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"
import type { OperationCall } from "@lists-and-things/domain/model/CurrentOperation"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import type { List } from "@lists-and-things/domain/model/List"
import { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import { Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { fileNameEnding } from "../edge/FormBody.ts"
import { backIn, inForm, type Posted, retryIfChanged, textIn, withOperation } from "./FormActions.ts"
import { listEditOf, StaleList, staleListHtml } from "./ListEdit.ts"
import { listPath } from "./ListHtml.ts"
import { formIdIn, makeRemoveOnce, makeReportFirstCopy, makeRunOnce, newFormId } from "./IdempotentForms.ts"
import { page } from "./Page.ts"
import { makePageRoutes } from "./PageRoutes.ts"

/** The page of a list that was just made: without it, there are the others. */
const withCreation = (id: string, call: OperationCall, anchor = ""): string =>
  withOperation(`/lists/${id}`, call, anchor, "/lists")

/** The forms that make, change and delete lists, and add things to them. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { action } = yield* makePageRoutes
    const lists = yield* Lists
    const bulk = yield* BulkThings
    const tags = yield* EntityTags
    const preconditions = yield* Preconditions
    const runOnce = yield* makeRunOnce
    const removeOnce = yield* makeRemoveOnce
    const reportFirstCopy = yield* makeReportFirstCopy
    const withId = Effect.map(({ list }: { readonly list: List }) => list.id as string)

    const toLists = () => "/lists"
    const toList = (id: string) => `/lists/${id}`

    yield* action("/lists/new", "createList", toLists, ({ fields }, call) =>
      Effect.gen(function* () {
        const typed = textIn(fields, "title").trim()
        const [first = ""] = typed.split("\n", 1)
        const title = first.replace(/^#{1,6} /, "").trim()
        const input = yield* decodeInput(
          ImportMarkdownInput,
          inForm
        )({ title, markdown: typed.slice(first.length + 1) })
        const made = lists.createTyped({ ...input, title })
        // Its things are typed next.
        return withCreation(yield* runOnce(fields, "createList", withId(made)), call, "add")
      })
    )

    yield* action("/lists/import", "importMarkdown", toLists, ({ fields }, call) => {
      const file = textIn(fields, "file")
      if (fields.getAll("file").filter((each) => each !== "").length > 1)
        return Effect.fail(new InvalidInput({ field: "", reason: "Choose one file at a time: nothing was imported." }))
      const title = textIn(fields, "title").trim()
      const pasted = textIn(fields, "markdown")
      if (file !== "" && pasted.trim() !== "")
        return Effect.fail(
          new InvalidInput({ field: "", reason: "Choose a file or paste a text, not both: nothing was imported." })
        )
      const markdown = file === "" ? pasted : file
      if (title === "" && markdown.trim() === "")
        return Effect.fail(new InvalidInput({ field: "", reason: "Choose a file, or paste its text." }))
      const given = { markdown, ...(title === "" ? {} : { title }) }
      return decodeInput(
        ImportMarkdownInput,
        inForm
      )(given).pipe(
        Effect.flatMap((input) => {
          const made = lists.importMarkdown(input, file === "" ? "" : textIn(fields, `file${fileNameEnding}`))
          return runOnce(fields, "importMarkdown", withId(made))
        }),
        Effect.map((id) => withCreation(id, call))
      )
    })

    yield* action("/lists/star", "updateList", toLists, ({ fields }, call) => {
      const starred = fields.get("star")
      return lists
        .update(starred ?? fields.get("unstar") ?? "", { favorited: starred !== null })
        .pipe(Effect.map(() => withOperation(backIn(fields, "/lists"), call)))
    })

    /** Applies the changes made in the form to the current list. */
    const edit = Effect.fnUntraced(function* (fields: URLSearchParams, id: string) {
      const { list } = yield* lists.view(id)
      const { stale, typed } = listEditOf(fields, list)
      if (stale.length > 0) return yield* new StaleList({ fields: stale })
      const patch = yield* decodeInput(UpdateListInput, inForm)(typed)
      const tag = yield* tags.ofList(list)
      return yield* preconditions.ifMatch({ kind: "list", id, isRemoval: false }, [tag], lists.update(id, patch))
    })

    const showStale = Effect.fnUntraced(function* ({ current, fields, id }: Posted, stale: StaleList["fields"]) {
      const { list } = yield* lists.view(id)
      const { account, session } = current
      const today = todayIn(account.timezone, yield* currentTime)
      const origin = { csrf: session.csrf, back: listPath(list), form: formIdIn(fields) ?? (yield* newFormId) }
      const main = staleListHtml(list, today, origin, { typed: fields, stale })
      return page("List settings", main, { signedInAs: account.email, section: "lists", status: 409 })
    })

    yield* action("/lists/:id/edit", "updateList", toList, (posted, call) =>
      retryIfChanged(edit(posted.fields, posted.id)).pipe(
        Effect.tap((list) => reportFirstCopy({ listId: list.id }, call, posted.fields)),
        Effect.map((list) => withOperation(listPath(list), call)),
        Effect.catchTag("StaleList", ({ fields }) => showStale(posted, fields))
      )
    )

    yield* action("/lists/:id/archive", "updateList", toList, ({ fields, id }, call) =>
      lists
        .update(id, { archived: fields.get("archived") === "true" })
        .pipe(Effect.map((list) => withOperation(listPath(list), call)))
    )

    yield* action("/lists/:id/delete", "deleteList", toLists, ({ id }, call) =>
      removeOnce({ listId: id }, call, lists.remove(id)).pipe(Effect.map(() => withOperation("/lists", call)))
    )

    yield* action("/lists/:id/add", "appendMarkdown", toList, ({ fields, id }, call) =>
      decodeInput(
        AppendMarkdownInput,
        inForm
      )({ markdown: textIn(fields, "markdown"), list_id: id }).pipe(
        Effect.flatMap((input) => runOnce(fields, "appendMarkdown", Effect.as(bulk.appendTyped(input), "added"))),
        Effect.map(() => withOperation(backIn(fields, `/lists/${id}`), call, "add")),
        // The address of the form names the list, so a missing list is answered with 404.
        Effect.catchTag("InvalidInput", (error) =>
          Effect.andThen(error.field === "list_id" ? lists.view(id) : Effect.void, Effect.fail(error))
        )
      )
    )
  })
)
