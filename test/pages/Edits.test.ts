import { describe, expect, it } from "@effect/vitest"
import { type PageSeen, unescape } from "../signin/Browser.ts"
import { givenServer, signedIn } from "./Given.ts"

const server = givenServer()

const alertOf = (text: string) => /role="alert">([^<]*)</.exec(text)?.[1]
const inField = (text: string, id: string) => {
  const area = new RegExp(`<textarea id="${id}"[^>]*>\n([^<]*)</textarea>`).exec(text)?.[1]
  return area ?? new RegExp(`<input id="${id}"[^>]*value="([^"]*)"`).exec(text)?.[1]
}

/** The form of an edit as a browser sends it, with every field of it. */
const formOf = (page: PageSeen, action: string): URLSearchParams => {
  const form = page.form(action)
  for (const id of ["text", "note", "tags", "url"]) form.set(id, unescape(inField(page.text, id) ?? ""))
  form.set("type", /<option value="(\w+)" selected>/.exec(page.text)?.[1] ?? "")
  return form
}

/** A thing whose form is open in a tab; `save` sends that form, however old it is by then. */
const opened = async (fields: Record<string, unknown> = {}) => {
  const person = await signedIn(server())
  const { thing } = await person.rest("POST", "/things", { text: "Milk", note: "two litres", ...fields })
  const path = `/things/${thing.id}`
  const save = (page: PageSeen, changes: Readonly<Record<string, string>> = {}) => {
    const form = formOf(page, `${path}/edit`)
    for (const [name, value] of Object.entries(changes)) form.set(name, value)
    return person.browser.post(`${path}/edit`, form)
  }
  const open = async () => {
    const page = await person.browser.get(path)
    return (changes: Readonly<Record<string, string>>) => save(page, changes)
  }
  const read = async () => (await person.rest("GET", path)).thing
  return { ...person, thing, path, open, read, save }
}

