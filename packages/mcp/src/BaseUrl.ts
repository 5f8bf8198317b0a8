import { Context } from "effect"

/** Where the web app is: addresses of lists and things start with it. */
export class BaseUrl extends Context.Service<
  BaseUrl,
  {
    /** site_url, without a slash at its end. */
    readonly url: string
  }
>()("@lists-and-things/mcp/BaseUrl") {}
