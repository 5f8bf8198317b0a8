/** Simulates a browser's forms and cookies; follows no redirect by itself. */
export interface PageSeen {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The full URL of a redirect; undefined for other answers. */
  readonly location: string | undefined
  /** The fields of the page's first form that posts to the path. */
  readonly form: (action: string) => URLSearchParams
}

/** Decodes the character references that our pages write. */
export const unescape = (text: string) =>
  text.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))

const fieldsOf = (html: string, action: string): URLSearchParams => {
  const form = html.split("<form").find((part) => part.includes(`action="${action}"`))
  if (form === undefined) throw new Error(`No form posts to ${action}: ${html}`)
  const fields = new URLSearchParams()
  for (const [input] of form.split("</form>", 1)[0]!.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1]
    const isUnticked = /type="(?:checkbox|radio)"/.test(input) && !/\schecked/.test(input)
    if (name !== undefined && !isUnticked) fields.append(name, unescape(/value="([^"]*)"/.exec(input)?.[1] ?? ""))
  }
  for (const [, name = "", options = ""] of form
    .split("</form>", 1)[0]!
    .matchAll(/<select[^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/gs)) {
    const chosen = /<option(?: value="([^"]*)")? selected>([^<]*)/.exec(options)
    fields.append(name, unescape(chosen?.[1] ?? chosen?.[2] ?? ""))
  }
  return fields
}

export class Browser {
  readonly url: string
  /** The session's cookie. */
  cookie: string | undefined
  /** The cookie by which the sign-in recognizes this browser. */
  device: string | undefined
  /** The cookie with a secret for the next page of the account. */
  shown: string | undefined

  constructor(url: string) {
    this.url = url
  }

  async #seen(path: string, init: RequestInit): Promise<PageSeen> {
    const address = new URL(path, this.url)
    const cookies = [
      this.cookie,
      /^\/sign-in(?:\/|$)/.test(address.pathname) ? this.device : undefined,
      /^\/account(?:\/|$)/.test(address.pathname) ? this.shown : undefined
    ].filter((each) => each !== undefined)
    const headers = { ...(cookies.length === 0 ? {} : { cookie: cookies.join("; ") }), ...init.headers }
    const response = await fetch(address, { ...init, headers, redirect: "manual" })
    for (const set of response.headers.getSetCookie()) {
      const pair = set.split(";", 1)[0] ?? ""
      if (/^(?:__Secure-)?lat_device=/.test(pair)) this.device = pair
      else if (/^(?:__Secure-)?lat_shown=/.test(pair)) this.shown = pair
      else this.cookie = pair
    }
    const location = response.headers.get("location")
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      location: location === null ? undefined : new URL(location, address).href,
      form: (action) => fieldsOf(text, action)
    }
  }

  get(path: string, headers: Record<string, string> = {}): Promise<PageSeen> {
    return this.#seen(path, { headers })
  }

  post(
    path: string,
    fields: URLSearchParams | Record<string, string>,
    headers: Record<string, string> = {}
  ): Promise<PageSeen> {
    return this.#seen(path, {
      method: "POST",
      body: new URLSearchParams(fields),
      headers: { origin: this.url, ...headers }
    })
  }

  signIn(email: string, password: string, next = "/account"): Promise<PageSeen> {
    return this.post("/sign-in", { email, password, next })
  }

  /** Goes from a client's authorization URL, signing in if asked, to the address at which the client is answered. */
  async consent(
    address: string | URL,
    who: { readonly email: string; readonly password: string },
    answer: (form: URLSearchParams) => void = () => {}
  ): Promise<URL> {
    let seen = await this.get(String(address))
    if (seen.location?.startsWith(`${this.url}/sign-in`) === true) {
      const next = new URL(seen.location).searchParams.get("next") ?? ""
      seen = await this.signIn(who.email, who.password, next)
      seen = await this.get(seen.location ?? "")
    }
    const form = seen.form("/oauth/authorize")
    form.set("decision", "allow")
    answer(form)
    const answered = await this.post("/oauth/authorize", form)
    if (answered.location === undefined) throw new Error(`Not answered: ${answered.status} ${answered.text}`)
    return new URL(answered.location)
  }
}
