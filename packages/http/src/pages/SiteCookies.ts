import { Context, Duration, flow, Layer } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { deviceLifetime } from "@lists-and-things/domain/signin/KnownDevices"
import { type Entry, sessionLifetime } from "@lists-and-things/domain/signin/SignIn"

type Request = HttpServerRequest.HttpServerRequest
type Answered = (response: HttpServerResponse.HttpServerResponse) => HttpServerResponse.HttpServerResponse

/**
 * The cookies of this site, hidden from scripts. If the site is served over https they are Secure, and their names have
 * prefixes with which a browser accepts them only over https, and the session only from this very host (RFC 6265bis,
 * section 4.1.3): otherwise another host of the domain could set one, such as the session of another account.
 */
export class SiteCookies extends Context.Service<
  SiteCookies,
  {
    /** The secret of the browser's session, which may have ended. */
    readonly session: (request: Request) => string | undefined
    /** Identifies a browser in which the account was signed in to before; empty without the cookie. */
    readonly device: (request: Request) => string
    /** The secret that the next page of the account shows once; empty if there is none. */
    readonly shownOnce: (request: Request) => string
    /** Signs the browser in. */
    readonly withEntry: (entry: Entry) => Answered
    /** Signs the browser out. */
    readonly withoutSession: Answered
    /**
     * Passes a secret to the page that a form leads to, so that a reload does not create another; an empty one deletes
     * it.
     */
    readonly withShownOnce: (value: string) => Answered
  }
>()("@lists-and-things/http/SiteCookies") {
  static readonly layer = (siteUrl: string) => Layer.succeed(SiteCookies, of(siteUrl.startsWith("https:")))
}

const of = (secure: boolean): SiteCookies["Service"] => {
  // `__Host-` requires the path "/".
  const names = secure
    ? { session: "__Host-lat_session", device: "__Secure-lat_device", shown: "__Secure-lat_shown" }
    : { session: "lat_session", device: "lat_device", shown: "lat_shown" }
  const lasting = (seconds: number) => ({ httpOnly: true, secure, maxAge: Duration.seconds(seconds) }) as const

  const withSession =
    (value: string, seconds: number): Answered =>
    (response) =>
      HttpServerResponse.setCookieUnsafe(response, names.session, value, {
        ...lasting(seconds),
        path: "/",
        sameSite: "lax"
      })

  /** Sent with the sign-in form only. */
  const withDevice =
    (value: string): Answered =>
    (response) =>
      HttpServerResponse.setCookieUnsafe(response, names.device, value, {
        ...lasting(deviceLifetime / 1000),
        path: "/sign-in",
        sameSite: "strict"
      })

  return {
    session: ({ cookies }) => cookies[names.session],
    device: ({ cookies }) => cookies[names.device] ?? "",
    shownOnce: ({ cookies }) => cookies[names.shown] ?? "",
    withEntry: ({ cookie, device }) => flow(withSession(cookie, sessionLifetime / 1000), withDevice(device)),
    withoutSession: withSession("", 0),
    withShownOnce: (value) => (response) =>
      HttpServerResponse.setCookieUnsafe(response, names.shown, value, {
        ...lasting(value === "" ? 0 : 60),
        path: "/account",
        sameSite: "strict"
      })
  }
}
