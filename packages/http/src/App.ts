import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { IdempotencyRecords } from "@lists-and-things/domain/caller/IdempotencyRecords"
import { Changes } from "@lists-and-things/domain/history/Changes"
import { Operations } from "@lists-and-things/domain/history/Operations"
import { Undo } from "@lists-and-things/domain/history/Undo"
import { Lists } from "@lists-and-things/domain/lists/Lists"
import { Reminders } from "@lists-and-things/domain/reminders/Reminders"
import { Search } from "@lists-and-things/domain/search/Search"
import { Tags } from "@lists-and-things/domain/tags/Tags"
import { BulkThings } from "@lists-and-things/domain/things/BulkThings"
import { Things } from "@lists-and-things/domain/things/Things"
import { DryRuns } from "@lists-and-things/domain/history/DryRuns"
import { EntityTags } from "@lists-and-things/domain/preconditions/EntityTags"
import { Preconditions } from "@lists-and-things/domain/preconditions/Preconditions"
import { Layer } from "effect"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import { Api } from "./api/Api.ts"
import { Authentication } from "./api/Operation.ts"
import * as Authenticate from "./edge/Authenticate.ts"
import { builtWith } from "./edge/RequestContext.ts"
import * as AuthorizeHttp from "./oauth/AuthorizeHttp.ts"
import * as OAuthHttp from "./oauth/OAuthHttp.ts"
import * as AccountHttp from "./pages/AccountHttp.ts"
import * as Assets from "./pages/Assets.ts"
import * as DayPages from "./pages/DayPages.ts"
import * as FindPages from "./pages/FindPages.ts"
import * as HistoryPages from "./pages/HistoryPages.ts"
import * as ListPages from "./pages/ListPages.ts"
import * as SignInHttp from "./pages/SignInHttp.ts"
import * as ThingPages from "./pages/ThingPages.ts"
import * as CalendarHttp from "./routes/CalendarHttp.ts"
import * as HistoryHttp from "./routes/HistoryHttp.ts"
import * as ListsHttp from "./routes/ListsHttp.ts"
import * as PublicHttp from "./routes/PublicHttp.ts"
import * as RemindersHttp from "./routes/RemindersHttp.ts"
import * as SearchHttp from "./routes/SearchHttp.ts"
import * as ThingsHttp from "./routes/ThingsHttp.ts"

/** What `serve` needs of the use cases. */
const serving = [IdempotencyRecords, EntityTags, Preconditions, DryRuns] as const

/** Every route of this host: the contract's operations and the public routes. `siteUrl` has no trailing slash. */
export const routes = (siteUrl: string) =>
  HttpApiBuilder.layer(Api).pipe(
    Layer.provide([
      builtWith(ListsHttp.layer, Authentication, Lists, ...serving),
      builtWith(ThingsHttp.layer, Authentication, Things, BulkThings, ...serving),
      builtWith(RemindersHttp.layer, Authentication, Reminders, ...serving),
      builtWith(HistoryHttp.layer, Authentication, Operations, Undo, Changes, ...serving),
      builtWith(SearchHttp.layer(siteUrl), Authentication, Search, Tags, ...serving)
    ]),
    Layer.provide(Authenticate.layer),
    Layer.provide(NodeHttpServer.layerHttpServices),
    Layer.merge(PublicHttp.layer(siteUrl)),
    Layer.merge(CalendarHttp.layer(siteUrl)),
    Layer.merge(pages(siteUrl))
  )

/** OAuth for programs, sign-in for people, the account's settings, the day, lists and things. */
const pages = (siteUrl: string) =>
  Layer.mergeAll(
    OAuthHttp.layer(siteUrl),
    AuthorizeHttp.layer(siteUrl),
    SignInHttp.layer(siteUrl),
    AccountHttp.layer(siteUrl),
    HistoryPages.layer,
    Assets.layer,
    DayPages.layer,
    ListPages.layer,
    ThingPages.layer,
    FindPages.layer
  )
