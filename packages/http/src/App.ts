import { Layer } from "effect"
import { Admission } from "./edge/Admission.ts"
import * as AuthorizeHttp from "./oauth/AuthorizeHttp.ts"
import * as OAuthHttp from "./oauth/OAuthHttp.ts"
import * as AccountPages from "./pages/AccountPages.ts"
import * as Assets from "./pages/Assets.ts"
import * as DayPages from "./pages/DayPages.ts"
import * as FindPages from "./pages/FindPages.ts"
import * as HistoryPages from "./pages/HistoryPages.ts"
import * as ListActions from "./pages/ListActions.ts"
import * as ListPages from "./pages/ListPages.ts"
import * as RowActions from "./pages/RowActions.ts"
import * as SignInPages from "./pages/SignInPages.ts"
import { SiteCookies } from "./pages/SiteCookies.ts"
import * as ThingPages from "./pages/ThingPages.ts"
import * as WebhookPages from "./pages/WebhookPages.ts"
import * as CalendarHttp from "./routes/CalendarHttp.ts"
import * as HistoryHttp from "./routes/HistoryHttp.ts"
import * as ListsHttp from "./routes/ListsHttp.ts"
import * as PublicHttp from "./routes/PublicHttp.ts"
import * as RemindersHttp from "./routes/RemindersHttp.ts"
import * as SearchHttp from "./routes/SearchHttp.ts"
import * as ThingsHttp from "./routes/ThingsHttp.ts"
import * as WebhooksHttp from "./routes/WebhooksHttp.ts"

/** Every route of this host: the contract's operations and the public routes. `siteUrl` has no trailing slash. */
export const routes = (siteUrl: string) =>
  Layer.mergeAll(operations(siteUrl), PublicHttp.layer(siteUrl), CalendarHttp.layer(siteUrl), pages(siteUrl))

const operations = (siteUrl: string) =>
  Layer.mergeAll(
    ListsHttp.layer,
    ThingsHttp.layer,
    RemindersHttp.layer,
    HistoryHttp.layer,
    WebhooksHttp.layer,
    SearchHttp.layer(siteUrl)
  ).pipe(Layer.provide(Admission.layer))

/** OAuth for programs, sign-in for people, the account's settings, the day, lists and things. */
const pages = (siteUrl: string) =>
  Layer.mergeAll(
    OAuthHttp.layer(siteUrl),
    AuthorizeHttp.layer(siteUrl),
    SignInPages.layer(siteUrl),
    AccountPages.layer(siteUrl),
    HistoryPages.layer,
    WebhookPages.layer,
    Assets.layer,
    DayPages.layer,
    ListPages.layer,
    ListActions.layer,
    RowActions.layer,
    ThingPages.layer,
    FindPages.layer
  ).pipe(Layer.provide(SiteCookies.layer(siteUrl)))
