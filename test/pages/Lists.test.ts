import { describe, expect, it } from "@effect/vitest"
import { doneIn, givenServer, signedIn, undoOn } from "./Given.ts"

const server = givenServer()

describe("lists in the browser", () => {
  it("are made, renamed, sorted, starred, archived, and deleted with an undo", async () => {
    const person = await signedIn(server())
    const { browser, rest, send } = person
    const made = await send("/lists", "/lists/new", { title: " Groceries " })
    const path = new URL(made.at).pathname
    const read = async () => (await rest("GET", path)).list
    expect(doneIn(made.page)).toBe("Created the list “Groceries”.")
    expect(made.page.text).toContain("This list is empty.")
    await send(path, `${path}/edit`, { title: "Shopping", emoji: "🛒", sort: "alphabetical" })
    expect(await read()).toMatchObject({ title: "Shopping", emoji: "🛒", sort: "alphabetical" })
    const { id } = await read()
    await send("/lists", "/lists/star", { star: id })
    expect((await browser.get("/lists")).text).toMatch(/<h2>Starred<\/h2>.*Shopping.*<h2>All others<\/h2>/s)
    await send(path, "/lists/star", { unstar: id })
    expect((await read()).favorited).toBe(false)
    await send(path, `${path}/archive`, { archived: "true" })
    expect((await browser.get("/lists")).text).not.toContain("Shopping")
    expect((await browser.get("/lists/archived")).text).toContain("Shopping")
    await send(path, `${path}/archive`, { archived: "false" })
    const deleted = await send(path, `${path}/delete`)
    expect(deleted.at).toContain("/lists?done=")
    expect((await browser.get(path)).status).toBe(404)
    await undoOn(person, deleted.page)
    expect((await read()).title).toBe("Shopping")
  })

  it("are all on their pages, also where more are starred than are shown above the others", async () => {
    const { browser, rest } = await signedIn(server())
    const { list } = await rest("POST", "/lists", { title: "Starred first" })
    await rest("PATCH", `/lists/${list.id}`, { favorited: true })
    for (let at = 0; at < 50; at++) await rest("POST", "/lists", { title: `List ${at}`, favorited: true })
    const titles: Array<string> = []
    for (const page of [0, 1])
      for (const [, title] of (await browser.get(`/lists?page=${page}`)).text.matchAll(
        /class="name"><a [^>]*>([^<]*)/g
      ))
        titles.push(title!)
    expect(titles).toHaveLength(51)
    expect(titles.at(-1)).toBe("Starred first")
    const { text } = await browser.get("/lists")
    expect(text).toContain("They are on the next page.")
    expect(text).not.toContain("There are no others.")
  })

  it("show days on a page of their own, and are offered without them as a target for a thing", async () => {
    const { browser, rest } = await signedIn(server())
    await rest("POST", "/lists", { title: "Shopping" })
    const { list } = await rest("POST", "/lists", { title: "Errands", things: [{ text: "Stamps" }] })
    for (const day of ["2030-01-04", "2030-01-06", "2030-01-05"])
      await rest("POST", "/things", { list: day, text: "a" })
    const linked = (text: string) => [...text.matchAll(/class="name"><a href="([^"]*)"/g)].map(([, href]) => href)
    const lists = await browser.get("/lists")
    expect(linked(lists.text)).toHaveLength(2)
    expect(lists.text).toContain('<a href="/lists/days">Days</a>')
    const days = await browser.get("/lists/days")
    expect(linked(days.text)).toStrictEqual(["/days/2030-01-06", "/days/2030-01-05", "/days/2030-01-04"])
    expect(days.text.match(/class="count">1</g)).toHaveLength(3)
    const [stamps] = (await rest("GET", `/lists/${list.id}`)).things
    const { text } = await browser.get(`/things/${stamps.id}`)
    expect([...text.matchAll(/<option value="(\D[^"]*)"><\/option>/g)].map(([, title]) => title)).toStrictEqual([
      "Shopping"
    ])
  })

  it("hide what is done, and keep hiding it over changes", async () => {
    const { browser, rest } = await signedIn(server())
    const items = [
      { text: "Pack", completed: true },
      { text: "Passports", tabs: 1 },
      { text: "Tickets", completed: true }
    ]
    const { list } = await rest("POST", "/lists", { title: "Trip", things: items })
    const path = `/lists/${list.id}`
    const all = await browser.get(path)
    expect(all.text).toContain(`<a href="${path}?open=">Hide what is done</a>`)
    const open = await browser.get(`${path}?open=`)
    const texts = [...open.text.matchAll(/class="text[^"]*" id="t-[^"]*">([^<]*)/g)].map(([, text]) => text)
    expect(texts).toStrictEqual(["Pack", "Passports"])
    expect(open.text).toContain("2 of 3 done")
    const form = open.form(`${path}/add`)
    form.set("markdown", "Maps")
    expect((await browser.post(`${path}/add`, form)).location).toMatch(/\?open=&done=[^#]+#add$/)
    const { things } = await rest("GET", path)
    for (const { id } of things) await rest("PATCH", `/things/${id}`, { completed: true })
    const done = await browser.get(`${path}?open=`)
    expect(done.text).toContain("Everything here is done.")
    expect(done.text).toContain(`<a href="${path}">Show what is done</a>`)
  })

  it("repeat no words of their addresses, whose compressed sizes would tell what they say", async () => {
    const { browser, rest } = await signedIn(server())
    const { list } = await rest("POST", "/lists", { title: "Trip", things: [{ text: "Pack" }] })
    for (const page of ["/today", "/days/2026-11-22", "/lists", "/lists/days", `/lists/${list.id}`, "/reminders"]) {
      const { status, text } = await browser.get(`${page}?open=guess&nest=guess&page=guess&unchanged=guess&guess=guess`)
      expect([page, status, text.includes("guess")]).toStrictEqual([page, 200, false])
    }
  })

  it("nest their things by buttons, one operation each, and say when there is no further level", async () => {
    const person = await signedIn(server())
    const { browser, rest, send } = person
    const items = [{ text: "Pack" }, { text: "Passports" }, { text: "Tickets", tabs: 1 }]
    const { list } = await rest("POST", "/lists", { title: "Trip", things: items })
    const path = `/lists/${list.id}`
    const read = async (): Promise<ReadonlyArray<{ id: string; tabs: number }>> => (await rest("GET", path)).things
    const [pack, passports, tickets] = await read()
    const depths = async () => (await read()).map(({ tabs }) => tabs)
    expect((await browser.get(path)).text).toContain(`<a class="button quiet" href="${path}?nest=">Nest its things</a>`)
    const nesting = await browser.get(`${path}?nest=&open=`)
    expect(nesting.text).toContain(`<a class="button quiet" href="${path}?open=">Done</a>`)
    expect(nesting.text).not.toContain('name="markdown"')
    const buttons = [...nesting.text.matchAll(/name="(shallower|deeper)" value="([^"]+)"[^>]*?( disabled)?>/g)]
    expect(buttons.map(([, name, id, disabled]) => [name, id, disabled !== undefined])).toStrictEqual([
      ["shallower", pack!.id, true],
      ["deeper", pack!.id, true],
      ["shallower", passports!.id, true],
      ["deeper", passports!.id, false],
      ["shallower", tickets!.id, false],
      ["deeper", tickets!.id, true]
    ])
    const nest = async (name: string, id: string) => {
      const form = (await browser.get(`${path}?nest=`)).form("/things/tick")
      form.set(name, id)
      const { location } = await browser.post("/things/nest", form)
      const { hash, pathname, searchParams } = new URL(location!, server().url)
      expect([pathname, searchParams.has("nest"), hash]).toStrictEqual([path, true, `#t-${id}`])
      return browser.get(location!)
    }
    const nested = await nest("deeper", passports!.id)
    expect([doneIn(nested), await depths()]).toStrictEqual([
      "Changed the nesting of “Passports” and of 1 thing under it.",
      [0, 1, 2]
    ])
    expect((await undoOn(person, nested)).text).toContain('name="deeper"')
    expect(await depths()).toStrictEqual([0, 0, 1])
    await nest("shallower", tickets!.id)
    expect(await depths()).toStrictEqual([0, 0, 0])
    expect(doneIn(await nest("shallower", tickets!.id))).toBe("Nothing was done: “Tickets” is at the top level.")
    expect(doneIn(await nest("deeper", pack!.id))).toBe(
      "Nothing was done: nothing comes before “Pack” on its level, or what is under it cannot go any deeper."
    )
    const page = `/things/${tickets!.id}`
    const from = await send(page, "/things/nest", { deeper: tickets!.id })
    expect([new URL(from.at, server().url).pathname, await depths()]).toStrictEqual([page, [0, 0, 1]])
    expect(from.page.text).toContain("Take out of “Passports”")
    expect(from.page.text).not.toContain('name="deeper"')
    const parent = await browser.get(`/things/${passports!.id}`)
    expect(parent.text).toContain("Nest under “Pack”")
    expect(parent.text).toContain("1 thing nested under it moves with it.")
  })

  it("nest a thing with all that is nested under it, which one undo takes back", async () => {
    const person = await signedIn(server())
    const { browser, rest, send } = person
    const items = [0, 0, 1, 2, 1, 0].map((tabs, at) => ({ text: `Step ${at}`, tabs }))
    const { list } = await rest("POST", "/lists", { title: "Trip", things: items })
    const path = `/lists/${list.id}`
    const depths = async () => (await rest("GET", path)).things.map((thing: { tabs: number }) => thing.tabs)
    const { things } = await rest("GET", path)
    const nested = await send(`/things/${things[1].id}`, "/things/nest", { deeper: things[1].id })
    expect(await depths()).toStrictEqual([0, 1, 2, 3, 2, 0])
    expect(doneIn(nested.page)).toBe("Changed the nesting of “Step 1” and of 3 things under it.")
    const undone = await undoOn(person, nested.page)
    expect(await depths()).toStrictEqual([0, 0, 1, 2, 1, 0])
    const name = "Changed the nesting of “Step 1” and of 3 things under it"
    expect(undone.text).toContain(`aria-label="Redo: ${name}">Redo</button>`)
    const redone = await undoOn(person, undone)
    expect(await depths()).toStrictEqual([0, 1, 2, 3, 2, 0])
    expect(redone.text).toContain(`aria-label="Undo: ${name}">Undo</button>`)
    await undoOn(person, redone)
    await send(`/things/${things[2].id}`, "/things/nest", { shallower: things[2].id })
    expect(await depths()).toStrictEqual([0, 0, 0, 1, 1, 0])
    expect((await browser.get(`/things/${things[2].id}`)).text).toContain("2 things nested under it move with it.")
  })

  it("lose a thing with all that is nested under it, which is moved to the top level of another list, or deleted", async () => {
    const person = await signedIn(server())
    const { browser, rest, send } = person
    const items = [0, 1, 2, 3, 2, 1].map((tabs, at) => ({ text: `Step ${at}`, tabs }))
    const { list } = await rest("POST", "/lists", { title: "Trip", things: items })
    const { list: other } = await rest("POST", "/lists", { title: "Other", things: [{ text: "First" }] })
    const read = async (id: string) =>
      (await rest("GET", `/lists/${id}`)).things.map(({ tabs, text }: { tabs: number; text: string }) => [text, tabs])
    const before = await read(list.id)
    const { things } = await rest("GET", `/lists/${list.id}`)
    const path = `/things/${things[2].id}`
    const moved = await send(path, `${path}/move`, { list: "Other" })
    expect(doneIn(moved.page)).toBe("Moved 2 things (“Step 2” and “Step 3”) to “Other”.")
    expect(await read(list.id)).toStrictEqual([before[0], before[1], before[4], before[5]])
    expect(await read(other.id)).toStrictEqual([
      ["First", 0],
      ["Step 2", 0],
      ["Step 3", 1]
    ])
    const again = await send(path, `${path}/move`, { list: "Other" })
    expect(again.at).not.toContain("done=")
    await undoOn(person, moved.page)
    expect([await read(list.id), await read(other.id)]).toStrictEqual([before, [["First", 0]]])
    const parent = `/things/${things[1].id}`
    const shown = await browser.get(parent)
    expect(shown.text).toContain("Delete, with 3 things under it</button>")
    const deleted = await send(parent, `${parent}/delete`)
    expect(doneIn(deleted.page)).toBe("Deleted 4 things (“Step 1”, “Step 2”, “Step 3” and 1 more).")
    expect(await read(list.id)).toStrictEqual([before[0], before[5]])
    const twice = await browser.post(`${parent}/delete`, shown.form(`${parent}/delete`))
    expect(twice.location).toBe(deleted.at)
    await undoOn(person, deleted.page)
    expect(await read(list.id)).toStrictEqual(before)
  })

  it("say how many of their things are open", async () => {
    const { browser, rest } = await signedIn(server())
    const open = { text: "Open" }
    const make = (title: string, things: ReadonlyArray<object>) => rest("POST", "/lists", { title, things })
    await make("Done", [
      { ...open, completed: true },
      { ...open, header: true }
    ])
    const { list } = await make("Starred", [open, { ...open, type: "bullet" }])
    await rest("PATCH", `/lists/${list.id}`, { favorited: true })
    const { list: long } = await make(
      "Long",
      Array.from({ length: 500 }, () => open)
    )
    const of = async (path: string, title: string) =>
      new RegExp(`>${title}</a></span>\\s*(?:<span class="count">([\\d,]+)<span class="spoken"> open)?`).exec(
        (await browser.get(path)).text
      )
    const done = await of("/lists", "Done")
    expect(done).not.toBeNull()
    expect(done![1]).toBeUndefined()
    expect((await of("/lists", "Starred"))?.[1]).toBe("1")
    expect((await of("/lists", "Long"))?.[1]).toBe("500")
    const grow = (length: number) =>
      rest("POST", "/things/bulk", { list_id: long.id, items: Array.from({ length }, () => open) })
    await grow(500)
    expect((await of("/lists", "Long"))?.[1]).toBe("1,000")
    await grow(1)
    expect(await of("/lists", "Long")).toStrictEqual(expect.arrayContaining([undefined]))
    expect((await browser.get(`/lists/${long.id}`)).text).toContain("<span>0 of 1,001 done</span>")
  })

  it("show how the note of a thing begins, in words", async () => {
    const { browser, rest } = await signedIn(server())
    const notes = [
      "\n---\n\n## Ask **Ben** & Ann\nfor the numbers",
      "😀".repeat(600),
      `${"😀".repeat(300)}a`,
      "\n".repeat(2_000)
    ]
    const things = notes.map((note, at) => ({ text: `Step ${at}`, note }))
    const { list } = await rest("POST", "/lists", { title: "Trip" })
    await rest("POST", "/things/bulk", { list_id: list.id, items: things })
    const { text } = await browser.get(`/lists/${list.id}`)
    const begun = [...text.matchAll(/<bdi class="begins"> ([^<]*)<\/bdi>/g)].map(([, words]) => words)
    expect(begun).toStrictEqual(["Ask Ben &#38; Ann", "", `${"😀".repeat(200)}…`, ""])
    expect(text).toContain("<pre>\n\n---\n\n## Ask **Ben** &#38; Ann\nfor the numbers</pre>")
  })

  it("are imported from a file or a text, and come out again", async () => {
    const { browser } = await signedIn(server())
    const fields = (await browser.get("/lists")).form("/lists/import")
    const post = async (file: string, title: string) => {
      const parts = new FormData()
      for (const [name, value] of fields) if (name !== "file" && name !== "title") parts.append(name, value)
      parts.append("file", new File([file], "plan.md", { type: "text/markdown" }))
      parts.append("title", title)
      const headers = { cookie: browser.cookie!, origin: server().url }
      return fetch(`${server().url}/lists/import`, { method: "POST", body: parts, redirect: "manual", headers })
    }
    const answer = await post("# Plan\n\n- [ ] Ürün\n", "")
    const path = new URL(answer.headers.get("location")!, server().url).pathname
    expect((await browser.get(path)).text).toContain("<h1>Plan</h1>")
    const out = await browser.get(`${path}/markdown`)
    expect([out.text, out.headers.get("content-disposition")]).toStrictEqual([
      "# Plan\n\n- [ ] Ürün\n",
      'attachment; filename="list.md"'
    ])
    const nothing = await post("", "")
    expect([nothing.status, await nothing.text()]).toStrictEqual([
      400,
      expect.stringContaining("Choose a file, or paste")
    ])
    const large = await post(`${"x".repeat(999)}\n`.repeat(1_100), "Too large")
    expect([large.status, await large.text()]).toStrictEqual([400, expect.stringContaining("1,000,000")])
    const beyond = await post("x".repeat(10 * 1024 * 1024), "")
    expect([beyond.status, await beyond.text()]).toStrictEqual([
      413,
      expect.stringContaining("What you sent is larger than 10 MiB, and nothing was changed: go back")
    ])
  })

  it("show what texts say as text, wherever they are shown", async () => {
    const { browser, rest } = await signedIn(server())
    const evil = `"><img src=x onerror=alert(1)><script>alert(1)</script>'&`
    const { list } = await rest("POST", "/lists", { title: evil, emoji: "<b>" })
    const { thing } = await rest("POST", "/things", {
      list_id: list.id,
      text: `${evil} [x](javascript:alert(1))`,
      note: `</textarea>${evil}`,
      tags: [evil.slice(0, 40)]
    })
    await rest("PUT", `/things/${thing.id}/reminder`, { at: "2030-01-01" })
    await rest("PATCH", `/lists/${list.id}`, { favorited: true })
    const tag = encodeURIComponent(evil.slice(0, 40))
    const paths = ["/lists", `/lists/${list.id}`, `/things/${thing.id}`, "/reminders", "/tags", `/tags?tag=${tag}`]
    for (const path of [...paths, `/search?q=${encodeURIComponent(evil)}`, "/days/2030-01-01", "/account/history"]) {
      const { status, text } = await browser.get(path)
      expect([path, status]).toStrictEqual([path, 200])
      const without = text.replaceAll(
        /<img src="\/icon\.svg[^>]*>|<script src="\/(?:app|zone)\.js[^>]*><\/script>/g,
        ""
      )
      expect([path, without.match(/<img|<script|onerror=alert\(1\)>|href="javascript|<b>/i)]).toStrictEqual([
        path,
        null
      ])
    }
  })

  it("that are deleted refuse new lines, and say what restores them", async () => {
    const { browser, rest } = await signedIn(server())
    const { list } = await rest("POST", "/lists", { title: "Camping" })
    const form = (await browser.get(`/lists/${list.id}`)).form(`/lists/${list.id}/add`)
    form.set("markdown", "Tent pegs")
    await rest("DELETE", `/lists/${list.id}`)
    const { status, text } = await browser.post(`/lists/${list.id}/add`, form)
    expect(status).toBe(404)
    expect(text).toContain(`<a href="/account/history?list=${list.id}">its history</a> can bring it back.`)
    expect(text).toMatch(/What you typed, to copy:.*Tent pegs/s)
    expect(text).not.toContain("list_id")
  })

  it("are each person's own", async () => {
    const [ann, ben] = [await signedIn(server()), await signedIn(server())]
    const { list } = await ann.rest("POST", "/lists", { title: "Secret" })
    const { thing } = await ann.rest("POST", "/things", { list_id: list.id, text: "Hidden" })
    expect((await ben.browser.get(`/lists/${list.id}`)).status).toBe(404)
    expect((await ben.browser.get(`/things/${thing.id}`)).status).toBe(404)
    expect((await ben.browser.get("/search?q=hidden")).text).toContain("Nothing was found.")
    const csrf = (await ben.browser.get("/lists")).form("/lists/new").get("csrf") ?? ""
    for (const [path, fields] of [
      [`/lists/${list.id}/edit`, { title: "Taken" }],
      [`/lists/${list.id}/add`, { markdown: "Taken" }],
      [`/lists/star`, { star: list.id }],
      [`/things/tick`, { complete: thing.id }],
      [`/things/${thing.id}/edit`, { text: "Taken" }],
      [
        `/things/${thing.id}/reminder`,
        { day: "2030-01-01", time: "", repeat: "none", duration: "0", alert: "0", second_alert: "0", color: "" }
      ]
    ] as ReadonlyArray<readonly [string, Record<string, string>]>)
      expect([path, (await ben.browser.post(path, { csrf, ...fields })).status >= 400]).toStrictEqual([path, true])
    for (const path of [`/lists/${list.id}/delete`, `/things/${thing.id}/delete`])
      await ben.browser.post(path, { csrf })
    const { list: kept, things } = await ann.rest("GET", `/lists/${list.id}`)
    expect([kept.title, kept.favorited, things[0].text, things[0].completed]).toStrictEqual([
      "Secret",
      false,
      "Hidden",
      false
    ])
  })
})
