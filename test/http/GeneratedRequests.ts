import { expect } from "@effect/vitest"
import * as fc from "fast-check"
import { fixture, operations } from "./Operations.ts"
import type { Client } from "./TestServer.ts"

const nastyStrings = [
  "",
  " ",
  "\u0000",
  "\ud800",
  "\u202e",
  "e\u0301",
  "ﬀ",
  "İ",
  "%",
  "_",
  "\\",
  "'; drop table things; --",
  "$1",
  "null",
  "__proto__",
  "constructor",
  "today",
  "TODAY",
  "2026-02-30",
  "2026-11-21",
  "2026-11-21T25:00:00Z",
  "0000-01-01",
  "9999-12-31T23:59:59.999Z",
  "-271821-04-20",
  "infinity",
  "NaN",
  "1e400",
  "https://x.example",
  "javascript:alert(1)",
  "x".repeat(10_001),
  "👨‍👩‍👧‍👦".repeat(50),
  "0199f0c2-7a51-7c3e-9d1b-2f6a8c4e5b70",
  "[a](b)",
  "**",
  "`",
  "- [ ] a\n\t- b\n1) c\n> d\n```\ne\n```\n",
  "#".repeat(300),
  "[".repeat(500),
  "*a ".repeat(500)
]
const nastyNumbers = [0, -0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, -1e308, Number.MIN_VALUE, 999, 1000, 525_600, 525_601]

const scalar = fc.oneof(
  fc.constantFrom<unknown>(...nastyStrings, ...nastyNumbers, null, true, false),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.date({ noInvalidDate: true }).map((date) => date.toJSON())
)
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.array(scalar, { maxLength: 5 }),
  fc.jsonValue({ maxDepth: 3 })
)

const fields = [
  "text",
  "title",
  "emoji",
  "things",
  "items",
  "ids",
  "set",
  "markdown",
  "list",
  "list_id",
  "list_ref",
  "type",
  "url",
  "tags",
  "photos",
  "tabs",
  "completed",
  "canceled",
  "favorited",
  "archived",
  "sort",
  "created",
  "updated",
  "bold",
  "header",
  "subheader",
  "quote",
  "code",
  "note",
  "clone_of",
  "occurrence",
  "skip_duplicates",
  "at",
  "all_day",
  "repeat",
  "every",
  "repeat_until",
  "days",
  "end",
  "duration_minutes",
  "alert_minutes",
  "second_alert_minutes",
  "color",
  "id",
  "Text",
  "tag",
  "__proto__"
]
const changes = fc.array(fc.tuple(fc.constantFrom(...fields), value), { maxLength: 4 })
const queryNames = [
  "page",
  "max_text",
  "date",
  "count",
  "query",
  "q",
  "id",
  "list_id",
  "completed",
  "type",
  "tag",
  "since",
  "by_id",
  "thing_id",
  "cursor",
  "limit",
  "sort",
  "other"
]
const query = fc.array(fc.tuple(fc.constantFrom(...queryNames), scalar), { maxLength: 3 })
const pathId = fc.oneof(
  fc.constant(undefined),
  fc.constantFrom(...nastyStrings).map((text) => text.toWellFormed())
)
const rawBody = fc.oneof({ weight: 8, arbitrary: fc.constant(undefined) }, fc.string({ unit: "binary" }), fc.json())

/** Makes this many random requests; each answer must be a described one and not a failure of the server. */
export const requestsAreAnswered = async (ask: Client["ask"], runs: number): Promise<void> => {
  const on = await fixture({ ask })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...Object.keys(operations)),
      changes,
      query,
      pathId,
      rawBody,
      async (id, changed, asked, otherId, text) => {
        const { good, method } = operations[id]!
        const target =
          otherId === undefined || otherId.length > 300
            ? on
            : {
                listId: encodeURIComponent(otherId),
                thingId: encodeURIComponent(otherId),
                operationId: encodeURIComponent(otherId),
                webhookId: encodeURIComponent(otherId),
                deliveryId: encodeURIComponent(otherId)
              }
        const parameters = asked
          .map(([name, of]) => `${name}=${encodeURIComponent(String(of).toWellFormed()).slice(0, 2_000)}`)
          .join("&")
        const path = good.path(target)
        const address = parameters === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${parameters}`
        // An emptied id, or a path that ends in a dot segment, makes another address.
        fc.pre(!/\/\/|\/\.{1,2}(\/|$)|%$|%.$/.test(address) && !/\/(\?|$)/.test(address))
        const body = { ...(good.body?.(on) as object), ...Object.fromEntries(changed) }
        const options = text === undefined || good.body === undefined ? {} : { text: text.toWellFormed() }
        const answer = await ask(method, address, good.body === undefined ? undefined : body, options)
        expect(answer.status).toBeLessThan(500)
        if (answer.status >= 400) expect(answer.body.error.length).toBeLessThan(1_000)
      }
    ),
    { numRuns: runs }
  )
}
