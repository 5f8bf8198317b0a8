import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "./api/Api.ts"
import * as Gate from "./edge/Gate.ts"
import * as CalendarHttp from "./routes/CalendarHttp.ts"
import * as ListsHttp from "./routes/ListsHttp.ts"
import * as PublicHttp from "./routes/PublicHttp.ts"
import * as RemindersHttp from "./routes/RemindersHttp.ts"
import * as SearchHttp from "./routes/SearchHttp.ts"
import * as ThingsHttp from "./routes/ThingsHttp.ts"

/** Every route of this host: the operations of the contract, and what is public. `siteUrl` has no slash at its end. */
export const routes = (siteUrl: string) =>
  HttpApiBuilder.layer(Api).pipe(
    Layer.provide([ListsHttp.layer, ThingsHttp.layer, RemindersHttp.layer, SearchHttp.layer(siteUrl)]),
    Layer.provide(Gate.layer),
    Layer.provide(NodeHttpServer.layerHttpServices),
    Layer.merge(PublicHttp.layer(siteUrl)),
    Layer.merge(CalendarHttp.layer(siteUrl))
  )
