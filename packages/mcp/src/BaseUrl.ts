import { Context } from "effect"

/** URL of the web app; the URLs of lists and things start with it. */
export class BaseUrl extends Context.Service<
  BaseUrl,
  {
    /** site_url, without a trailing slash. */
    readonly url: string
  }
>()("@lists-and-things/mcp/BaseUrl") {}