describe("a thing that is edited in two tabs", () => {
  it("has the changes of both if they changed different fields", async () => {
    const { open, read, rest, thing } = await opened()
    const [one, two] = [await open(), await open()]
    expect((await one({ text: "Oat milk", tags: "dairy" })).status).toBe(303)
    expect((await two({ note: "three litres" })).status).toBe(303)
    expect(await read()).toMatchObject({ text: "Oat milk", note: "three litres", tags: ["dairy"] })
    const three = await open()
    await rest("PATCH", `/things/${thing.id}`, { completed: true, url: "https://e.org" })
    expect((await three({ type: "bullet" })).status).toBe(303)
    expect(await read()).toMatchObject({ completed: true, type: "bullet", url: "https://e.org", text: "Oat milk" })
  })

  it("shows both versions if they changed the same field, and saves nothing", async () => {
    const { open, path, read } = await opened()
    const [one, two] = [await open(), await open()]
    await one({ text: "Oat <milk>", tags: "dairy", url: "https://e.org/a" })
    const answer = await two({ text: "Soy milk", note: "mine", tags: "soy", type: "bullet" })
    expect(answer.status).toBe(409)
    expect(alertOf(answer.text)).toMatch(/^The text and the tags of this thing were changed elsewhere/)
    expect(await read()).toMatchObject({ text: "Oat <milk>", note: "two litres", tags: ["dairy"], type: "todo" })
    const shown = ["text", "note", "tags", "url", "saved-text", "saved-tags", "saved-note"].map((id) =>
      inField(answer.text, id)
    )
    expect(shown).toStrictEqual([
      "Soy milk",
      "mine",
      "soy",
      "https://e.org/a",
      "Oat &#60;milk&#62;",
      "dairy",
      undefined
    ])
    expect(answer.text).toContain('<option value="bullet" selected>')
    expect(answer.text).toContain(`href="${path}">Keep the saved version</a>`)
  })

  it("is saved after both versions were shown, unless it changes once more", async () => {
    const { open, path, read, rest, save } = await opened()
    const one = await open()
    await rest("PATCH", path, { text: "Oat milk", url: "https://e.org" })
    const shown = await one({ text: "Soy milk", note: "mine" })
    await rest("PATCH", path, { text: "Rice milk" })
    const again = await save(shown)
    expect([again.status, inField(again.text, "text"), inField(again.text, "saved-text")]).toStrictEqual([
      409,
      "Soy milk",
      "Rice milk"
    ])
    expect((await save(again)).status).toBe(303)
    expect(await read()).toMatchObject({ text: "Soy milk", note: "mine", url: "https://e.org" })
  })

  it("can keep the saved version of the conflicting fields and save the other ones", async () => {
    const { open, read, save } = await opened()
    const [one, two, three] = [await open(), await open(), await open()]
    await one({ text: "Oat milk", tags: "dairy" })
    const shown = await two({ text: "Soy milk", note: "mine", tags: "soy" })
    const [, kept] = /<button class="quiet" name="kept" value="([^"]+)">Save my other changes</.exec(shown.text) ?? []
    expect((await save(shown, { kept: kept! })).status).toBe(303)
    expect(await read()).toMatchObject({ text: "Oat milk", note: "mine", tags: ["dairy"] })
    expect((await three({ text: "Rice milk" })).text).not.toContain("the rest of mine")
  })

  it("shows the conflict also after a refusal, which did not show the saved version", async () => {
    const { open, path, read, rest, save } = await opened()
    const one = await open()
    const refused = await one({ text: "Soy milk", url: "javascript:alert(1)" })
    expect(refused.status).toBe(400)
    await rest("PATCH", path, { text: "Oat milk" })
    const answer = await save(refused, { url: "" })
    expect([answer.status, inField(answer.text, "saved-text")]).toStrictEqual([409, "Oat milk"])
    expect((await read()).text).toBe("Oat milk")
  })

  it("shows what was typed if it was deleted meanwhile", async () => {
    const { open, path, rest } = await opened()
    const one = await open()
    await rest("DELETE", path)
    const answer = await one({ text: "Soy <milk>", note: "mine" })
    expect(answer.status).toBe(404)
    expect(alertOf(answer.text)).toMatch(/^This thing was deleted elsewhere/)
    expect([inField(answer.text, "text"), inField(answer.text, "note")]).toStrictEqual(["Soy &#60;milk&#62;", "mine"])
  })

  it("keeps tags and addresses with line breaks that were not touched, which its fields have without", async () => {
    const apart = { tags: ["two\nlines"], url: "https://e.org/\na", photos: ["https://e.org/\r\nb", "https://e.org/c"] }
    const { open, path, read, browser } = await opened(apart)
    const shown = (await browser.get(path)).text
    expect(["tags", "url", "photos"].map((id) => inField(shown, id))).toStrictEqual([
      "twolines",
      "https://e.org/a",
      "https://e.org/b\nhttps://e.org/c"
    ])
    const save = await open()
    const photos = unescape(inField(shown, "photos") ?? "")
    expect((await save({ text: "Oat milk", photos })).status).toBe(303)
    expect(await read()).toMatchObject({ ...apart, text: "Oat milk" })
  })

  it("has no conflict if both wrote the same", async () => {
    const { open, read } = await opened({ text: "One\r\ntwo" })
    const [one, two] = [await open(), await open()]
    expect((await one({ text: "Milk", note: "a\r\nb" })).status).toBe(303)
    expect((await two({ text: "Milk", note: "a\r\nb", tags: "dairy" })).status).toBe(303)
    expect(await read()).toMatchObject({ text: "Milk", note: "a\nb", tags: ["dairy"] })
  })

  it("turns autocompletion of choices off, since Firefox restores outdated ones on a reload", async () => {
    const { browser, path } = await opened()
    for (const page of [path, "/today", "/account"]) {
      const choices = (await browser.get(page)).text.match(/<select[^>]*>/g) ?? []
      expect(choices).not.toHaveLength(0)
      expect(choices.filter((tag) => !tag.includes('autocomplete="off"'))).toStrictEqual([])
    }
  })

  it("has both changes if they are saved concurrently", async () => {
    const { open, read } = await opened()
    const forms = [await open(), await open(), await open()]
    const changes = [{ text: "Oat milk" }, { note: "three" }, { tags: "dairy" }]
    const answers = await Promise.all(forms.map((save, at) => save(changes[at]!)))
    expect(answers.map(({ status }) => status)).toStrictEqual([303, 303, 303])
    expect(await read()).toMatchObject({ text: "Oat milk", note: "three", tags: ["dairy"] })
  })
})

