import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { thingTitle } from "@lists-and-things/domain/markdown/Document"
import { Things } from "@lists-and-things/domain/things/Things"
import { runSteps } from "@lists-and-things/domain/scheduling/Yielding"
import { html } from "./Html.ts"
import { page } from "./Page.ts"
import { thingHtml, thingsHtml } from "./ThingHtml.ts"
import { signedInPages } from "./CurrentSession.ts"

/** Pages at the URLs that search and fetch return. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const router = yield* HttpRouter.HttpRouter
    const forSignedIn = yield* signedInPages
    const lists = yield* Lists
    const things = yield* Things

    const idOf = Effect.map(HttpRouter.params, (params) => params["id"] ?? "")

    const list = forSignedIn((current) =>
      Effect.gen(function* () {
        const { list, things: shown, reminders } = yield* lists.view(yield* idOf)
        const title = `${list.emoji} ${list.title}`.trim()
        const byThing = new Map(reminders.map((reminder) => [reminder.thing.id as string, reminder]))
        const body =
          shown.length === 0
            ? html`<p class="soft">This list is empty.</p>`
            : yield* runSteps(() => thingsHtml(shown, byThing))
        return page(
          title,
          html`<h1>${title}</h1>
            ${body}`,
          { signedInAs: current.account.email }
        )
      })
    )

    const thing = forSignedIn((current) =>
      Effect.gen(function* () {
        const { thing, reminder } = yield* things.get(yield* idOf)
        const title = thingTitle(thing)
        return page(
          title === "" ? "A thing" : title,
          html`<h1>${title === "" ? "A thing" : title}</h1>
            ${thingHtml(thing, reminder ?? undefined)}
            <p><a href="/lists/${thing.listId}">To its list</a></p>`,
          { signedInAs: current.account.email }
        )
      })
    )

    yield* router.add("GET", "/lists/:id", list)
    yield* router.add("GET", "/things/:id", thing)
  })
)
