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

describe("the address of a client", () => {
  it("is that of the connection, whatever the headers say, unless proxies are trusted", () => {
    const direct = behind([])
    expect(direct.network(request("203.0.113.9", "1.2.3.4"))).toBe("203.0.113.9")
    expect(direct.of(request("203.0.113.9", "1.2.3.4"))).toBe("203.0.113.9")
    expect(direct.network(request("::ffff:203.0.113.9"))).toBe("203.0.113.9")
    expect(direct.network(request(undefined, "1.2.3.4"))).toBe("unknown")
  })

  it("is counted as a /64 network for IPv6, in any notation", () => {
    const of = (peer: string) => behind([]).network(request(peer))
    expect(of("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64")
    expect(of("2001:0DB8:0001:0002::ffff")).toBe("2001:db8:1:2::/64")
    expect(of("2001:db8::1")).toBe("2001:db8:0:0::/64")
    expect(of("fe80::1%eth0")).toBe("fe80:0:0:0::/64")
    expect(of("2001:db8:1:3::1")).not.toBe(of("2001:db8:1:2::1"))
  })

  it("is the last forwarded address that is not a trusted proxy's, if the connection is from a trusted proxy", () => {
    const of = (peer: string, forwarded?: string) =>
      proxies("10.0.0.0/8,192.0.2.7,::1,2001:db8:aa::/48").of(request(peer, forwarded))
    expect(of("10.1.1.1", "203.0.113.9")).toBe("203.0.113.9")
    expect(of("10.1.1.1", "6.6.6.6, 203.0.113.9")).toBe("203.0.113.9")
    expect(of("10.1.1.1", "6.6.6.6,203.0.113.9, 192.0.2.7,10.9.9.9")).toBe("203.0.113.9")
    expect(of("::ffff:10.1.1.1", "203.0.113.9:4711")).toBe("203.0.113.9")
    expect(of("::1", "[2606:4700::5]:4711")).toBe("2606:4700::5")
    expect(of("2001:db8:aa:1::1", "::ffff:203.0.113.9")).toBe("203.0.113.9")
  })

  it("is that of the connection if it is not trusted, or without a valid forwarded address", () => {
    const of = (peer: string, forwarded?: string) => proxies("10.0.0.0/8").of(request(peer, forwarded))
    expect(of("11.0.0.1", "203.0.113.9")).toBe("11.0.0.1")
    expect(of("10.0.0.1")).toBe("10.0.0.1")
    for (const forwarded of ["unknown", "", "203.0.113.9, _hidden", "1.2", "0x7f.0.0.1", "203.0.113.9,"])
      expect(of("10.0.0.1", forwarded), forwarded).toBe("10.0.0.1")
    expect(of("10.0.0.1", "10.0.0.2, 10.0.0.3")).toBe("10.0.0.1")
  })

  it("is counted as a /64 network also when a proxy forwards it", () => {
    const of = (forwarded: string) => proxies("10.0.0.0/8").network(request("10.0.0.1", forwarded))
    expect(of("2606:4700:1:2::5")).toBe(of("2606:4700:1:2:ffff::6"))
  })
})
