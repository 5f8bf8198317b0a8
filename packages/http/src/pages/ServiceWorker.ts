import { fileNameEnding } from "../edge/FormBody.ts"
import { typedLabels } from "./TypedTexts.ts"

/**
 * The part of the page "offline" that a form that could not be sent replaces. The link loads the page that was asked
 * for: an installed app has no button for that.
 */
export const unsentPlace = '<p><a class="button" href="">Try again</a></p>'

/**
 * Shows the page "offline" if the server cannot be reached, with the form that was sent, so that it can be sent again.
 * Caches only `paths`, when it is installed.
 */
export const serviceWorker = (version: string, paths: ReadonlyArray<string>): string => `"use strict"
const cache = "offline-${version}"
addEventListener("install", (event) => {
  event.waitUntil(caches.open(cache).then((kept) => kept.addAll(${JSON.stringify(paths)})).then(() => skipWaiting()))
})
addEventListener("activate", (event) => {
  event.waitUntil(
    caches.keys()
      .then((names) => Promise.all(names.filter((name) => name !== cache).map((name) => caches.delete(name))))
      .then(() => clients.claim())
  )
})
const labels = ${JSON.stringify(typedLabels)}
const escaped = (text) => text.replace(/[&<>"']/g, (character) => "&#" + character.charCodeAt(0) + ";")
const fieldOf = ([name, value], at) =>
  Object.hasOwn(labels, name) && value.trim() !== ""
    ? '<p class="field"><label for="f' + at + '">' + labels[name] + '</label><textarea id="f' + at + '" name="' + name
      + '">\\n' + escaped(value) + "</textarea></p>"
    : '<input type="hidden" name="' + escaped(name) + '" value="' + escaped(value) + '">'
// A file as text, with the field for its name, as the server reads it; a binary file cannot be sent this way.
const textOf = async ([name, value]) => {
  if (typeof value === "string") return [[name, value]]
  const text = new TextDecoder("utf-8", { fatal: true }).decode(await value.arrayBuffer())
  return text === "" ? [] : [[name, text], [name + "${fileNameEnding}", value.name]]
}
// Back or Forward led to the answer of a form, which the browser would have to have kept.
const isAnswer = ({ cache }) => cache === "only-if-cached"
// A proxy answers for a server that is away; what the server answers itself has an id.
const isAway = ({ headers, status }) => status >= 502 && status <= 504 && !headers.has("x-request-id")
const reach = async (request) => {
  const answer = await fetch(request)
  if (isAway(answer)) throw new Error("The server is away.")
  return answer
}
const load = (request) => reach(isAnswer(request) ? new Request(request, { cache: "default" }) : request)
const isUp = () => fetch("/healthz").then(({ ok }) => ok, () => false)
const unsent = async (request) => {
  // The address of a form is also that of the page that it was on.
  if (isAnswer(request) && (await isUp())) return Response.redirect(request.url, 303)
  const offline = await caches.match("/offline")
  const fields = (await Promise.all([...(await request.formData())].map(textOf))).flat()
  const form = '<p role="alert">What you sent did not arrive, or its answer did not.</p><form method="post" action="'
    + escaped(new URL(request.url).pathname) + '" enctype="multipart/form-data">' + fields.map(fieldOf).join("")
    + '<button>Send it again</button></form>'
  const headers = new Headers(offline.headers)
  headers.delete("content-length")
  return new Response((await offline.text()).replace('${unsentPlace}', () => form), { headers })
}
// Only forms of these pages, and none with a password.
const isOurs = ({ referrer, url }) =>
  referrer.startsWith(location.origin + "/") && !/^\\/(?:sign-in|oauth)(?:[/?]|$)/.test(new URL(url).pathname)
addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request
  if (method === "POST" && mode === "navigate" && isOurs(event.request)) {
    const sent = event.request.clone()
    event.respondWith(reach(event.request).catch(() => unsent(sent)).catch(() => caches.match("/offline")))
  }
  if (method !== "GET") return
  if (mode === "navigate") event.respondWith(load(event.request).catch(() => caches.match("/offline")))
  else if (${JSON.stringify(paths)}.some((path) => url === new URL(path, location).href))
    event.respondWith(reach(event.request).catch(() => caches.match(event.request)))
})
`
