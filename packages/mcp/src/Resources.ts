import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from "@modelcontextprotocol/server"
import { Effect } from "effect"
import { Caller } from "@lists-and-things/domain/model/Caller"
import { parseDay } from "@lists-and-things/domain/days/Day"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import type { Scope } from "@lists-and-things/domain/model/Scope"
import { currentTime } from "@lists-and-things/domain/model/EpochMillis"
import { firstCharacters } from "@lists-and-things/domain/text/Characters"
import { LongText } from "@lists-and-things/domain/text/LongText"
import { inOneLine } from "@lists-and-things/domain/text/Quoted"
import type { LongParts } from "./http/LongParts.ts"

/** The scope that reading a resource and listening to it need. */
export const resourceScopes: ReadonlyArray<Scope> = ["read:lists"]

const mimeType = "text/markdown"

/** Lists as documents that a person attaches to a conversation. Reading one writes nothing. */
export const resourceTemplates = [
  {
    uriTemplate: "list://{id}",
    name: "list",
    title: "A list",
    description: "A list as markdown, by its id.",
    mimeType
  },
  {
    uriTemplate: "day://{date}",
    name: "day",
    title: "A day list",
    description: "The day list of today, tomorrow, yesterday or an ISO date, as markdown.",
    mimeType
  }
]

/** The fifty lists changed most recently; none for a key without the right to read lists. */
export const recentLists = Effect.gen(function* () {
  const lists = yield* Lists
  const { items } = yield* lists
    .page(0)
    .pipe(Effect.catchTag("Forbidden", () => Effect.succeed({ items: [], hasMore: false })))
  const resources = items.map((list) => {
    const title = inOneLine(`${list.emoji} ${list.title}`.trim())
    // The protocol before 2025-06-18 has no title, so its clients show the name.
    return { uri: `list://${list.id}`, name: title, title, mimeType }
  })
  return { resources }
})

export const readResource = Effect.fnUntraced(function* (uri: string, long?: LongParts) {
  const text = yield* textOf(uri)
  return { contents: [{ uri, mimeType, text: long?.text(text) ?? text.toString() }] }
})

const textOf = Effect.fnUntraced(function* (uri: string) {
  const lists = yield* Lists
  const [, kind, name = ""] = /^(list|day):\/\/([^/?#]+)\/?$/.exec(uri) ?? []
  const missing = Effect.fail(new ResourceNotFoundError(firstCharacters(uri, 200)))
  if (kind === "list") return yield* Effect.catchTag(lists.markdown(name), "NotFound", () => missing)
  if (kind !== "day") return yield* missing
  const date = yield* dateOf(name)
  return date === undefined ? yield* missing : yield* dayMarkdown(date)
})

/** The date that a day word or an ISO date means in the caller's time zone; undefined for other texts. */
export const dateOf = Effect.fnUntraced(function* (day: string) {
  const { account } = yield* Caller
  return parseDay(day, account.timezone, yield* currentTime)
})

/** The markdown of a day list; only its heading if there is none, since only `get_today` creates one. */
const dayMarkdown = Effect.fnUntraced(function* (date: string) {
  const lists = yield* Lists
  return yield* lists.byName(date).pipe(
    Effect.flatMap((list) => lists.markdown(list.id)),
    Effect.catchTag(["NotFound", "Ambiguous"], () => Effect.succeed(new LongText([`# ${date}\n`])))
  )
})

/** The protocol error for a failed resource or prompt. */
export const protocolError = (error: { readonly _tag: string; readonly message: string } | ProtocolError) =>
  error instanceof ProtocolError
    ? error
    : new ProtocolError(
        error._tag === "StorageUnavailable" || error._tag === "Overloaded"
          ? ProtocolErrorCode.InternalError
          : ProtocolErrorCode.InvalidParams,
        error.message
      )
