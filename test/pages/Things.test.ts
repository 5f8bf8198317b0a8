import { describe, expect, it } from "@effect/vitest"
import { doneIn, givenServer, signedIn, undoOn, withThing } from "./Given.ts"

const server = givenServer()

describe("a thing in the browser", () => {
  it("is ticked and reopened where it stands, and each can be undone", async () => {
    const person = await withThing(server())
    const { list, read, send, thing } = person
    const at = `/lists/${list.id}`
    const ticked = await send(at, "/things/tick", { complete: thing.id })
    const place = new RegExp(`${at}\\?done=[0-9a-f-]{36}&at=t-${thing.id}#t-${thing.id}$`)
    expect(ticked.at).toMatch(place)
    expect(doneIn(ticked.page)).toBe("Completed “Milk”.")
    expect((await read()).completed).toBe(true)
    const undone = await undoOn(person, ticked.page)
    expect(undone.text).toContain(`name="back" value="${at}#t-${thing.id}"`)
    expect(doneIn(undone)).toBe("Undid: Completed “Milk”.")
    expect((await read()).completed).toBe(false)
    await send(at, "/things/tick", { complete: thing.id })
    const reopened = await send(at, "/things/tick", { reopen: thing.id })
    expect(doneIn(reopened.page)).toBe("Reopened “Milk”.")
    expect((await read()).completed).toBe(false)
  })

  it("is canceled, starred, and deleted with an undo", async () => {
    const person = await withThing(server())
    const { browser, list, path, read, send } = person
    await send(path, `${path}/state`, { state: "canceled" })
    expect(await read()).toMatchObject({ canceled: true, completed: false })
    await send(path, `${path}/state`, { state: "open" })
    await send(path, `${path}/state`, { state: "starred" })
    expect(await read()).toMatchObject({ canceled: false, favorited: true })
    expect((await browser.get(`/lists/${list.id}`)).text).toContain('<span class="spoken">Starred</span>')
    const deleted = await send(path, `${path}/delete`)
    expect(new URL(deleted.at).pathname).toBe(`/lists/${list.id}`)
    expect(doneIn(deleted.page)).toBe("Deleted “Milk”.")
    expect((await browser.get(path)).status).toBe(404)
    await undoOn(person, deleted.page)
    expect(await read()).toMatchObject({ text: "Milk", favorited: true })
  })

  it("leads back to its place in its list, and after its deletion to the thing there then", async () => {
    const { browser, rest, send } = await signedIn(server())
    const items = [0, 0, 1, 0].map((tabs, at) => ({ text: `Step ${at}`, tabs }))
    const { list } = await rest("POST", "/lists", { title: "Trip", things: items })
    const { things } = await rest("GET", `/lists/${list.id}`)
    const [first, parent, , last] = things.map(({ id }: { id: string }) => id)
    const shown = await browser.get(`/things/${parent}`)
    expect(shown.text).toContain(`<p class="eyebrow"><a href="/lists/${list.id}#t-${parent}">Trip</a></p>`)
    const placeAfter = async (id: string) => {
      const { at, page } = await send(`/things/${id}`, `/things/${id}/delete`)
      expect(page.text).toContain(`name="back" value="/lists/${list.id}#t-${id}"`)
      return [new URL(at).hash, doneIn(page)?.startsWith("Deleted")]
    }
    expect(await placeAfter(parent)).toStrictEqual([`#t-${last}`, true])
    expect(await placeAfter(last)).toStrictEqual([`#t-${first}`, true])
    expect(await placeAfter(first)).toStrictEqual(["", true])
  })

  it("gets another text, note, tags, kind and link; what was not touched is not written", async () => {
    const { path, read, send } = await withThing(server(), { text: "One\r\ntwo", note: "kept" })
    const same = await send(path, `${path}/edit`, { text: "One\ntwo", note: "kept" })
    expect(same.at).not.toContain("done=")
    const fields = { text: "Oat milk", note: "\r\n three\r\nlitres", tags: "dairy, #Shop ,", type: "bullet", url: "" }
    const edited = await send(path, `${path}/edit`, fields)
    expect(doneIn(edited.page)).toMatch(/^Changed the text, type, tags and note|^Changed the /)
    expect(await read()).toMatchObject({
      text: "Oat milk",
      note: "\n three\nlitres",
      tags: ["dairy", "Shop"],
      type: "bullet"
    })
  })

  it("keeps tags that contain a comma, which its field shows in quotes", async () => {
    const tags = ["red, or green", "a,b", 'the "big", one', '"quoted"', "shop"]
    const { browser, path, read, send } = await withThing(server(), { tags })
    const field = async () => (await browser.get(path)).form(`${path}/edit`).get("tags")!
    const shown = await field()
    expect(shown).toBe('"red, or green", "a,b", "the ""big"", one", "quoted", shop')
    await send(path, `${path}/edit`, { tags: `${shown}, new` })
    expect((await read()).tags).toStrictEqual([...tags, "new"])
    await send(path, `${path}/edit`, { tags: '"6"" nails, 2"" screws",x,"red, blue, " y "' })
    expect((await read()).tags).toStrictEqual(['6" nails, 2" screws', "x", '"red', "blue", '" y "'])
  })

  it("becomes a heading, a quote or code, and a line without all that, which is bold no more", async () => {
    const { browser, list, path, read, send } = await withThing(server())
    const formatted = async (format: string) => {
      await send(path, `${path}/edit`, { format })
      const { bold, code, header, quote, subheader, type } = await read()
      return [{ bold, code, header, quote, subheader }, type]
    }
    const plain = { bold: false, code: false, header: false, quote: false, subheader: false }
    expect(await formatted("header")).toStrictEqual([{ ...plain, header: true, bold: true }, "todo"])
    expect((await browser.get(`/lists/${list.id}`)).text).toContain('role="heading" aria-level="2"')
    expect(await formatted("subheader")).toStrictEqual([{ ...plain, subheader: true, bold: true }, "todo"])
    expect(await formatted("quote")).toStrictEqual([{ ...plain, quote: true }, "todo"])
    expect(await formatted("code")).toStrictEqual([{ ...plain, code: true }, "todo"])
    expect(await formatted("")).toStrictEqual([plain, "todo"])
  })

  it("keeps a format that is not among the others, until another is chosen", async () => {
    const { browser, path, read, rest, send } = await withThing(server(), { header: true, quote: true })
    expect((await browser.get(path)).text).toContain('<option value="header-quote" selected>Heading and quote</option>')
    await send(path, `${path}/edit`, { text: "Oat milk", format: "header-quote" })
    expect(await read()).toMatchObject({ text: "Oat milk", header: true, quote: true, bold: true })
    const tab = (await browser.get(path)).form(`${path}/edit`)
    await rest("PATCH", path, { header: false })
    tab.set("format", "subheader")
    const both = await browser.post(`${path}/edit`, tab)
    expect([both.status, both.text]).toStrictEqual([409, expect.stringContaining("The format of this thing")])
    expect(both.text).toMatch(/<details open>\s*<summary>Type, format/)
    expect(both.text).toMatch(/id="saved-format" readonly value="Quote"/)
    await send(path, `${path}/edit`, { format: "quote" })
    expect(await read()).toMatchObject({ header: false, quote: true })
  })

  it("is named by its text without markup", async () => {
    const person = await withThing(server(), { text: "Oat **milk**, [this one](https://example.com/oat)" })
    const { browser, list, path, rest, send, thing } = person
    const { thing: next } = await rest("POST", "/things", { list_id: list.id, text: "Eggs" })
    const ticked = await send(`/lists/${list.id}`, "/things/tick", { complete: thing.id })
    expect(doneIn(ticked.page)).toBe("Completed “Oat milk, this one”.")
    expect(ticked.page.text).toContain('aria-label="Undo: Completed “Oat milk, this one”"')
    expect((await browser.get(`/things/${next.id}`)).text).toContain("Nest under “Oat milk, this one”")
    const history = await browser.get(`/account/history?thing=${thing.id}`)
    expect(history.text).toContain(">Completed “Oat milk, this one”</a>")
    const [at] = /\/account\/history\/[0-9a-f-]{36}(?=")/.exec(history.text) ?? []
    const operation = (await browser.get(at!)).text
    expect(operation).toContain("<h1>Completed “Oat milk, this one”</h1>")
    expect(operation).toContain("<h3>Changed thing “Oat milk, this one”</h3>")
    await send(path, `${path}/edit`, { text: "*Soy* milk" })
    expect((await rest("GET", "/operations")).operations[0].summary).toContain("to “*Soy* milk”")
  })

  it("gets photos by their addresses, and loses them", async () => {
    const { browser, path, read, send } = await withThing(server(), { photos: ["https://example.com/a.jpg"] })
    const photos = "https://example.com/a.jpg\r\n\r\n http://example.org/b.png \r\n"
    await send(path, `${path}/edit`, { photos })
    expect((await read()).photos).toEqual(["https://example.com/a.jpg", "http://example.org/b.png"])
    const blank = "https://example.com/a cat.jpg"
    await send(path, `${path}/edit`, { photos: `${blank}\r\nhttps://example.com/b.png http://example.org/c.png` })
    expect((await read()).photos).toEqual([blank, "https://example.com/b.png", "http://example.org/c.png"])
    const form = (await browser.get(path)).form(`${path}/edit`)
    form.set("photos", "cat.jpg")
    const refused = await browser.post(`${path}/edit`, form)
    expect([refused.status, refused.text]).toEqual([400, expect.stringMatching(/role="alert">Photos 1 must be/)])
    expect(refused.text).toMatch(/<textarea id="photos"[^>]*>\ncat\.jpg</)
    form.set("photos", "https://example.com/a.jpg\n".repeat(11))
    expect((await browser.post(`${path}/edit`, form)).text).toContain(
      'role="alert">Photos must be at most 10 photos, not 11<'
    )
    form.set("photos", "https://example.com/a.jpg\n".repeat(501))
    expect((await browser.post(`${path}/edit`, form)).text).toMatch(/role="alert">Photos 1 must be at most 8,192 /)
    form.set("photos", "")
    form.set("tags", "a,".repeat(501))
    expect((await browser.post(`${path}/edit`, form)).text).toMatch(/role="alert">Tags 1 must be at most 100 /)
    await send(path, `${path}/edit`, { photos: "" })
    expect((await read()).photos).toEqual([])
  })

  it("keeps what was typed where it cannot be saved", async () => {
    const { browser, path, read } = await withThing(server())
    const form = (await browser.get(path)).form(`${path}/edit`)
    for (const [name, value] of [
      ["text", "Soy milk"],
      ["note", "from the <corner>"],
      ["url", "javascript:alert(1)"]
    ] as const)
      form.set(name, value)
    const refused = await browser.post(`${path}/edit`, form)
    expect(refused.status).toBe(400)
    expect(refused.text).toMatch(/role="alert">Link must be [^<]* For example Link: https/)
    form.set("text", " ")
    form.set("url", "")
    expect((await browser.post(`${path}/edit`, form)).text).toMatch(
      /role="alert">Text is required and must not be blank, unless there is a link or a photo[.<]/
    )
    expect(refused.text).toMatch(
      /id="url"[^>]* aria-invalid="true" aria-describedby="wrong" \/><span[^>]* id="wrong">Link/
    )
    expect(refused.text).toContain("from the &#60;corner&#62;")
    expect(refused.text).toContain('value="javascript:alert(1)"')
    expect((await read()).text).toBe("Milk")
  })

  it("accepts a note of a million characters, as multipart", async () => {
    const { browser, path, read } = await withThing(server())
    const note = "ü<&\n".repeat(250_000)
    const parts = new FormData()
    for (const [name, value] of (await browser.get(path)).form(`${path}/edit`)) parts.append(name, value)
    for (const [name, value] of [
      ["text", "Milk"],
      ["note", note.replaceAll("\n", "\r\n")]
    ] as const)
      parts.append(name, value)
    const answer = await fetch(server().url + `${path}/edit`, {
      method: "POST",
      body: parts,
      redirect: "manual",
      headers: { cookie: browser.cookie!, origin: server().url }
    })
    expect(answer.status).toBe(303)
    expect((await read()).note).toBe(note)
  })

  it("moves to a list by its title, to a day, and says why it cannot", async () => {
    const { browser, path, read, rest, send } = await withThing(server())
    const { list } = await rest("POST", "/lists", { title: "Cellar" })
    await send(path, `${path}/move`, { list: "cellar" })
    expect((await read()).list_id).toBe(list.id)
    const { text } = await browser.get(path)
    const words = [...text.matchAll(/name="day" value="([a-z]+)">([A-Z][a-z]+)</g)].map(([, day, name]) => [day, name])
    expect(words).toStrictEqual([
      ["today", "Today"],
      ["tomorrow", "Tomorrow"]
    ])
    await send(path, `${path}/move`, { day: "tomorrow" })
    expect((await rest("GET", "/today?date=tomorrow")).things).toHaveLength(1)
    await send(path, `${path}/move`, { other_day: "2030-02-03" })
    expect((await rest("GET", "/today?date=2030-02-03")).things).toHaveLength(1)
    const form = (await browser.get(path)).form(`${path}/move`)
    const nowhere = await browser.post(`${path}/move`, form)
    expect([nowhere.status, nowhere.text]).toStrictEqual([
      400,
      expect.stringContaining('role="alert">Name a list or a day to move to.<')
    ])
    form.set("list", "Cellar")
    form.set("other_day", "2030-02-04")
    const both = await browser.post(`${path}/move`, form)
    expect([both.status, both.text]).toStrictEqual([400, expect.stringContaining(">Name a list or a day, not both.<")])
    expect(both.text).toMatch(/<input id="other-day"[^>]* value="2030-02-04" aria-invalid="true"/)
    form.set("other_day", "")
    form.set("list", "No such list")
    const unknown = await browser.post(`${path}/move`, form)
    expect([unknown.status, unknown.text]).toStrictEqual([404, expect.stringContaining("No list is named")])
    expect(unknown.text).toMatch(
      /<input id="list"[^>]* value="No such list" aria-invalid="true" aria-describedby="wrong" \/><span[^>]*>No list is/
    )
    expect(unknown.text).not.toContain("If it was deleted")
    const { list: other } = await rest("POST", "/lists", { title: "cellar" })
    form.set("list", "CELLAR")
    const ambiguous = await browser.post(`${path}/move`, form)
    expect([ambiguous.status, ambiguous.text]).toStrictEqual([400, expect.stringContaining("; name one by its id.")])
    await send(path, `${path}/move`, { list: other.id })
    expect((await read()).list_id).toBe(other.id)
  })

  it("links the addresses in its text and its note, and no more than they are", async () => {
    const text = "See https://example.com/a?b=1&c=(d), or (https://example.org/e). `https://f.example`"
    const note = "At http://192.168.1.2:8080/g!\nhttps:// and javascript://h"
    const { browser, list } = await withThing(server(), { text, note })
    const { text: page } = await browser.get(`/lists/${list.id}`)
    const links = [...page.matchAll(/<a href="([^"]+)" rel="noopener noreferrer nofollow">([^<]+)<\/a>/g)]
    expect(links.map(([, href, label]) => [href, label])).toEqual(
      ["https://example.com/a?b=1&#38;c=(d)", "https://example.org/e", "http://192.168.1.2:8080/g"].map((url) => [
        url,
        url
      ])
    )
    const linked = await withThing(server(), { text: "https://example.com", url: "https://example.org" })
    const { text: one } = await linked.browser.get(`/lists/${linked.list.id}`)
    expect(one).toContain('<a href="https://example.org" rel="noopener noreferrer nofollow">https://example.com</a>')
  })
})

describe("a deleted thing", () => {
  it("is not ticked or nested from an outdated page, which links to its history", async () => {
    const { browser, list, path, rest, thing } = await withThing(server())
    const back = `/lists/${list.id}`
    const form = (await browser.get(back)).form("/things/tick")
    await rest("DELETE", path)
    for (const [action, name] of [
      ["/things/tick", "complete"],
      ["/things/nest", "deeper"]
    ] as const) {
      form.set(name, thing.id)
      const { status, text } = await browser.post(action, form)
      expect([action, status]).toStrictEqual([action, 404])
      expect(text).toContain("Nothing was done: this thing no longer exists.")
      expect(text).toContain(`<a href="/account/history?thing=${thing.id}">its history</a>`)
      expect(text).toContain(`<a class="button" href="${back}">Go back</a>`)
    }
  })

  it("has a link to its history at its old address, from which it is restored", async () => {
    const { browser, list, path, rest, send } = await withThing(server())
    await rest("POST", "/lists", { title: "Another" })
    const links = [`/account/history?thing=${path.replace("/things/", "")}`, `/account/history?list=${list.id}`]
    expect((await browser.get(path)).text).toContain(`href="${links[0]}"`)
    expect((await browser.get(`/lists/${list.id}`)).text).toContain(`href="${links[1]}"`)
    await rest("DELETE", `/lists/${list.id}`)
    for (const [at, address] of [path, `/lists/${list.id}`].entries()) {
      const gone = await browser.get(address)
      expect(gone.status).toBe(404)
      expect(gone.text).toContain('href="/reminders"')
      expect(gone.text).toContain(`<p>You have no such ${["thing", "list"][at]}.</p>`)
      expect(gone.text).toContain(`If it was deleted, <a href="${links[at]}">its history</a> can bring it back.`)
      const { text } = await browser.get(links[at]!)
      expect(text).toContain("Deleted the list")
      expect(text).not.toContain("Another")
    }
    const [undo] = /\/account\/history\/[^"]+\/undo/.exec((await browser.get(links[1]!)).text) ?? []
    await send(links[1]!, undo!)
    expect((await browser.get(path)).status).toBe(200)
    expect((await browser.get("/things/nothing")).text).not.toContain("its history")
  })
})
