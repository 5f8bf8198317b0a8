import { afterAll, beforeAll } from "@effect/vitest"
import { Browser, type PageSeen } from "../signin/Browser.ts"
import { password, type PersonSettings, quickHasher, type SignInServer, startServer } from "../signin/SignInServer.ts"

/** A server over memory for the tests of one file. */
export const givenServer = () => {
  const held: { server?: SignInServer } = {}
  beforeAll(async () => {
    held.server = await startServer({ hasher: quickHasher })
  })
  afterAll(() => held.server?.stop())
  return () => held.server!
}

/** Someone who is signed in, with a key of theirs beside the browser. */
export const signedIn = async (server: SignInServer, settings: PersonSettings = {}) => {
  const { email, id, key } = await server.person(settings)
  const browser = new Browser(server.url)
  await browser.signIn(email, password)

  const rest = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(`${server.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    // oxlint-disable-next-line typescript/no-explicit-any -- the contract's answers, taken apart by the test
    return (await response.json()) as any
  }

  /** Sends a form of a page with these fields; answers the page that it leads to. */
  const send = async (page: string, action: string, fields: Readonly<Record<string, string>> = {}) => {
    const form = (await browser.get(page)).form(action)
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    const answer = await browser.post(action, form)
    if (answer.status !== 303) throw new Error(`${action}: ${answer.status} ${answer.text}`)
    return { at: answer.location!, page: await browser.get(answer.location!) }
  }

  return { email, id, key, browser, rest, send }
}

export type SignedIn = Awaited<ReturnType<typeof signedIn>>

/** Someone who is signed in and has a thing in a list of its own. */
export const withThing = async (
  server: SignInServer,
  fields: Record<string, unknown> = {},
  settings: PersonSettings = {}
) => {
  const person = await signedIn(server, settings)
  const { list } = await person.rest("POST", "/lists", { title: "Home" })
  const { thing } = await person.rest("POST", "/things", { list_id: list.id, text: "Milk", ...fields })
  const read = async () => (await person.rest("GET", `/things/${thing.id}`)).thing
  return { ...person, list, thing, read, path: `/things/${thing.id}` }
}

/** The notice of a page. */
export const doneIn = (page: PageSeen): string | undefined => {
  const said = /<p role="status">(.*?)<\/p>/s.exec(page.text)?.[1]
  return said?.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
}

/** Undoes the operation of a page's notice. */
export const undoOn = async ({ browser }: SignedIn, page: PageSeen): Promise<PageSeen> => {
  const action = /action="(\/account\/history\/[^"]+\/undo)"/.exec(page.text)?.[1] ?? ""
  const answer = await browser.post(action, page.form(action))
  return browser.get(answer.location!)
}
