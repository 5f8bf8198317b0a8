import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { CreateListInput, ImportMarkdownInput, UpdateListInput } from "@lists-and-things/domain/json/ListInput"
import { documentOf } from "./MarkdownBody.ts"
import { Authentication, operation } from "./Operation.ts"
import * as Answers from "./Answers.ts"
import * as Errors from "./Errors.ts"
import * as Examples from "./Examples.ts"
import * as Parameters from "./Parameters.ts"

const params = Parameters.listInPath

const listLists = HttpApiEndpoint.get("listLists", "/lists", {
  query: Parameters.page,
  success: Answers.ListPage,
  error: Errors.reading
}).annotateMerge(
  operation({
    scope: "read:lists",
    readsWithAdmission: true,
    summary: "List the lists",
    description:
      "Returns the lists that are not archived, most recently modified first, 50 per page. Empty day lists are left out.",
    taggedBy: "account",
    example: () => ({ response: { lists: [Examples.list()], ...Examples.paging } })
  })
)

const createList = HttpApiEndpoint.post("createList", "/lists", {
  payload: CreateListInput.annotate({ identifier: "CreateListInput" }),
  query: Parameters.dryRun,
  success: Answers.CreatedList,
  error: Errors.writing
}).annotateMerge(
  operation({
    scope: "write:lists",
    summary: "Create a list",
    description: "Creates a list, with up to 500 things in order. Blank things are skipped.",
    taggedBy: "entity",
    example: () => ({
      request: { title: "Groceries", emoji: "🛒", things: [Examples.newThing] },
      response: { list: Examples.list(), created: 1, skipped: 0 }
    })
  })
)

const importMarkdown = HttpApiEndpoint.post("importMarkdown", "/lists/import", {
  ...documentOf(ImportMarkdownInput.annotate({ identifier: "ImportMarkdownInput" })),
  success: Answers.CreatedList,
  error: Errors.writing
}).annotateMerge(
  operation({
    scope: "write:lists",
    summary: "Create a list from markdown",
    description:
      "Always creates a new list. Without `title`, the first `# ` heading becomes the title. Checkboxes become todos, `1.` numbered things, `-` or `*` bullets, `##` a heading, `###` a subheading; indentation nests. The document can also be the whole body, as `text/markdown`, with the other fields in the query.",
    taggedBy: "entity",
    example: () => ({
      request: { markdown: "# Groceries\n\n- [ ] Oat **milk**, two litres\n" },
      response: { list: Examples.list(), created: 1, skipped: 0 }
    })
  })
)

const getList = HttpApiEndpoint.get("getList", "/lists/:id", {
  params,
  query: Parameters.maxText,
  success: Answers.ListView,
  error: Errors.readingOne
}).annotateMerge(
  operation({
    scope: "read:lists",
    readsWithAdmission: true,
    summary: "Get a list and its things",
    description:
      "Returns the list, its things in display order (by the list's `sort`, with children under their parents), and their reminders.",
    resource: "list",
    taggedBy: "entity",
    example: () => ({ response: Examples.listView() })
  })
)

const getListMarkdown = HttpApiEndpoint.get("getListMarkdown", "/lists/:id/markdown", {
  params,
  success: Answers.Markdown,
  error: Errors.readingOne
}).annotateMerge(
  operation({
    scope: "read:lists",
    readsWithAdmission: true,
    summary: "Get a list as markdown",
    description: "Returns the list as a markdown document. `POST /lists/import` turns it into the same things again.",
    resource: "list",
    example: () => ({ response: Examples.markdown() })
  })
)

const getToday = HttpApiEndpoint.get("getToday", "/today", {
  query: { ...Parameters.date, ...Parameters.maxText, ...Parameters.dryRun },
  success: Answers.ListView,
  error: Errors.reading
}).annotateMerge(
  operation({
    scope: "read:lists",
    readsWithAdmission: true,
    summary: "Get a day list",
    description: "Returns the day list of a date in the account's time zone, and creates it if it does not exist.",
    changes: true,
    example: () => ({ response: Examples.listView({ title: "2026-11-20", emoji: "", day: "2026-11-20" }) })
  })
)

const updateList = HttpApiEndpoint.patch("updateList", "/lists/:id", {
  params,
  payload: UpdateListInput.annotate({ identifier: "UpdateListInput" }),
  query: Parameters.dryRun,
  success: Answers.OneList,
  error: Errors.changingOne
}).annotateMerge(
  operation({
    scope: "write:lists",
    summary: "Rename, star, archive or sort a list",
    description: "Only the fields that are sent change; an empty object changes nothing.",
    resource: "list",
    taggedBy: "entity",
    conditional: "list",
    example: () => ({ request: { favorited: true }, response: { list: Examples.list({ favorited: true }) } })
  })
)

const deleteList = HttpApiEndpoint.delete("deleteList", "/lists/:id", {
  params,
  query: Parameters.dryRun,
  success: Answers.Success,
  error: Errors.removing
}).annotateMerge(
  operation({
    scope: "write:lists",
    summary: "Delete a list and its things",
    description: "Deletes permanently. Idempotent: with an unknown id the request succeeds and changes nothing.",
    conditional: "list",
    example: () => ({ response: { success: true } })
  })
)

export const ListsApi = HttpApiGroup.make("lists")
  .add(listLists, createList, importMarkdown, getList, getListMarkdown, getToday, updateList, deleteList)
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ title: "Lists", description: "Lists, and the day list of each date." }))
