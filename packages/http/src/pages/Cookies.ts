import { Duration, flow } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { deviceLifetime } from "@lists-and-things/domain/signin/KnownDevices"
import { type Entry, sessionLifetime } from "@lists-and-things/domain/signin/SignIn"

const sessionCookie = "lat_session"
const deviceCookie = "lat_device"

/** The secret of the browser's session, which may have ended. */
export const cookieOf = (request: HttpServerRequest.HttpServerRequest): string | undefined =>
  request.cookies[sessionCookie]

/** Cookie that identifies a browser in which the account was signed in to before. */
export const deviceOf = (request: HttpServerRequest.HttpServerRequest): string => request.cookies[deviceCookie] ?? ""

/** Hidden from scripts; Secure when the site is served over https. */
const cookie = (siteUrl: string, seconds: number) =>
  ({ httpOnly: true, secure: siteUrl.startsWith("https:"), maxAge: Duration.seconds(seconds) }) as const

/** Hands the secret of a session to the browser for so many seconds; an empty one for 0 ends it there. */
export const withSession =
  (siteUrl: string, value: string, seconds: number) => (response: HttpServerResponse.HttpServerResponse) =>
    HttpServerResponse.setCookieUnsafe(response, sessionCookie, value, {
      ...cookie(siteUrl, seconds),
      path: "/",
      sameSite: "lax"
    })

/** Sent with the sign-in form only. */
const withDevice = (siteUrl: string, value: string) => (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setCookieUnsafe(response, deviceCookie, value, {
    ...cookie(siteUrl, deviceLifetime / 1000),
    path: "/sign-in",
    sameSite: "strict"
  })

/** The browser is signed in from here on. */
export const withEntry = (siteUrl: string, { cookie: value, device }: Entry) =>
  flow(withSession(siteUrl, value, sessionLifetime / 1000), withDevice(siteUrl, device))

const shownOnceCookie = "lat_shown"

/** What the next page of the account shows once; empty when there is nothing. */
export const shownOnceIn = (request: HttpServerRequest.HttpServerRequest): string =>
  request.cookies[shownOnceCookie] ?? ""

/** Hands a secret to the page that a form leads to, so that a reload makes no other; an empty one ends it. */
export const withShownOnce = (siteUrl: string, value: string) => (response: HttpServerResponse.HttpServerResponse) =>
  HttpServerResponse.setCookieUnsafe(response, shownOnceCookie, value, {
    ...cookie(siteUrl, value === "" ? 0 : 60),
    path: "/account",
    sameSite: "strict"
  })
