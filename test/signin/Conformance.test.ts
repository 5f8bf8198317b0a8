import { spawn } from "node:child_process"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { ownPort } from "../setup/OwnPort.ts"
import { Browser } from "./Browser.ts"
import { Program } from "./Program.ts"
import { password, quickHasher, startServer } from "./SignInServer.ts"

const bin = join(import.meta.dirname, "../../node_modules/.bin/conformance")

it("the authorization server passes the protocol's conformance suite", async () => {
  const server = await startServer({ hasher: quickHasher })
  const { email } = await server.person()
  const port = await ownPort()
  const clientId = await new Program(server.url).registered([`http://127.0.0.1:${port}/callback`])
  const options = ["--url", server.url, "--resource", `${server.url}/mcp`, "--client-id", clientId, "-p", String(port)]
  const child = spawn(bin, ["authorization", ...options, "--verbose"], { stdio: ["ignore", "pipe", "inherit"] })
  let [out, asked] = ["", false]
  child.stdout.on("data", (chunk: Buffer) => {
    out += chunk.toString()
    const address = /^http:\S+\/oauth\/authorize\?\S+$/m.exec(out)?.[0]
    if (asked || address === undefined || !out.includes("Callback server started")) return
    asked = true
    void new Browser(server.url).consent(address, { email, password }).then((answered) => fetch(answered))
  })
  const code = await new Promise((resolve) => child.once("close", resolve))
  await server.stop()
  expect([code, out]).toStrictEqual([0, expect.stringContaining("Total: 3 passed, 0 failed")])
})
