import { auth } from "@modelcontextprotocol/sdk/client/auth.js"
import { Browser } from "./Browser.ts"
import { connecting, Provider, type SdkKind, Transcript } from "./Journey.ts"
import { password, quickHasher, startServer } from "./SignInServer.ts"

const failureOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "it did not fail",
    (error: Error) => `${error.name}: ${error.message}`
  )

/** The whole life of a connection: sign-in, tool call, more scopes, refresh, disconnection. */
export const connected = async (kind: SdkKind) => {
  const server = await startServer({ hasher: quickHasher })
  const { email } = await server.person()
  const [provider, transcript, browser] = [new Provider(), new Transcript(), new Browser(server.url)]
  const allow = async () => {
    const wanted = provider.wanted
    if (wanted === undefined) throw new Error("Nobody is asked to sign in.")
    transcript.lines.push(
      `  the person opens ${wanted.pathname}?scope=${wanted.searchParams.get("scope")}&…, signs in and allows it`
    )
    const answered = await browser.consent(wanted, { email, password })
    if (answered.searchParams.get("state") !== `state-${provider.states}`) throw new Error("Another state came back.")
    transcript.lines.push(
      `  the browser calls ${answered.origin}${answered.pathname}?code=…&state=…&iss=${answered.searchParams.get("iss")}`
    )
    return answered
  }
  try {
    transcript.note("No credential: the client finds the sign-in, registers itself and sends its person there")
    const stranger = connecting(kind, server.url, provider, transcript)
    const refused = await failureOf(stranger.session)
    if (!/unauthorized/i.test(refused)) throw new Error(refused)
    await stranger.finish(await allow())
    const firstScope = provider.kept.scope as string

    transcript.note("With a token: every tool is there")
    const known = connecting(kind, server.url, provider, transcript)
    const session = await known.session
    const tools = await session.tools()
    await session.call("list_lists", {})

    transcript.note("A call that needs more: the client is told which scopes, and asks its person for them")
    provider.wanted = undefined
    await failureOf(session.call("create_list", { title: "Packing" }))
    if (provider.wanted === undefined) {
      // The SDK's maintenance release tries only a refresh, which cannot widen the scope; the host does the rest.
      const scope = /error="insufficient_scope", scope="([^"]*)"/.exec(transcript.lines.join("\n"))?.[1] ?? ""
      provider.invalidateCredentials("tokens")
      // oxlint-disable-next-line typescript/no-explicit-any -- the provider serves two SDKs
      await auth(provider as any, { serverUrl: `${server.url}/mcp`, scope, fetchFn: transcript.fetch })
    }
    const wantedScope = (provider.wanted as URL | undefined)?.searchParams.get("scope") ?? ""
    await known.finish(await allow())
    const created = await session.call("create_list", { title: "Packing" })

    transcript.note("An hour later: the token has expired, and is refreshed without the person")
    const before = provider.kept.refresh_token as string
    server.later(3_600_001)
    const listedLater = await session.call("list_lists", {})
    const refreshed = provider.kept.refresh_token !== before

    transcript.note("The person disconnects the program in their account: no token works any more")
    const account = await browser.get("/account")
    const programsShown = account.text.match(/Disconnect Example assistant/g)?.length
    await browser.post("/account/programs/disconnect", account.form("/account/programs/disconnect"))
    const afterDisconnect = await failureOf(session.call("list_lists", {}))
    await session.close()
    const lines = transcript.lines.map((line) => line.replaceAll(server.url, "http://localhost:3000"))
    return {
      tools,
      firstScope,
      wantedScope,
      created,
      listedLater,
      refreshed,
      programsShown,
      afterDisconnect,
      transcript: lines
    }
  } finally {
    await server.stop()
  }
}
