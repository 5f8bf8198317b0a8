import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { describe, expect, it } from "@effect/vitest"
import { behind, rangeOf } from "../src/ClientAddress.ts"

const request = (peer: string | undefined, forwarded?: string): HttpServerRequest.HttpServerRequest =>
  ({
    remoteAddress: Option.fromNullishOr(peer),
    headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
  }) as HttpServerRequest.HttpServerRequest

const proxies = (text: string) => behind(text.split(",").map((entry) => rangeOf(entry)!))

describe("where a request comes from", () => {
  it("is its connection, whatever its headers say, unless proxies are trusted", () => {
    const direct = behind([])
    expect(direct.network(request("203.0.113.9", "1.2.3.4"))).toBe("203.0.113.9")
    expect(direct.of(request("203.0.113.9", "1.2.3.4"))).toBe("203.0.113.9")
    expect(direct.network(request("::ffff:203.0.113.9"))).toBe("203.0.113.9")
    expect(direct.network(request(undefined, "1.2.3.4"))).toBe("unknown")
  })

  it("is a /64 of IPv6, however it is written", () => {
    const of = (peer: string) => behind([]).network(request(peer))
    expect(of("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64")
    expect(of("2001:0DB8:0001:0002::ffff")).toBe("2001:db8:1:2::/64")
    expect(of("2001:db8::1")).toBe("2001:db8:0:0::/64")
    expect(of("fe80::1%eth0")).toBe("fe80:0:0:0::/64")
    expect(of("2001:db8:1:3::1")).not.toBe(of("2001:db8:1:2::1"))
  })

  it("is the last address that is no trusted proxy's, when the connection is one", () => {
    const of = (peer: string, forwarded?: string) =>
      proxies("10.0.0.0/8,192.0.2.7,::1,2001:db8:aa::/48").of(request(peer, forwarded))
    expect(of("10.1.1.1", "203.0.113.9")).toBe("203.0.113.9")
    expect(of("10.1.1.1", "6.6.6.6, 203.0.113.9")).toBe("203.0.113.9")
    expect(of("10.1.1.1", "6.6.6.6,203.0.113.9, 192.0.2.7,10.9.9.9")).toBe("203.0.113.9")
    expect(of("::ffff:10.1.1.1", "203.0.113.9:4711")).toBe("203.0.113.9")
    expect(of("::1", "[2606:4700::5]:4711")).toBe("2606:4700::5")
    expect(of("2001:db8:aa:1::1", "::ffff:203.0.113.9")).toBe("203.0.113.9")
  })

  it("is the connection when that is not trusted, nothing was forwarded, or what was is no address", () => {
    const of = (peer: string, forwarded?: string) => proxies("10.0.0.0/8").of(request(peer, forwarded))
    expect(of("11.0.0.1", "203.0.113.9")).toBe("11.0.0.1")
    expect(of("10.0.0.1")).toBe("10.0.0.1")
    for (const forwarded of ["unknown", "", "203.0.113.9, _hidden", "1.2", "0x7f.0.0.1", "203.0.113.9,"])
      expect(of("10.0.0.1", forwarded), forwarded).toBe("10.0.0.1")
    expect(of("10.0.0.1", "10.0.0.2, 10.0.0.3")).toBe("10.0.0.1")
  })

  it("is one household for the limits, also when a proxy says it", () => {
    const of = (forwarded: string) => proxies("10.0.0.0/8").network(request("10.0.0.1", forwarded))
    expect(of("2606:4700:1:2::5")).toBe(of("2606:4700:1:2:ffff::6"))
  })
})
