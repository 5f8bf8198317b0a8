import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { Browser, type PageSeen } from "../signin/Browser.ts"
import { password, quickHasher, type SignInServer, startServer } from "../signin/SignInServer.ts"
import { type Receiver, receiver } from "./Receivers.ts"

let server: SignInServer
let phone: Receiver
beforeAll(async () => {
  server = await startServer({ hasher: quickHasher })
  phone = await receiver("answers")
})
afterAll(async () => {
  await server.stop()
  await phone.stop()
})

const signedIn = async (): Promise<Browser> => {
  const { email } = await server.person()
  const browser = new Browser(server.url)
  await browser.signIn(email, password)
  return browser
}

const make = async (browser: Browser, url: string) => {
  const form = (await browser.get("/account/webhooks")).form("/account/webhooks")
  form.set("url", url)
  form.set("format", "ntfy")
  form.set("event", "reminder.due")
  return browser.post("/account/webhooks", form)
}

/** Expects the redirect of a posted form, and follows it. */
const followed = async (browser: Browser, answer: PageSeen): Promise<PageSeen> => {
  expect([answer.status, answer.text]).toStrictEqual([303, ""])
  return browser.get(answer.location!)
}

describe("webhooks on the account's pages", () => {
  it("are created, tested, switched off and deleted", async () => {
    const browser = await signedIn()
    expect((await browser.get("/account")).text).toContain('href="/account/webhooks"')
    expect((await browser.get("/account/webhooks")).text).toContain("You have no webhooks.")
    const made = await followed(browser, await make(browser, phone.url))
    expect(made.text).toMatch(/whsec_[\w+/]+=*/)
    const list = await browser.get("/account/webhooks")
    expect(list.text.split(`>${phone.url}<`)).toHaveLength(2)
    expect(list.text).not.toContain("whsec_")
    expect(list.text.match(/action="\/account\/webhooks\/test"/g)).toHaveLength(1)
    const sent = await browser.post("/account/webhooks/test", list.form("/account/webhooks/test"))
    const tested = await followed(browser, sent)
    expect(tested.text).toContain("Answered with status 200")
    expect(phone.received.at(-1)).toMatchObject({ body: "This webhook works.", headers: { tags: "white_check_mark" } })
    await browser.post("/account/webhooks/enabled", list.form("/account/webhooks/enabled"))
    expect((await browser.get("/account/webhooks")).text).toContain("Switch on")
    await browser.post("/account/webhooks/delete", list.form("/account/webhooks/delete"))
    expect((await browser.get("/account/webhooks")).text).toContain("You have no webhooks.")
  })

  it("are created once if the same form is sent twice", async () => {
    const browser = await signedIn()
    const form = (await browser.get("/account/webhooks")).form("/account/webhooks")
    form.set("url", phone.url)
    form.set("format", "ntfy")
    form.set("event", "reminder.due")
    await browser.post("/account/webhooks", form)
    const again = await followed(browser, await browser.post("/account/webhooks", form))
    expect(again.text).toMatch(/<pre id="secret">whsec_/)
    const made = async () => (await browser.get("/account/webhooks")).text.match(/aria-label="Test /g)?.length
    expect(await made()).toBe(1)
    form.append("event", "operation")
    await browser.post("/account/webhooks", form)
    expect(await made()).toBe(2)
  })

  it("send no second ping on a reload, and redirect from the address of each form to the list", async () => {
    const browser = await signedIn()
    await followed(browser, await make(browser, phone.url))
    const list = await browser.get("/account/webhooks")
    const before = phone.received.length
    const { location } = await browser.post("/account/webhooks/test", list.form("/account/webhooks/test"))
    for (const _ of [1, 2]) expect((await browser.get(location!)).text).toContain("Answered with status 200")
    expect(phone.received).toHaveLength(before + 1)
    for (const unknown of ["?tested=x&delivery=y", `?tested=${crypto.randomUUID()}`])
      expect((await browser.get(`/account/webhooks${unknown}`)).text).not.toContain("Answered")
    for (const name of ["test", "enabled", "delete"])
      expect((await browser.get(`/account/webhooks/${name}`)).location).toBe(`${server.url}/account/webhooks`)
  })

  it("are refused with a reason, and the form keeps what was typed", async () => {
    const browser = await signedIn()
    const refused = await make(browser, "http://10.0.0.1/hook")
    expect(refused.status).toBe(400)
    expect(refused.text).toMatch(/role="alert">Address must not lead [^<]*LAT_WEBHOOK_ALLOW/)
    expect(refused.text).toContain('value="http://10.0.0.1/hook"')
    const form = (await browser.get("/account/webhooks")).form("/account/webhooks")
    form.set("url", phone.url)
    form.delete("event")
    const idle = await browser.post("/account/webhooks", form)
    expect([idle.status, idle.text]).toStrictEqual([
      400,
      expect.stringContaining('role="alert">Choose at least one event.<')
    ])
    expect(idle.text).toContain(`value="${phone.url}"`)
  })
})