describe("settings of a list that are changed in two tabs", () => {
  const opened = async (fields: Record<string, unknown> = {}) => {
    const person = await signedIn(server())
    const { list } = await person.rest("POST", "/lists", { title: "Trip", emoji: "🚗", ...fields })
    const path = `/lists/${list.id}`
    const save = (page: PageSeen, changes: Readonly<Record<string, string>>) => {
      const form = page.form(`${path}/edit`)
      for (const id of ["title", "emoji"]) form.set(id, unescape(inField(page.text, id) ?? ""))
      form.set("sort", /<option value="([\w-]+)" selected>/.exec(page.text)?.[1] ?? "")
      for (const [name, value] of Object.entries(changes)) form.set(name, value)
      return person.browser.post(`${path}/edit`, form)
    }
    const open = async () => {
      const page = await person.browser.get(path)
      return (changes: Readonly<Record<string, string>>) => save(page, changes)
    }
    const read = async () => (await person.rest("GET", path)).list
    return { ...person, list, path, open, read, save }
  }

  it("have the changes of both if they changed different ones", async () => {
    const { open, read } = await opened()
    const [one, two] = [await open(), await open()]
    expect((await one({ title: "Journey" })).status).toBe(303)
    expect((await two({ sort: "alphabetical" })).status).toBe(303)
    expect(await read()).toMatchObject({ title: "Journey", emoji: "🚗", sort: "alphabetical" })
  })

  it("show both versions if they changed the same one, and are saved after that", async () => {
    const { open, path, read, rest, save } = await opened()
    const [one, two] = [await open(), await open()]
    await one({ title: "Journey <1>", sort: "alphabetical" })
    const answer = await two({ title: "Voyage", emoji: "⛵", sort: "modified" })
    expect(answer.status).toBe(409)
    expect(alertOf(answer.text)).toMatch(/^The title and the order of this list were changed elsewhere/)
    expect(await read()).toMatchObject({ title: "Journey <1>", emoji: "🚗", sort: "alphabetical" })
    const shown = ["title", "emoji", "saved-title", "saved-emoji", "saved-sort"].map((id) => inField(answer.text, id))
    expect(shown).toStrictEqual(["Voyage", "⛵", "Journey &#60;1&#62;", undefined, "A to Z"])
    expect(answer.text).toContain('<option value="modified" selected>')
    expect(answer.text).toContain(`href="${path}">Keep the saved version</a>`)
    await rest("PATCH", path, { title: "Odyssey" })
    const again = await save(answer, {})
    expect([again.status, inField(again.text, "saved-title")]).toStrictEqual([409, "Odyssey"])
    expect((await save(again, {})).status).toBe(303)
    expect(await read()).toMatchObject({ title: "Voyage", emoji: "⛵", sort: "modified" })
  })

  it("have no conflict if both made the same change, or things were ticked meanwhile", async () => {
    const { list, open, read, rest } = await opened({ things: [{ text: "Pack" }] })
    const [one, two] = [await open(), await open()]
    expect((await one({ title: "Journey" })).status).toBe(303)
    const { things } = await rest("GET", `/lists/${list.id}`)
    await rest("PATCH", `/things/${things[0].id}`, { completed: true })
    expect((await two({ title: "Journey", emoji: "⛵" })).status).toBe(303)
    expect(await read()).toMatchObject({ title: "Journey", emoji: "⛵" })
  })

  it("keep a title of two lines that was not touched, which a field has in one", async () => {
    const { open, read } = await opened({ title: "Summer\nTrip" })
    expect((await (await open())({ title: "SummerTrip", emoji: "⛵" })).status).toBe(303)
    expect(await read()).toMatchObject({ title: "Summer\nTrip", emoji: "⛵" })
  })

  it("of a day list offer only its order", async () => {
    const { browser, rest } = await signedIn(server())
    await rest("POST", "/things", { text: "Milk", list: "2030-01-02" })
    const { list } = await rest("GET", "/today?date=2030-01-02")
    const action = `/lists/${list.id}/edit`
    const form = (await browser.get("/days/2030-01-02")).form(action)
    form.set("sort", "alphabetical")
    await rest("PATCH", `/lists/${list.id}`, { sort: "modified" })
    const answer = await browser.post(action, form)
    expect([answer.status, inField(answer.text, "saved-sort")]).toStrictEqual([409, "Recently changed first"])
    expect(answer.text).toContain('href="/days/2030-01-02">Keep the saved version</a>')
    expect(answer.text).not.toContain('id="title"')
  })
})

