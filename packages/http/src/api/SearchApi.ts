import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as OpenApi from "effect/http-api/OpenApi"
import { Authentication, operation } from "./Operation.ts"
import * as Answers from "./Answers.ts"
import * as Errors from "./Errors.ts"
import * as Examples from "./Examples.ts"
import * as Parameters from "./Parameters.ts"

const search = HttpApiEndpoint.get("search", "/search", {
  query: Parameters.search,
  success: Answers.SearchAnswer,
  error: Errors.reading
}).annotateMerge(
  operation({
    scope: "search",
    summary: "Search lists and things",
    description:
      "Returns up to 50 lists whose title and 50 things whose text contains the query, ignoring case and markup, best matches first. `has_more` is true if there are more. The result is not a complete enumeration.",
    example: (siteUrl) => ({ response: Examples.found(siteUrl) })
  })
)

const fetchDocument = HttpApiEndpoint.get("fetchDocument", "/fetch", {
  query: Parameters.documentId,
  success: Answers.Document,
  error: Errors.readingOne
}).annotateMerge(
  operation({
    scope: "read:things",
    summary: "Fetch a list or a thing as a document",
    description: "Takes the id of a list or of a thing. The text of a list has one thing per line.",
    example: (siteUrl) => ({ response: Examples.document(siteUrl) })
  })
)

const listTags = HttpApiEndpoint.get("listTags", "/tags", {
  success: Answers.Tags,
  error: Errors.reading
}).annotateMerge(
  operation({
    scope: "read:things",
    summary: "List the tags in use",
    description:
      "Returns each tag with the number of things that have it and a color derived from its name, most used first.",
    taggedBy: "account",
    example: () => ({ response: Examples.tags() })
  })
)

export const SearchApi = HttpApiGroup.make("search")
  .add(search, fetchDocument, listTags)
  .middleware(Authentication)
  .annotateMerge(OpenApi.annotations({ title: "Search", description: "Find lists, things and tags." }))
