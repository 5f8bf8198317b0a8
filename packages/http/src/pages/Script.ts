import { noticeNames, placeName } from "./PageAddress.ts"

/**
 * What pages do beyond forms and links where scripts run; everything works without it. The script never builds content
 * of its own: that comes from the server.
 */
export const script = `"use strict"
const all = (selector, use) => document.querySelectorAll(selector).forEach(use)

// Firefox and Safari do not report that loading was stopped, so a form may be sent again after half a minute.
const isOnItsWay = ({ dataset: { at, sent } }) => sent !== undefined && Date.now() - at < 30_000

// Enter adds the line; Shift+Enter begins another one. In an input method, Enter ends a word: Safari sends the event
// after that, with the key code of the method.
all("textarea[data-enter]", (area) =>
  area.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return
    // Lines that are entered while the form is on its way gather in the field.
    if (isOnItsWay(area.form) && area.dataset.typed === "") return
    event.preventDefault()
    if (isOnItsWay(area.form) || area.value.trim() === "") return
    area.form.requestSubmit()
    // Typing before the next page is there begins the next line.
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
// With one of these keys the next page opens in another tab, and this page stays.
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
  // Every page of ours takes this entry, so none answered.
  if (persisted && sessionStorage.getItem("sent") !== null) unsend()
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

// Drafts: what was typed and not sent is restored when this tab shows its form again, after a box was ticked, another
// form was sent or a link was followed. A draft keeps the digest that its form had seen, so that it replaces nothing
// newer.
const person = document.querySelector(".sections [title]")?.title
const draftOf = ({ form, name }) => ["draft", person, form.dataset.draft ?? form.getAttribute("action"), name].join(" ")
const seenBy = ({ form, name }) => form.elements["seen_" + name]
const typing = "textarea, input:not([type]), input[type=text], input[type=url]"
const drafted = (use) => all("main form[method=post] :is(" + typing + "):read-write", use)
const keep = (name, value) => {
  // The storage has no room for very long texts.
  try { sessionStorage.setItem(name, value) } catch {}
}
const sent = JSON.parse(sessionStorage.getItem("sent") ?? "[]")
sessionStorage.removeItem("sent")
const revive = () => sent.forEach(([name, draft]) => sessionStorage.getItem(name) ?? keep(name, draft))
// What was sent becomes a draft again if nothing of ours answered it: the browser could not connect, or a proxy answered
// at the address of the form because the server was away; but not if a page of ours was there already.
const isLost = ({ from, navigationType }) =>
  navigationType !== "reload" &&
  (from === null || sent.some(([, , action, at]) => at !== action && new URL(from.url ?? "", location).pathname === action))
if (globalThis.navigation?.activation && isLost(navigation.activation)) revive()
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
// So it does if the next page says that it had no effect: an error, the sign-in, "offline", or the form once more; but
// not after a conflicting change elsewhere, since that version may be kept.
const isRefused = document.querySelector("main > :is(.sign-in, .empty:has(.status, form)), " +
  "main:has(> .problem):not(:has(form .buttons > a))") !== null
if (isRefused) revive()
addEventListener("submit", ({ target }) => {
  const action = target.getAttribute("action")
  // The form is shown once more, so what was typed in it since is newer.
  const going = isRefused ? sent.filter(([, , of]) => of === action) : []
  going.forEach(([name]) => sessionStorage.removeItem(name))
  if (person) drafted((field) => {
    if (field.form !== target || field.dataset.typed === undefined) return
    field.dataset.typed = "sent"
    sessionStorage.removeItem(draftOf(field))
    going.unshift([draftOf(field), JSON.stringify([field.value, seenBy(field)?.value]), action])
  })
  const { pathname } = location
  if (going.length > 0) keep("sent", JSON.stringify(going.map(([name, draft, of]) => [name, draft, of, pathname])))
})
const unsend = () => drafted((field) => { if (field.dataset.typed) field.dataset.typed = "" })
addEventListener("pagehide", () => {
  if (document.querySelector("form[data-sent][action='/sign-out']")) sessionStorage.clear()
  else if (person) drafted((field) => {
    // Typing in a form that was sent begins a line of its own, or belongs to an edit that is over.
    if (field.dataset.typed !== "" || (field.form.dataset.sent && seenBy(field))) return
    sessionStorage.removeItem(draftOf(field))
    if (field.value !== field.defaultValue)
      keep(draftOf(field), JSON.stringify([field.value, seenBy(field)?.value]))
  })
})
// The person stopped the loading, so the page stays, and its forms are unsent again.
globalThis.navigation?.addEventListener("navigateerror", () => {
  release()
  forget()
  unsend()
})

// After a tick, a long list stays scrolled where it was, with the focus on the box.
const said = document.querySelector(".toast")
const scrolled = JSON.parse(sessionStorage.getItem("scrolled") ?? "[]")
sessionStorage.removeItem("scrolled")
addEventListener("submit", ({ submitter }) =>
  sessionStorage.setItem("scrolled", JSON.stringify([location.pathname, scrollY, submitter?.name, submitter?.value]))
)
const { hash } = location
const named = document.getElementById(hash.slice(1))
const thing = named?.closest(".thing")
const nest = [...(thing?.querySelectorAll("button.nest:enabled") ?? [])]
const box = nest.find(({ name }) => name === scrolled[2]) ?? nest[0] ?? thing?.querySelector("button.box, a.edit")
const star = [...document.querySelectorAll("main button[aria-pressed]")].find(({ value }) => value === scrolled[3])
const stays = said && scrolled[0] === location.pathname && hash !== "#add"
// Browsers scroll to the anchor of the address once the page is there, and a click meant for one box would meet another.
if (stays && hash !== "") {
  history.replaceState(history.state, "", location.pathname + location.search)
  named?.classList.add("here")
}
const stay = () => {
  if (stays) scrollTo(0, scrolled[1])
  // A thing that is hidden once it is done has no box, and neither has the page of a thing.
  const isThing = hash.startsWith("#t-") || (said && hash === "")
  // Safari focuses the field that the address names, but shows no caret unless it has the focus by then.
  const field = named?.matches("textarea") ? named : null
  const next = box ?? star ?? field ?? (isThing ? document.getElementById("main") : null)
  if (document.activeElement === document.body) next?.focus({ preventScroll: true })
}
stay()
// Once more on load, since the browser scrolls to the anchor of the address; but not if the person scrolls or types
// already.
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

// Back leaves a list, however many forms were sent from it: each led to the same view with another notice.
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
  // Over plain http, Firefox and Safari restore the page as it was left, even after a sign-out and despite no-store.
  if (!left() && persisted) loadAnew(() => document.querySelector("form[data-sent]") === null)
})

// Browsers have a clipboard only over https or on the same machine.
if (navigator.clipboard) all("[data-copy]", (button) => {
  button.hidden = false
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent.trim())
    button.textContent = "Copied"
  })
})

// Screen readers announce changes of a page, not its initial content, so statuses are inserted once more.
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

// A list that was hidden for five minutes is reloaded, unless something was typed in it: by then it may be another day,
// and other things may be due.
let hiddenAt = Date.now()
const isTyped = () =>
  [...document.querySelectorAll("main input:not([type=hidden]), main textarea")].some(
    (field) => field.value !== field.defaultValue || field.checked !== field.defaultChecked
  ) || document.querySelector("main details[open]") !== null
const isIdle = () => !isTyped() && document.querySelector("form[data-sent]") === null
const refresh = () => {
  if (document.querySelector("form.list, form.add") && isIdle()) loadAnew(isIdle)
}
document.addEventListener("visibilitychange", () => {
  if (document.hidden) hiddenAt = Date.now()
  else if (Date.now() - hiddenAt > 300_000) refresh()
})
// So is a list that was in sight while the machine slept, or at midnight, of which no event tells. It is tried again
// while the network is away or something is typed.
let inSightAt = Date.now()
let isOld = false
// The page of a day names the zone of the account, whose midnight may be another one than here.
const timeZone = document.querySelector("[data-offer-zone]")?.dataset.offerZone || undefined
const dayOf = (time) => {
  try {
    return new Date(time).toLocaleDateString("en", { timeZone })
  } catch {
    // The browser does not know the zone.
    return new Date(time).toLocaleDateString("en")
  }
}
setInterval(() => {
  const now = Date.now()
  const isLater = now - inSightAt > 300_000 || dayOf(now) !== dayOf(inSightAt)
  if (isLater && !document.hidden) isOld = true
  inSightAt = now
  if (isOld && !document.hidden) refresh()
}, 60_000)

all("input[data-browser-zone]", (input) => { input.value = Intl.DateTimeFormat().resolvedOptions().timeZone })

// A file that is dropped anywhere on the page goes into the field for files.
all("input[type=file][data-drop]", (input) => {
  // Anything else, such as words, goes into the field below the pointer.
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
 * Offers the time zone of this browser where the account has none or one with another clock. It runs where the offer
 * stands, before what is below it is shown, so that nothing moves.
 */
export const zoneScript = `"use strict"
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
const offer = document.querySelector("[data-offer-zone]")
// Compared over the year, since one zone has several names: to some browsers Asia/Kolkata is Asia/Calcutta.
const clockIn = (timeZone) => {
  const { format } = new Intl.DateTimeFormat("en", { timeZone, dateStyle: "short", timeStyle: "short" })
  return Array.from({ length: 12 }, (_, month) => format(new Date().setUTCMonth(month, 1))).join()
}
const { offerZone } = offer.dataset
if (zone && (offerZone === "" || clockIn(zone) !== clockIn(offerZone))) {
  offer.hidden = false
  offer.querySelector("[data-zone]").textContent = zone
  offer.querySelector("input[name=timezone]").value = zone
}
`
