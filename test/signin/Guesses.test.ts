import { AccountStore } from "@lists-and-things/domain/ports/AccountStore"
import { Accounts } from "@lists-and-things/domain/caller/Accounts"
import { PasswordHasher } from "@lists-and-things/domain/caller/PasswordHasher"
import { Effect, Layer, Redacted } from "effect"
import { describe, expect, it } from "@effect/vitest"
import { Browser } from "./Browser.ts"
import { password, quickHasher, type SignInServer, startServer } from "./SignInServer.ts"

describe("guesses", () => {
  const guess = async (of: SignInServer, email: string, given = "wrong password") => {
    const seen = await new Browser(of.url).signIn(email, given)
    return { status: seen.status, text: seen.text.replaceAll(email, ""), retry: seen.headers.get("retry-after") }
  }

  it("are limited by account, whether it exists or not, with the same answer", async () => {
    const of = await startServer({ hasher: quickHasher })
    const { email } = await of.person()
    const [known, unknown] = [[] as Array<unknown>, [] as Array<unknown>]
    for (let at = 0; at < 12; at++) {
      known.push(await guess(of, at % 2 === 0 ? email : email.toUpperCase()).then(({ status }) => status))
      unknown.push(await guess(of, "nobody@example.com").then(({ status }) => status))
    }
    expect(known).toStrictEqual([...Array<number>(10).fill(401), 429, 429])
    expect(unknown).toStrictEqual(known)
    const over = await guess(of, email, password)
    expect([over.status, over.text]).toStrictEqual([
      429,
      expect.stringContaining("Too many attempts. Try again in 15 minutes.")
    ])
    of.later(15 * 60_000)
    expect((await guess(of, email, password)).status).toBe(303)
    await of.stop()
  })

  it("are limited by address, over all accounts", async () => {
    const of = await startServer({ hasher: quickHasher })
    const answers = []
    for (let at = 0; at < 55; at++) answers.push(await guess(of, `nobody-${at}@example.com`))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(50)
    const last = answers.at(-1)
    expect([last?.status, Number(last?.retry) > 0]).toStrictEqual([429, true])
    await of.stop()
  })

  const guessesFrom = async (of: SignInServer, addresses: ReadonlyArray<string>) => {
    const answers = []
    for (const [at, address] of addresses.entries()) {
      const fields = { email: `nobody-${at}@example.com`, password: "wrong", next: "/" }
      answers.push((await new Browser(of.url).post("/sign-in", fields, { "x-forwarded-for": address })).status)
    }
    return answers
  }
  const fiftyOf = (address: string) => Array<string>(50).fill(address)

  it("are limited by the address that a trusted proxy names, and by no other header", async () => {
    const behindProxy = await startServer({ hasher: quickHasher, proxies: ["127.0.0.1"] })
    expect(
      await guessesFrom(behindProxy, [...fiftyOf("203.0.113.9"), "6.6.6.6, 203.0.113.9", "203.0.113.10"])
    ).toStrictEqual([...Array<number>(50).fill(401), 429, 401])
    const registered = async (address: string) => {
      const headers = { "content-type": "application/json", "x-forwarded-for": address }
      return (await fetch(`${behindProxy.url}/oauth/register`, { method: "POST", headers, body: "{" })).status
    }
    for (let at = 0; at < 60; at++) expect(await registered("203.0.113.9")).toBe(400)
    expect(await registered("203.0.113.9")).toBe(429)
    expect(await registered("203.0.113.10")).toBe(400)
    await behindProxy.stop()
    const direct = await startServer({ hasher: quickHasher })
    const spread = Array.from({ length: 52 }, (_, at) => `203.0.113.${at}`)
    expect(await guessesFrom(direct, spread)).toStrictEqual([...Array<number>(50).fill(401), 429, 429])
    await direct.stop()
  })

  it("of strangers do not lock out a browser that has signed in to the account before", async () => {
    const of = await startServer({ hasher: quickHasher })
    const { email } = await of.person()
    const [known, unknown] = [new Browser(of.url), new Browser(of.url)]
    await known.signIn(email, password)
    for (let at = 0; at < 60; at++) await guess(of, at < 12 ? email : `nobody-${at}@example.com`)
    expect((await unknown.signIn(email, password)).status).toBe(429)
    expect((await known.signIn(email, password)).status).toBe(303)
    expect((await known.signIn("nobody@example.com", password)).status).toBe(429)
    await of.stop()
  })

  it("do not reveal whether an account exists, neither by text nor by hashing work", async () => {
    let hashed = 0
    const counting = Layer.succeed(
      PasswordHasher,
      PasswordHasher.of({
        hash: (given) =>
          Effect.sync(() => {
            hashed++
            return `plain:${Redacted.value(given)}`
          }),
        verify: (given, encoded) =>
          Effect.sync(() => {
            hashed++
            return encoded === `plain:${Redacted.value(given)}`
          })
      })
    )
    const of = await startServer({ hasher: counting })
    const { email } = await of.person()
    await of.run(Effect.flatMap(Accounts, (accounts) => accounts.create({ email: "bare@example.com" })))
    const { text } = await guess(of, "somebody@example.com")
    for (const who of [email, "nobody@example.com", "bare@example.com"]) {
      hashed = 0
      expect(await guess(of, who)).toMatchObject({ status: 401, text })
      expect([who, hashed]).toStrictEqual([who, 1])
    }
    await of.stop()
  })

  it("are checked against a stored scrypt hash", async () => {
    const of = await startServer()
    const { id } = await of.person()
    const { passwordHash } = await of.run(
      Effect.gen(function* () {
        const account = yield* (yield* Accounts).get(id)
        return yield* (yield* AccountStore).secrets(account.id)
      })
    )
    expect(passwordHash).toMatch(/^\$scrypt\$ln=17,r=8,p=1\$/)
    expect(passwordHash).not.toContain(password)
    await of.stop()
  })
})
