/**
 * What pages do beyond forms and links, where scripts run: everything works without it. An answer of the server is
 * never built here.
 */
export const script = `"use strict"
const all = (selector, use) => document.querySelectorAll(selector).forEach(use)

// Enter adds a line; with Shift it begins another one.
all("textarea[data-enter]", (area) =>
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return
    event.preventDefault()
    if (area.value.trim() !== "") area.form.requestSubmit()
  })
)

// A form is sent once, however often its button is pressed.
all("form[method=post]", (form) =>
  form.addEventListener("submit", (event) => {
    if (form.dataset.sent) event.preventDefault()
    form.dataset.sent = "1"
  })
)
addEventListener("pageshow", () => all("form[data-sent]", (form) => delete form.dataset.sent))

all("[data-copy]", (button) => {
  button.hidden = false
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim())
    button.textContent = "Copied"
  })
})

// The time zone of this browser, offered where the account has another.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
all("input[data-browser-zone]", (input) => { input.value = zone })
all("[data-offer-zone]", (offer) => {
  if (!zone || zone === offer.dataset.offerZone) return
  offer.hidden = false
  offer.querySelector("[data-zone]").textContent = zone
  offer.querySelector("input[name=timezone]").value = zone
})

// A file that is dropped anywhere on the page goes into the field for files.
all("input[type=file][data-drop]", (input) => {
  addEventListener("dragover", (event) => event.preventDefault())
  addEventListener("drop", (event) => {
    if (event.dataTransfer.files.length === 0) return
    event.preventDefault()
    input.files = event.dataTransfer.files
    input.closest("details")?.setAttribute("open", "")
    input.focus()
  })
})

if ("serviceWorker" in navigator && isSecureContext) navigator.serviceWorker.register("/sw.js").catch(() => {})
`

/** Shows the page "offline" where the server cannot be reached; keeps nothing else. `paths` are kept on installing. */
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
addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request
  if (method !== "GET") return
  if (mode === "navigate") event.respondWith(fetch(event.request).catch(() => caches.match("/offline")))
  else if (${JSON.stringify(paths)}.some((path) => url === new URL(path, location).href))
    event.respondWith(caches.match(event.request).then((kept) => kept ?? fetch(event.request)))
})
`
