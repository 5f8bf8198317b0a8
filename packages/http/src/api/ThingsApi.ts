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
      "Across all lists, or one. To notice changes, ask with `sort=updated` and `since` the newest `updated` seen so far, page until `has_more` is false, and tell things apart by `id`.",
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
      "At the end of the list that `list_id` or `list` names (a title, a day word or an ISO date); without either, of today's day list. To nest, create the parent first and give its children `tabs` of 1 or more. `header` and `subheader` exclude each other, as do `quote` and `code`.",
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
      "Up to 500 things in one ordered insert, all of them or none. Each may name a target of its own; an item whose own target is unknown is skipped. `skip_duplicates` skips what the target list has already, by url, else by text.",
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
    summary: "Make one change to many things",
    description: "Up to 500 ids, all changed or none. Ids that are not the caller's any more are skipped.",
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
    description: "Up to 500 ids; permanent. Unknown ids are ignored.",
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
      "`- [ ]` and `- [x]` become todos, `1.` numbered things, `-` or `*` bullets, `>` plain lines, `##` a heading, `###` a subheading; indentation nests. Without a target, today's day list. The document may also be the body itself, as `text/markdown`, with the other fields in the query.",
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
    description: "The thing, and the reminder on it or null.",
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
      "Only the fields that are sent change. Completing or canceling a thing with a one-off reminder removes the reminder; with a repeating one it leaves a completed copy, moves the thing on to the next occurrence, and answers `repeating_reminder`. With `occurrence` (the reminder's `at` as it was read) nothing is applied once the reminder has moved on.",
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
    description: "Permanent, and idempotent: an unknown id succeeds and changes nothing.",
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
  .annotateMerge(OpenApi.annotations({ title: "Things", description: "What lists hold: todos and plain lines." }))
