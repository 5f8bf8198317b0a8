import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import {
  AppendMarkdownInput,
  BulkCreateInput,
  BulkDeleteInput,
  BulkUpdateInput,
  CreateThingInput,
  UpdateThingInput
} from "@lists-and-things/domain/json/ThingInput"
import { documentOf } from "./MarkdownBody.ts"
import { Authentication, operation } from "./Operation.ts"
import * as Answers from "./Answers.ts"
import * as Errors from "./Errors.ts"
import * as Examples from "./Examples.ts"
import * as Parameters from "./Parameters.ts"

const params = Parameters.thingInPath

const listThings = HttpApiEndpoint.get("listThings", "/things", {
  query: Parameters.things,
  success: Answers.ThingPage,
  error: Errors.reading
}).annotateMerge(
  operation({
    scope: "read:things",
    readsWithAdmission: true,
    summary: "List things, newest first",
    description:
      "Returns things of all lists, or of one. To poll for changes, use `sort=updated`, set `since` to the newest `updated` seen so far, read pages until `has_more` is false, and deduplicate by `id`.",
    taggedBy: "account",
    example: () => ({ response: { things: [Examples.thing()], ...Examples.paging } })
  })
)

const createThing = HttpApiEndpoint.post("createThing", "/things", {
  payload: CreateThingInput.annotate({ identifier: "CreateThingInput" }),
  query: Parameters.dryRun,
  success: Answers.CreatedThing,
  error: Errors.writingOne
}).annotateMerge(
  operation({
    scope: "write:things",
    summary: "Create a thing",
    description:
      "Adds a thing to the end of the list that `list_id` or `list` names (a title, a day word or an ISO date), or of today's day list if neither is given. To nest, create the parent first, then its children with `tabs` of 1 or more. `header` and `subheader` exclude each other, as do `quote` and `code`.",
    taggedBy: "entity",
    example: () => ({
      request: { list: "Groceries", ...Examples.newThing },
      response: { thing: Examples.thing() }
    })
  })
)

const createThings = HttpApiEndpoint.post("createThings", "/things/bulk", {
  payload: BulkCreateInput.annotate({ identifier: "BulkCreateInput" }),
  query: Parameters.dryRun,
  success: Answers.BulkCreated,
  error: Errors.writing
}).annotateMerge(
  operation({
    scope: "write:things",
    summary: "Create many things",
    description:
      "Creates up to 500 things in order, all or none. An item can name its own target; it is skipped if that target is unknown. `skip_duplicates` skips items that the target list already has, compared by url or, without one, by text.",
    example: () => ({
      request: { list: "Groceries", items: [{ text: "Bread" }, { text: "Butter" }], skip_duplicates: true },
      response: Examples.bulkCreated()
    })
  })
)

const updateThings = HttpApiEndpoint.patch("updateThings", "/things/bulk", {
  payload: BulkUpdateInput.annotate({ identifier: "BulkUpdateInput" }),
  query: Parameters.dryRun,
  success: Answers.BulkUpdated,
  error: Errors.writing
}).annotateMerge(
  operation({
    scope: "write:things",
    summary: "Update many things",
    description: "Makes one change to up to 500 things, all or none. Ids that are no longer the caller's are skipped.",
    example: () => ({
      request: { ids: [Examples.thingId], set: { completed: true } },
      response: { updated: 1, skipped: 0 }
    })
  })
)

const deleteThings = HttpApiEndpoint.delete("deleteThings", "/things/bulk", {
  payload: BulkDeleteInput.annotate({ identifier: "BulkDeleteInput" }),
  query: Parameters.dryRun,
  success: Answers.BulkDeleted,
  error: Errors.writing
}).annotateMerge(
  operation({
    scope: "write:things",
    summary: "Delete many things",
    description: "Deletes up to 500 things permanently. Unknown ids are ignored.",
    example: () => ({ request: { ids: [Examples.thingId] }, response: { deleted: 1 } })
  })
)

const appendMarkdown = HttpApiEndpoint.post("appendMarkdown", "/things/markdown", {
  ...documentOf(AppendMarkdownInput.annotate({ identifier: "AppendMarkdownInput" })),
  success: Answers.BulkCreated,
  error: Errors.writing
}).annotateMerge(
  operation({
    scope: "write:things",
    summary: "Append markdown to a list",
    description:
      "`- [ ]` and `- [x]` become todos, `1.` numbered things, `-` or `*` bullets, `>` plain lines, `##` a heading, `###` a subheading; indentation nests. Without a target, the things go to today's day list. The document can also be the whole body, as `text/markdown`, with the other fields in the query.",
    example: () => ({
      request: { list: "today", markdown: "- [ ] Call the bank\n- [ ] Water the plants\n" },
      response: Examples.bulkCreated()
    })
  })
)

const getThing = HttpApiEndpoint.get("getThing", "/things/:id", {
  params,
  success: Answers.ThingView,
  error: Errors.readingOne
}).annotateMerge(
  operation({
    scope: "read:things",
    readsWithAdmission: true,
    summary: "Get a thing and its reminder",
    description: "Returns the thing and its reminder, which is null if it has none.",
    resource: "thing",
    taggedBy: "entity",
    example: () => ({ response: { thing: Examples.thing(), reminder: null } })
  })
)

const updateThing = HttpApiEndpoint.patch("updateThing", "/things/:id", {
  params,
  payload: UpdateThingInput.annotate({ identifier: "UpdateThingInput" }),
  query: Parameters.dryRun,
  success: Answers.UpdatedThing,
  error: Errors.changingOne
}).annotateMerge(
  operation({
    scope: "write:things",
    readsWithAdmission: true,
    summary: "Edit, complete, cancel or move a thing",
    description:
      "Only the fields that are sent change. Completing or canceling a thing with a one-off reminder removes the reminder. With a repeating reminder, it leaves a copy that is completed or canceled, moves the thing to its next occurrence, and returns `repeating_reminder`. `occurrence` is the reminder's `at` as the client read it: if the reminder has moved on since, nothing is changed.",
    resource: "thing",
    taggedBy: "entity",
    conditional: "thing",
    example: () => ({ request: { completed: true }, response: Examples.completed() })
  })
)

const deleteThing = HttpApiEndpoint.delete("deleteThing", "/things/:id", {
  params,
  query: Parameters.dryRun,
  success: Answers.Success,
  error: Errors.removing
}).annotateMerge(
  operation({
    scope: "write:things",
    readsWithAdmission: true,
    summary: "Delete a thing",
    description: "Deletes permanently. Idempotent: with an unknown id the request succeeds and changes nothing.",
    conditional: "thing",
    example: () => ({ response: { success: true } })
  })
)

export const ThingsApi = HttpApiGroup.make("things")
  .add(
    listThings,
    createThing,
    createThings,
    updateThings,
    deleteThings,
    appendMarkdown,
    getThing,
    updateThing,
    deleteThing
  )
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ title: "Things", description: "The todos and plain lines in lists." }))
