import { afterAll } from "@effect/vitest"
import { Browser } from "./Browser.ts"
import { allScopes, Program } from "./Program.ts"
import { password, quickHasher, startServer } from "./SignInServer.ts"

/** A server for one test file, a person who is signed in there in a browser, and a program. */
export const signedIn = async () => {
  const server = await startServer({ hasher: quickHasher })
  afterAll(() => server.stop())
  const program = new Program(server.url)
  const browser = new Browser(server.url)
  const { email, key } = await server.person()
  await browser.signIn(email, password)

  /** The fields with which the program gets tokens, after the person's consent. */
  const code = (clientId: string, others: Record<string, string | undefined> = {}) =>
    program.code(browser, email, clientId, others)
  const tokens = async (scope = allScopes.join(" ")) => {
    const clientId = await program.registered()
    const { body } = await program.token(await code(clientId, { scope }))
    return { clientId, access: body.access_token as string, refresh: body.refresh_token as string }
  }
  return { server, program, browser, email, key, code, tokens }
}
