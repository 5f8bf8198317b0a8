import { noticeNames, placeName } from "./Notices.ts"

/**
 * What pages do beyond forms and links, where scripts run: everything works without it. An answer of the server is
 * never built here.
 */
export const script = `"use strict"
const all = (selector, use) => document.querySelectorAll(selector).forEach(use)

// Firefox and Safari do not say that the loading was stopped, so that a form may be sent again after half a minute.
const isOnItsWay = ({ dataset: { at, sent } }) => sent !== undefined && Date.now() - at < 30_000

// Enter adds a line; with Shift it begins another one. In an input method it ends a word: Safari has it come after that,
// with the key code of the method.
all("textarea[data-enter]", (area) =>
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return
    // The lines that are entered meanwhile gather in the field.
    if (isOnItsWay(area.form) && area.dataset.typed === "") return
    event.preventDefault()
    if (isOnItsWay(area.form) || area.value.trim() === "") return
    area.form.requestSubmit()
    // What is typed before the next page is there is the next line.
    area.select()
  })
)

// On the box or the link of a thing, > nests it under the one before it and < takes it out.
const nests = { ">": "deeper", "<": "shallower" }
all("form[data-nest]", (list) =>
  list.addEventListener("keydown", ({ ctrlKey, key, metaKey, target }) => {
    const thing = target.closest("a.edit, button.box, button.nest")?.closest(".thing")
    if (!thing || !nests[key] || ctrlKey || metaKey) return
    const button = Object.assign(document.createElement("button"), { hidden: true, name: nests[key] })
    button.value = thing.querySelector(".text").id.slice(2)
    button.formAction = "/things/nest"
    list.append(button)
    list.requestSubmit(button)
    button.remove()
  })
)
all("[data-scripted]", (words) => { words.hidden = false })

// A form is sent once, however often its button is pressed. Another button of it, such as the box of the next thing, is
// pressed once the page is there again; also where the form before did not arrive, and the page "offline" sends it again.
const [pressedOn, ...pressed] = JSON.parse(sessionStorage.getItem("pressed") ?? "[]")
if (!document.querySelector(".empty form")) sessionStorage.removeItem("pressed")
const waiting = pressedOn === location.pathname ? pressed : []
const nameOf = ({ name, value }) => name + "=" + value
const keepPressed = () => sessionStorage.setItem("pressed", JSON.stringify([location.pathname, ...waiting]))
// With one of these keys the next page opens in another tab, and the form stays as it is.
let isElsewhere = false
addEventListener("click", ({ altKey, ctrlKey, metaKey, shiftKey }) => {
  isElsewhere = altKey || ctrlKey || metaKey || shiftKey
  setTimeout(() => { isElsewhere = false })
}, true)
all("form[method=post]", (form) =>
  form.addEventListener("submit", (event) => {
    if (isElsewhere) return
    const name = nameOf(event.submitter ?? { name: "", value: "" })
    if (!isOnItsWay(form)) Object.assign(form.dataset, { sent: name, at: Date.now() })
    else {
      event.preventDefault()
      if (!event.submitter?.name || name === form.dataset.sent || waiting.includes(name)) return
      waiting.push(name)
      keepPressed()
    }
  })
)
const release = () => all("form[data-sent]", (form) => delete form.dataset.sent)
const forget = () => {
  waiting.length = 0
  sessionStorage.removeItem("pressed")
}
addEventListener("pageshow", ({ persisted }) => {
  release()
  if (persisted) forget()
  const buttons = [...document.querySelectorAll("main form[method=post] button[name]")]
  while (waiting.length > 0) {
    const name = waiting.shift()
    const button = buttons.find((each) => nameOf(each) === name)
    if (!button) continue
    if (waiting.length > 0) keepPressed()
    button.click()
    break
  }
})

// What was typed and not sent stands in its field again where this tab shows its form next: after a box was ticked,
// another form was sent or a link was followed. It goes with what its form had seen, so that it replaces nothing newer.
const person = document.querySelector(".sections [title]")?.title
const draftOf = ({ form, name }) => ["draft", person, form.dataset.draft ?? form.getAttribute("action"), name].join(" ")
const seenBy = ({ form, name }) => form.elements["seen_" + name]
const typing = "textarea, input:not([type]), input[type=text], input[type=url]"
const drafted = (use) => all("main form[method=post] :is(" + typing + "):read-write", use)
if (person) drafted((field) => {
  const draft = sessionStorage.getItem(draftOf(field))
  if (draft === null) return
  const [value, seen] = JSON.parse(draft)
  field.value = value
  field.dataset.typed = ""
  if (seen) seenBy(field).value = seen
  field.closest("details")?.setAttribute("open", "")
})
addEventListener("input", ({ target }) => { target.dataset.typed = "" })
const keep = (name, value) => {
  // There is no room for what is very long.
  try { sessionStorage.setItem(name, value) } catch {}
}
// What was sent is a draft again where the next page says that nothing came of it: an error, the sign-in or "offline", or
// the form once more; but not where it was changed elsewhere as well, since that may be kept.
const isRefused = document.querySelector("main > :is(.sign-in, .empty:has(.status, form)), " +
  "main:has(> .problem):not(:has(form .buttons > a))") !== null
const sent = JSON.parse(sessionStorage.getItem("sent") ?? "[]")
sessionStorage.removeItem("sent")
if (isRefused) sent.forEach(([name, draft]) => sessionStorage.getItem(name) ?? keep(name, draft))
addEventListener("submit", ({ target }) => {
  const action = target.getAttribute("action")
  // The form is there once more, and what was typed in it since is the newer.
  const going = isRefused ? sent.filter(([, , of]) => of === action) : []
  going.forEach(([name]) => sessionStorage.removeItem(name))
  if (person) drafted((field) => {
    if (field.form !== target || field.dataset.typed === undefined) return
    field.dataset.typed = "sent"
    sessionStorage.removeItem(draftOf(field))
    going.unshift([draftOf(field), JSON.stringify([field.value, seenBy(field)?.value]), action])
  })
  if (going.length > 0) keep("sent", JSON.stringify(going))
})
addEventListener("pagehide", () => {
  if (document.querySelector("form[data-sent][action='/sign-out']")) sessionStorage.clear()
  else if (person) drafted((field) => {
    // What is typed on in a form after its sending is a line of its own, or an edit that is over.
    if (field.dataset.typed !== "" || (field.form.dataset.sent && seenBy(field))) return
    sessionStorage.removeItem(draftOf(field))
    if (field.value !== field.defaultValue)
      keep(draftOf(field), JSON.stringify([field.value, seenBy(field)?.value]))
  })
})
// The page was not left, since the person stopped the loading: what was sent is as it was.
globalThis.navigation?.addEventListener("navigateerror", () => {
  release()
  forget()
  drafted((field) => { if (field.dataset.typed) field.dataset.typed = "" })
})

// Who ticks a long list stays where the page was scrolled to, with the focus on the box.
const said = document.querySelector(".toast")
const scrolled = JSON.parse(sessionStorage.getItem("scrolled") ?? "[]")
sessionStorage.removeItem("scrolled")
addEventListener("submit", ({ submitter }) =>
  sessionStorage.setItem("scrolled", JSON.stringify([location.pathname, scrollY, submitter?.name, submitter?.value]))
)
const named = document.getElementById(location.hash.slice(1))
const thing = named?.closest(".thing")
const nest = [...(thing?.querySelectorAll("button.nest:enabled") ?? [])]
const box = nest.find(({ name }) => name === scrolled[2]) ?? nest[0] ?? thing?.querySelector("button.box, a.edit")
const star = [...document.querySelectorAll("main button[aria-pressed]")].find(({ value }) => value === scrolled[3])
const stay = () => {
  if (said && scrolled[0] === location.pathname && location.hash !== "#add") scrollTo(0, scrolled[1])
  // A thing that is hidden once it is done has no box any more, and the page of a thing has none.
  const isThing = location.hash.startsWith("#t-") || (said && location.hash === "")
  // Safari gives the field that the address names the focus, but no caret unless it has the focus by then.
  const field = named?.matches("textarea") ? named : null
  const next = box ?? star ?? field ?? (isThing ? document.getElementById("main") : null)
  if (document.activeElement === document.body) next?.focus({ preventScroll: true })
}
stay()
// Once more, since the browser goes to the part that the address names; but not for who scrolls or types already.
let hasBegun = false
for (const kind of ["wheel", "touchmove", "pointerdown", "keydown"])
  addEventListener(kind, () => { hasBegun = true }, { capture: true, passive: true })
addEventListener("load", () => { if (!hasBegun) stay() })
if (said) {
  const close = said.querySelector("a")
  close.addEventListener("click", (event) => {
    event.preventDefault()
    history.replaceState(null, "", close.href)
    said.remove()
    ;(box ?? document.getElementById("main")).focus({ preventScroll: true })
  })
}

// Back leaves a list, however many forms were sent from it: each of them led to the same view with another notice.
const viewOf = ({ url }) => {
  const { pathname, searchParams } = new URL(url ?? "", location)
  for (const name of ${JSON.stringify([...noticeNames, placeName])}) searchParams.delete(name)
  return pathname + "?" + searchParams
}
const left = () => {
  const { entry, from, navigationType } = globalThis.navigation?.activation ?? {}
  if (navigationType !== "traverse" || !(from?.index > entry.index) || viewOf(from) !== viewOf(entry)) return false
  const entries = navigation.entries()
  const to = entries.slice(0, entry.index).findLast((each) => viewOf(each) !== viewOf(entry)) ?? entries[0]
  if (to.index < entry.index) navigation.traverseTo(to.key)
  return to.index < entry.index
}
const loadAnew = (isWanted) =>
  fetch("/healthz").then(({ ok }) => {
    if (!ok || !isWanted()) return
    if (said) history.replaceState(null, "", said.querySelector("a").href)
    location.reload()
  }, () => {})
addEventListener("pageshow", ({ persisted }) => {
  // Over plain http Firefox and Safari show the page as it was left, also after a sign-out, whatever no-store says.
  if (!left() && persisted) loadAnew(() => document.querySelector("form[data-sent]") === null)
})

// Browsers have a clipboard where the site is served over https, or from the same machine.
if (navigator.clipboard) all("[data-copy]", (button) => {
  button.hidden = false
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim())
    button.textContent = "Copied"
  })
})

// Screen readers say what changes in a page, not what it comes with: what was done is put in once more.
all("[role=status]", (status) => {
  const parts = [...status.childNodes]
  status.replaceChildren()
  setTimeout(() => status.append(...parts), 100)
})

// What went wrong is where the keyboard goes on from.
const problem = document.querySelector("[role=alert]")
if (problem) {
  problem.tabIndex = -1
  problem.focus()
}

// A list that was out of sight for five minutes is loaded anew, unless something was typed in it: the day, and what is
// due, are others by then.
let hiddenAt = Date.now()
const isTyped = () =>
  [...document.querySelectorAll("main input:not([type=hidden]), main textarea")].some(
    (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked
  ) || document.querySelector("main details[open]") !== null
document.addEventListener("visibilitychange", () => {
  if (document.hidden) hiddenAt = Date.now()
  else if (Date.now() - hiddenAt > 300_000 && document.querySelector("form.list, form.add") && !isTyped())
    loadAnew(() => !isTyped())
})

all("input[data-browser-zone]", (input) => { input.value = Intl.DateTimeFormat().resolvedOptions().timeZone })

// A file that is dropped anywhere on the page goes into the field for files.
all("input[type=file][data-drop]", (input) => {
  // What is no file, such as words, goes into the field below it.
  addEventListener("dragover", (event) => {
    if (event.dataTransfer.types.includes("Files")) event.preventDefault()
  })
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

/**
 * Offers the time zone of this browser where the account has another. It runs where the offer stands, before what is below
 * it is shown, so that nothing moves.
 */
export const zoneScript = `"use strict"
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const offer = document.querySelector("[data-offer-zone]")
if (zone && zone !== offer.dataset.offerZone) {
  offer.hidden = false
  offer.querySelector("[data-zone]").textContent = zone
  offer.querySelector("input[name=timezone]").value = zone
}
`
