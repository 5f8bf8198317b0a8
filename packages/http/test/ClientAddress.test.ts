import { Config, ConfigProvider, Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { assert, describe, it } from "@effect/vitest"
import { behind, rangeOf } from "../src/edge/ClientAddress.ts"
import { trustedProxies } from "../src/ServerConfig.ts"

const request = (peer: string | undefined, forwarded?: string): HttpServerRequest.HttpServerRequest =>
  ({
    remoteAddress: Option.fromNullishOr(peer),
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
  }) as HttpServerRequest.HttpServerRequest

const read = (text: string | undefined) =>
  Effect.result(
    trustedProxies.parse(ConfigProvider.fromUnknown(text === undefined ? {} : { LAT_TRUSTED_PROXIES: text }))
  )
const proxies = (text: string) => behind(text.split(",").map((entry) => rangeOf(entry)!))

describe("where a request comes from", () => {
  it("is its connection, whatever its headers say, unless proxies are trusted", () => {
    const direct = behind([])
    assert.strictEqual(direct.network(request("203.0.113.9", "1.2.3.4")), "203.0.113.9")
    assert.strictEqual(direct.of(request("203.0.113.9", "1.2.3.4")), "203.0.113.9")
    assert.strictEqual(direct.network(request("::ffff:203.0.113.9")), "203.0.113.9")
    assert.strictEqual(direct.network(request(undefined, "1.2.3.4")), "unknown")
  })

  it("is a /64 of IPv6, however it is written", () => {
    const of = (peer: string) => behind([]).network(request(peer))
    assert.strictEqual(of("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64")
    assert.strictEqual(of("2001:0DB8:0001:0002::ffff"), "2001:db8:1:2::/64")
    assert.strictEqual(of("2001:db8::1"), "2001:db8:0:0::/64")
    assert.strictEqual(of("fe80::1%eth0"), "fe80:0:0:0::/64")
    assert.notStrictEqual(of("2001:db8:1:3::1"), of("2001:db8:1:2::1"))
  })

  it("is the last address that is no trusted proxy's, when the connection is one", () => {
    const of = (peer: string, forwarded?: string) =>
      proxies("10.0.0.0/8,192.0.2.7,::1,2001:db8:aa::/48").of(request(peer, forwarded))
    assert.strictEqual(of("10.1.1.1", "203.0.113.9"), "203.0.113.9")
    assert.strictEqual(of("10.1.1.1", "6.6.6.6, 203.0.113.9"), "203.0.113.9")
    assert.strictEqual(of("10.1.1.1", "6.6.6.6,203.0.113.9, 192.0.2.7,10.9.9.9"), "203.0.113.9")
    assert.strictEqual(of("::ffff:10.1.1.1", "203.0.113.9:4711"), "203.0.113.9")
    assert.strictEqual(of("::1", "[2606:4700::5]:4711"), "2606:4700::5")
    assert.strictEqual(of("2001:db8:aa:1::1", "::ffff:203.0.113.9"), "203.0.113.9")
  })

  it("is the connection when that is not trusted, nothing was forwarded, or what was is no address", () => {
    const of = (peer: string, forwarded?: string) => proxies("10.0.0.0/8").of(request(peer, forwarded))
    assert.strictEqual(of("11.0.0.1", "203.0.113.9"), "11.0.0.1")
    assert.strictEqual(of("10.0.0.1"), "10.0.0.1")
    for (const forwarded of ["unknown", "", "203.0.113.9, _hidden", "1.2", "0x7f.0.0.1", "203.0.113.9,"])
      assert.strictEqual(of("10.0.0.1", forwarded), "10.0.0.1", forwarded)
    assert.strictEqual(of("10.0.0.1", "10.0.0.2, 10.0.0.3"), "10.0.0.1")
  })

  it("is one household for the limits, also when a proxy says it", () => {
    const of = (forwarded: string) => proxies("10.0.0.0/8").network(request("10.0.0.1", forwarded))
    assert.strictEqual(of("2606:4700:1:2::5"), of("2606:4700:1:2:ffff::6"))
  })
})

describe("LAT_TRUSTED_PROXIES", () => {
  it.effect("is empty by default, and takes addresses and ranges of both kinds", () =>
    Effect.gen(function* () {
      const shown = (ranges: ReadonlyArray<readonly [{ toString(): string }, number]>) =>
        ranges.map(([first, bits]) => `${first}/${bits}`)
      const of = (text: string | undefined) => Effect.map(Effect.flatMap(read(text), Effect.fromResult), shown)
      assert.deepStrictEqual(yield* of(undefined), [])
      assert.deepStrictEqual(yield* of(" "), [])
      assert.deepStrictEqual(yield* of("10.0.0.0/8, 192.0.2.7,::1,2001:db8::/32,"), [
        ...["10.0.0.0/8", "192.0.2.7/32", "::1/128", "2001:db8::/32"]
      ])
      assert.deepStrictEqual(yield* of("::ffff:10.0.0.0/104"), ["10.0.0.0/8"])
      assert.deepStrictEqual(yield* of("0.0.0.0/0"), ["0.0.0.0/0"])
    })
  )

  it.effect("is refused by its name when an entry is neither", () =>
    Effect.gen(function* () {
      for (const text of [
        "proxy.example",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/8/8",
        "::1/129",
        "10.0/8",
        "010.0.0.1/x"
      ]) {
        const result = yield* read(`127.0.0.1, ${text}`)
        assert.strictEqual(result._tag, "Failure", text)
        if (result._tag === "Failure") {
          assert.instanceOf(result.failure, Config.ConfigError)
          assert.include(result.failure.message, "LAT_TRUSTED_PROXIES")
          assert.include(result.failure.message, text)
        }
      }
    })
  )
})
