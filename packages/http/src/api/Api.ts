import * as HttpApi from "effect/http-api/HttpApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { HistoryApi } from "./HistoryApi.ts"
import { ListsApi } from "./ListsApi.ts"
import { RemindersApi } from "./RemindersApi.ts"
import { SearchApi } from "./SearchApi.ts"
import { ThingsApi } from "./ThingsApi.ts"
import { WebhooksApi } from "./WebhooksApi.ts"

export const basePath = "/api/v1"
const apiVersion = "1.0.0"

/** Every operation of the contract, as it is served and as it is documented. */
export const Api = HttpApi.make("lists-and-things")
  .add(ListsApi, ThingsApi, RemindersApi, SearchApi, HistoryApi, WebhooksApi)
  .prefix(basePath)
  .annotateMerge(
    OpenApi.annotations({
      title: "Lists and Things",
      version: apiVersion,
      summary: "Lists, the things in them, reminders, tags and search",
      license: { name: "MIT", url: "https://opensource.org/license/mit" }
    })
  )
