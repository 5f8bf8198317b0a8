import { Effect, Layer } from "effect"
import { todayIn } from "@lists-and-things/domain/days/Day"
import { localDateOf } from "@lists-and-things/domain/days/Zone"
import { currentTime, type EpochMillis } from "@lists-and-things/domain/model/EpochMillis"
import type { ReminderView } from "@lists-and-things/domain/reminders/ReminderView"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import { nothingFound, Search } from "@lists-and-things/domain/search/Search"
import type { SignedIn } from "@lists-and-things/domain/signin/SignIn"
import { Tags } from "@lists-and-things/domain/tags/Tags"
import { ThingTarget } from "@lists-and-things/domain/targets/ThingTarget"
import { Things } from "@lists-and-things/domain/things/Things"
import { isOpen, type Thing } from "@lists-and-things/domain/model/Thing"
import { compressed } from "./Compressed.ts"
import { type Html, html } from "./Html.ts"
import { emptyHtml, listCards, listLinks, lookOf, pageLinks, tickableThings } from "./ListHtml.ts"
import { newFormId } from "./IdempotentForms.ts"
import { page, type PageOptions } from "./Page.ts"
import { makePageRoutes } from "./PageRoutes.ts"
import { tagCloud } from "./TagsHtml.ts"
import { dayName } from "./Times.ts"
import { pageIn, queryOf, viewPathOf } from "./PageAddress.ts"

/** Most reminders on their page. */
const maxReminders = 200

const overdueName = "Overdue"

/**
 * The reminders of open things, each once, by section of the page: first what days before today left, most recent
 * first; then day by day, each in order of time; last those at places.
 */
const byDay = (
  views: ReadonlyArray<ReminderView>,
  zone: string,
  now: EpochMillis
): ReadonlyMap<string, ReadonlyArray<ReminderView>> => {
  const today = todayIn(zone, now)
  const timeOf = ({ reminder: { trigger } }: ReminderView) =>
    trigger._tag === "Place" ? Number.MAX_SAFE_INTEGER : trigger.at
  const nameOf = ({ reminder: { trigger } }: ReminderView) => {
    if (trigger._tag === "Place") return "At places"
    const date = localDateOf(zone, trigger.at)
    return date < today ? overdueName : dayName(date, today)
  }
  const once = new Map(views.filter(({ thing }) => isOpen(thing)).map((view) => [view.thing.id, view]))
  const sorted = [...once.values()].toSorted((a, b) => timeOf(a) - timeOf(b))
  const groups = Map.groupBy(sorted, nameOf)
  groups.get(overdueName)?.reverse()
  return groups
}

/** Upcoming reminders, tags, and search. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { get, noticeOf } = yield* makePageRoutes
    const reminders = yield* Reminders
    const things = yield* Things
    const tags = yield* Tags
    const search = yield* Search
    const target = yield* ThingTarget

    /** Rows of things from various lists, which can be ticked; `known` are their reminders. */
    const rows = Effect.fnUntraced(function* (
      current: SignedIn,
      back: string,
      found: ReadonlyArray<Thing>,
      known?: ReadonlyArray<ReminderView>
    ) {
      const { timezone } = current.account
      const views = known ?? (yield* reminders.ofThings(found))
      const now = yield* currentTime
      const lists = listLinks(yield* target.listsOf(found), todayIn(timezone, now))
      const look = { ...lookOf(timezone, now), lists }
      const flat = found.map((thing) => ({ ...thing, tabs: 0 }))
      const origin = { csrf: current.session.csrf, back, form: yield* newFormId }
      return yield* runSteps(() => tickableThings(flat, views, look, origin))
    })

    const optionsOf = (current: SignedIn, section: PageOptions["section"] & string): PageOptions => ({
      signedInAs: current.account.email,
      section
    })

    yield* get("/reminders", (current, request) =>
      Effect.gen(function* () {
        const zone = current.account.timezone
        const now = yield* currentTime
        const [{ hasMore, items }, { due, overdue }, notice] = yield* Effect.all(
          [
            reminders.between({ limit: maxReminders }),
            // Read separately, since they must all be shown, however many reminders are to come.
            reminders.onDay(todayIn(zone, now)),
            noticeOf(current, request)
          ],
          { concurrency: "unbounded" }
        )
        const parts: Array<Html> = []
        for (const [name, views] of byDay([...items, ...due, ...overdue], zone, now)) {
          const found = views.map(({ thing }) => thing)
          parts.push(html`<h2>${name}</h2>${yield* rows(current, viewPathOf(request), found, views)}`)
        }
        const main = html`${notice}
          <h1>Reminders</h1>
          ${parts.length === 0 ? emptyHtml("No reminder is set. Open a thing to set one.") : parts}
          ${hasMore ? emptyHtml(`These are the next ${maxReminders}.`) : ""}`
        return yield* compressed(request, page("Reminders", main, optionsOf(current, "reminders")))
      })
    )

    yield* get("/tags", (current, request) =>
      Effect.gen(function* () {
        const query = queryOf(request)
        const tag = query.get("tag")
        if (tag === null) return yield* allTags(current)
        const at = pageIn(query)
        const [found, notice] = yield* Effect.all([things.page({ tag, page: at }), noticeOf(current, request)])
        const main = html`${notice}
          <p class="eyebrow"><a href="/tags">Tags</a></p>
          <h1>#${tag}</h1>
          ${found.items.length === 0 ? emptyHtml("Nothing has this tag.") : yield* rows(current, viewPathOf(request), found.items)}
          ${pageLinks(`/tags?tag=${encodeURIComponent(tag)}&`, at, found.hasMore, "things with this tag")}`
        return page(`#${tag}`, main, optionsOf(current, "tags"))
      })
    )

    const allTags = Effect.fnUntraced(function* (current: SignedIn) {
      const found = yield* tags.list
      const main = html`<h1>Tags</h1>
        ${
          found.length === 0
            ? emptyHtml("You have no tags yet. Open a thing to give it some.")
            : yield* runSteps(() => tagCloud(found))
        }`
      return page("Tags", main, optionsOf(current, "tags"))
    })

    yield* get("/search", (current, request) =>
      Effect.gen(function* () {
        const query = queryOf(request)
        const asked = (query.get("q") ?? query.get("query") ?? "").trim()
        const options = { ...optionsOf(current, "search"), query: asked }
        if (asked === "") return page("Search", html`<h1>Search</h1>${emptyHtml("What are you looking for?")}`, options)
        const [found, notice, now] = yield* Effect.all([search.search(asked), noticeOf(current, request), currentTime])
        const back = viewPathOf(request)
        const origin = { csrf: current.session.csrf, back }
        const today = todayIn(current.account.timezone, now)
        const main = html`${notice}
          <h1>Search</h1>
          <p class="soft">For <q>${asked}</q></p>
          ${found.lists.length === 0 && found.things.length === 0 ? emptyHtml(`Nothing was found. ${nothingFound(asked)}`) : ""}
          ${found.lists.length === 0 ? "" : html`<h2>Lists</h2>${listCards(found.lists, today, origin)}`}
          ${found.things.length === 0 ? "" : html`<h2>Things</h2>${yield* rows(current, back, found.things)}`}
          ${found.listsHasMore || found.thingsHasMore ? emptyHtml("There is more: add words to narrow the search.") : ""}`
        return page("Search", main, options)
      })
    )
  })
)
