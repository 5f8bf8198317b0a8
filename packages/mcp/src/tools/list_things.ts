import { Effect, Schema } from "effect"
import { notify } from "@lists-and-things/domain/model/CurrentOperation"
import { InvalidInput } from "@lists-and-things/domain/model/Errors"
import type { Thing } from "@lists-and-things/domain/model/Thing"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import * as Fields from "@lists-and-things/domain/json/Fields"
import { pageSize, Things } from "@lists-and-things/domain/things/Things"
import { Detail, MaxText, Page, target, time } from "../Arguments.ts"
import { countFitting } from "../results/Fitting.ts"
import { defaultMaxText, NextPage, notifyPageBeyondEnd } from "../results/ListResult.ts"
import { ThingResult, thingResult } from "../results/ThingResult.ts"
import { defineTool, hints } from "../Tool.ts"

const optionalKey = Schema.optionalKey

/**
 * The things with texts cut at `maxText`, or at half of that as often as it takes for them to fit into an answer; if
 * not even short texts make them fit, the same without photos. What is too large even so is answered whole.
 */
const fittingThings = Effect.fnUntraced(function* (
  things: ReadonlyArray<Thing>,
  detail: "compact" | "full",
  maxText: number
) {
  const cutAt = (max: number, of: ReadonlyArray<Thing>) =>
    of.map((thing) => thingResult(thing, { detail, maxText: max }))
  for (const hasPhotos of [true, false]) {
    const some = hasPhotos ? things : things.map(withoutPhotos)
    for (let max = maxText; max === maxText || max > minTextLength; max = Math.floor(max / 2)) {
      const shown = cutAt(max, some)
      if ((yield* runSteps(() => countFitting(shown))) < shown.length) continue
      if (!hasPhotos) yield* notify("Photos are left out, for all to fit. get_thing has those of one.")
      if (max < maxText) yield* notify(`Texts are cut at ${max} characters, for all to fit. get_thing has one whole.`)
      return shown
    }
  }
  return cutAt(maxText, things)
})

const withoutPhotos = (thing: Thing): Thing => ({ ...thing, photos: [] })

/** Characters at which cutting ends: what still does not fit is then not the texts. */
const minTextLength = 20

export const listThings = defineTool({
  name: "list_things",
  title: "List things",
  description:
    "Returns things of all lists or of one, newest first, 50 per page. For a whole list in display order, use get_list.",
  scope: "read:things",
  hints: hints.reads,
  readsWithAdmission: true,
  input: Schema.Struct({
    ...target,
    completed: optionalKey(Schema.Boolean),
    type: optionalKey(Fields.TypeText),
    tag: optionalKey(Fields.Name.annotate({ examples: ["errands"] })),
    since: optionalKey(time("ISO 8601; only things newer than this, by the time in sort.")),
    sort: optionalKey(Schema.Literals(["created", "updated"])),
    page: optionalKey(Page),
    maxText: optionalKey(MaxText),
    detail: optionalKey(Detail)
  }).pipe(Schema.encodeKeys({ listId: "list_id", maxText: "max_text" })),
  output: Schema.Struct({
    things: Schema.Array(ThingResult),
    page: Schema.Int,
    page_size: Schema.Int,
    has_more: Schema.Boolean,
    next_page: NextPage
  }),
  handler: Effect.fnUntraced(function* ({ maxText = defaultMaxText, detail = "compact", ...query }) {
    if (query.list !== undefined && query.listId !== undefined) {
      return yield* new InvalidInput({
        field: "list",
        reason: "cannot be combined with list_id",
        example: '"list": "today"'
      })
    }
    const things = yield* Things
    const { items, hasMore } = yield* things.page(query)
    const page = query.page ?? 0
    yield* notifyPageBeyondEnd(page, items)
    const shown = yield* fittingThings(items, detail, maxText)
    return {
      things: shown,
      page,
      page_size: pageSize,
      has_more: hasMore,
      ...(hasMore ? { next_page: `Call list_things with page ${page + 1}; keep the other arguments.` } : {})
    }
  })
})