describe("settings of the account that are changed in two tabs", () => {
  it("are what each of them changed", async () => {
    const { browser, rest } = await signedIn(server(), { timezone: "Europe/Vienna" })
    const open = async () => {
      const page = await browser.get("/account")
      const form = page.form("/account/settings")
      for (const [, name, value] of page.text.matchAll(
        /<select id="(\w+)"(?:(?!<\/select>).)*?value="(\w[\w-]*)" selected/gs
      ))
        form.set(name!, value!)
      form.set("name", "Ann")
      form.set("timezone", "Europe/Vienna")
      form.set("default_reminder_color", "")
      form.set("all_day_at", "09:00")
      form.set("repeat_moves_to_day", "on")
      return form
    }
    const { thing } = await rest("POST", "/things", { text: "Milk" })
    await rest("PUT", `/things/${thing.id}/reminder`, { at: "2030-06-01T09:00", repeat: "daily" })
    const [one, two] = [await open(), await open()]
    one.set("timezone", "America/Lima")
    expect((await browser.post("/account/settings", one)).status).toBe(303)
    two.set("name", "")
    two.set("default_thing_type", "bullet")
    expect((await browser.post("/account/settings", two)).location).toBe(`${server().url}/account?saved`)
    const { text } = await browser.get("/account")
    expect(text).toContain("<option selected>America/Lima</option>")
    expect(text).toContain('<option value="bullet" selected>')
    expect((await rest("GET", `/things/${thing.id}`)).reminder.at).toBe("2030-06-01T14:00:00.000Z")
    const same = await open()
    for (const [name, value] of [
      ["name", ""],
      ["timezone", "America/Lima"]
    ] as const)
      same.set(name, value)
    expect((await browser.post("/account/settings", same)).status).toBe(303)
    expect((await browser.get("/account")).text).toContain("<option selected>America/Lima</option>")
  })

  it("are refused if a length is not a valid number", async () => {
    const { browser } = await signedIn(server())
    const form = (await browser.get("/account")).form("/account/settings")
    for (const length of ["-1", "", "9".repeat(400)]) {
      form.set("default_reminder_minutes", length)
      const { status, text } = await browser.post("/account/settings", form)
      expect([status, alertOf(text)]).toStrictEqual([
        400,
        expect.stringMatching(/^Duration of reminders must be a whole /)
      ])
    }
  })

  it("are kept if both changed the same one, which the page shows", async () => {
    const { browser } = await signedIn(server())
    const path = "/account/settings"
    const [one, two] = [(await browser.get("/account")).form(path), (await browser.get("/account")).form(path)]
    for (const [name, value] of [
      ["name", "Anna"],
      ["default_thing_type", "bullet"],
      ["default_reminder_minutes", "45"],
      ["default_reminder_color", "#2b8fb3"],
      ["repeat_moves_to_day", "on"]
    ] as const)
      one.set(name, value)
    expect((await browser.post(path, one)).status).toBe(303)
    for (const [name, value] of [
      ["name", "Annie"],
      ["default_thing_type", "dash"],
      ["default_reminder_minutes", "60"],
      ["default_reminder_color", "#d94f4f"],
      ["all_day_at", "07:30"]
    ] as const)
      two.set(name, value)
    const both = await browser.post(path, two)
    expect(both.status).toBe(409)
    expect(both.text).toMatch(/role="alert">The setting “Name” and the setting “Type of new things” and/)
    const saved = ["name", "default_thing_type", "default_reminder_minutes", "default_reminder_color"]
    expect(saved.map((name) => inField(both.text, `saved-${name}`))).toStrictEqual([
      "Anna",
      "Bullet",
      "45 minutes",
      "Blue"
    ])
    expect(both.text).not.toContain("saved-all_day_at")
    expect(inField(both.text, "name")).toBe("Annie")
    expect(both.text).toContain('href="/account">Keep the saved version</a>')
    const again = both.form(path)
    again.set("default_thing_type", "dash")
    expect((await browser.post(path, again)).location).toBe(`${server().url}/account?saved`)
    const { text } = await browser.get("/account")
    expect(inField(text, "name")).toBe("Annie")
    expect(inField(text, "all_day_at")).toBe("07:30")
    expect(text).toContain('<option value="dash" selected>')
  })

  it("keep what was typed if one of them is refused", async () => {
    const { browser } = await signedIn(server())
    const form = (await browser.get("/account")).form("/account/settings")
    form.set("name", "Annie")
    form.set("all_day_at", "25:00")
    const refused = await browser.post("/account/settings", form)
    expect([refused.status, inField(refused.text, "name"), inField(refused.text, "all_day_at")]).toStrictEqual([
      400,
      "Annie",
      "25:00"
    ])
    expect(refused.text).toContain('role="alert">Time of all-day reminders must be a time of day')
  })
})
