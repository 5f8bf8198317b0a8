import { describe, expect, it } from "@effect/vitest"
import { allowedBy, mayConnect, refusalOf, resolvingFirst } from "../src/WebhookAddresses.ts"

const none = allowedBy([])
const at = (addresses: ReadonlyArray<string>) => () => Promise.resolve(addresses)
const refusal = (
  url: string,
  allow: ReadonlyArray<string> = [],
  addresses: ReadonlyArray<string> = ["93.184.215.14"]
) => refusalOf(allowedBy(allow), url, at(addresses))

/** Addresses that are not public, in every notation. */
const closed = [
  ...["127.0.0.1", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1", "127.0.0.1.", "１２７.0.0.1"],
  ...["10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "169.254.169.254", "0.0.0.0", "0"],
  ...["224.0.0.1", "255.255.255.255", "192.0.2.1", "198.18.0.1", "240.0.0.1", "168.63.129.16", "100.100.100.200"],
  ...["[::1]", "[::]", "[::127.0.0.1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[fe80::1]", "[fc00::1]"],
  ...["[fd00:ec2::254]", "[ff02::1]", "[64:ff9b::7f00:1]", "[64:ff9b::a9fe:a9fe]", "[2002:7f00:1::]", "[2001:db8::1]"],
  ...[
    "[2001::1]",
    "[3fff::1]",
    "[fd20:ce::254]",
    "[::ffff:0:127.0.0.1]",
    "localhost",
    "LOCALHOST.",
    "a.localhost",
    "localhost.localdomain",
    "ip6-localhost"
  ]
]

describe("a webhook URL", () => {
  it.each(closed)("to the private address %s is refused, and the refusal names the variable", async (host) => {
    for (const scheme of ["https", "http"])
      expect(await refusal(`${scheme}://${host}/x`)).toContain("LAT_WEBHOOK_ALLOW")
  })

  it("to port 0, or to several hosts or all of them, is refused, also if the network is allowed", async () => {
    const allow = ["127.0.0.1", "example.com"]
    for (const url of ["https://example.com:0/x", "http://127.0.0.1:0"])
      expect(await refusal(url, allow)).toBe("must have a port from 1 to 65535, or none")
    for (const url of ["https://a.example,https://b.example", "https://*.example.com/x", "https://a;b.example/x"])
      expect(await refusal(url, allow, [])).toBe("must be one https URL, of one host, such as https://ntfy.sh/my-topic")
  })

  it("to a public host is accepted with https, and refused with http, naming https and the variable", async () => {
    for (const host of ["example.com", "93.184.215.14", "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]", "ntfy.sh:8443"]) {
      expect(await refusal(`https://${host}/x`)).toBeUndefined()
      expect(await refusal(`http://${host}/x`)).toMatch(/^must be https.*LAT_WEBHOOK_ALLOW/)
    }
    for (const text of ["ftp://example.com/", "example.com"]) expect(await refusal(text)).toContain("https")
    expect(await refusal("https://me:100%@example.com/")).toContain("percent-encoded")
    expect(await refusal("https://example.com@10.0.0.1/")).toContain("LAT_WEBHOOK_ALLOW")
  })

  it("is refused if its name resolves to a private address, and accepted if it does not resolve yet", async () => {
    expect(await refusal("https://evil.example/", [], ["10.0.0.1"])).toContain("10.0.0.1")
    expect(await refusal("https://evil.example/", [], ["::ffff:10.0.0.1"])).toContain("LAT_WEBHOOK_ALLOW")
    expect(await refusal("https://later.example/", [], [])).toBeUndefined()
    expect(await refusal("http://later.example/", [], [])).toContain("https")
    expect(await refusal("http://later.example/", ["later.example"], [])).toBeUndefined()
  })

  it("is accepted in an allowed IPv4 range, in any notation of the setting", async () => {
    const allow = ["::ffff:10.0.0.0/104", "::ffff:192.168.3.4"]
    for (const host of ["10.1.2.3", "[::ffff:10.1.2.3]", "192.168.3.4"])
      expect(await refusal(`http://${host}/x`, allow)).toBeUndefined()
    for (const host of ["11.1.2.3", "192.168.3.5"])
      expect(await refusal(`http://${host}/x`, allow)).toContain("LAT_WEBHOOK_ALLOW")
    expect(await refusal("http://10.200.2.3/x", ["::ffff:10.0.0.0/104"])).toBeUndefined()
    expect(await refusal("http://10.1.2.3/x", ["::ffff:0.0.0.0/96"])).toBeUndefined()
    // Wider than the mapped addresses: a range of IPv6.
    expect(await refusal("http://10.1.2.3/x", ["::ffff:0.0.0.0/95"])).toContain("LAT_WEBHOOK_ALLOW")
  })

  it("is accepted if the operator allows its address, range or name", async () => {
    const allow = ["192.168.0.0/16", "fd12::/16", "10.0.0.7", "nas.local"]
    for (const host of ["192.168.3.4", "[::ffff:192.168.3.4]", "[fd12::1]", "10.0.0.7", "167772167"])
      expect(await refusal(`http://${host}/x`, allow)).toBeUndefined()
    expect(await refusal("http://nas.local:8123/x", allow, ["10.9.9.9"])).toBeUndefined()
    expect(await refusal("http://NAS.local./x", allow, ["10.9.9.9"])).toBeUndefined()
    expect(await refusal("http://nas.local/x", ["NAS.local."], ["10.9.9.9"])).toBeUndefined()
    expect(await refusal("http://[fd12::5]/x", ["fd12::/112"])).toBeUndefined()
    expect(await refusal("http://10.0.0.8/x", allow)).toContain("LAT_WEBHOOK_ALLOW")
    expect(await refusal("http://printer.local/x", allow, ["10.9.9.9"])).toContain("LAT_WEBHOOK_ALLOW")
    expect(await refusal("http://localhost:1/x", ["127.0.0.0/8"])).toBeUndefined()
    for (const name of ["localhost", "::1"]) expect(await refusal("http://localhost:1/x", [name])).toBeUndefined()
  })

  it("to a link-local address or a metadata service is accepted only if that exact address is allowed", async () => {
    const wide = ["0.0.0.0/0", "::/0", "metadata.example"]
    for (const host of [
      "169.254.169.254",
      "[fe80::1]",
      "[64:ff9b::a9fe:a9fe]",
      "100.100.100.200",
      "[fd00:ec2::254]",
      "[fd20:ce::254]",
      "[::ffff:0:a9fe:a9fe]"
    ])
      expect(await refusal(`http://${host}/`, wide)).toContain("LAT_WEBHOOK_ALLOW")
    expect(await refusal("http://metadata.example/", wide, ["169.254.169.254"])).toContain("LAT_WEBHOOK_ALLOW")
    expect(await refusal("http://169.254.1.2/", ["169.254.0.0/16"])).toContain("LAT_WEBHOOK_ALLOW")
    expect(await refusal("http://169.254.1.2/", ["169.254.1.2/16"])).toContain("LAT_WEBHOOK_ALLOW")
    expect(await refusal("http://169.254.1.2/", ["169.254.1.2"])).toBeUndefined()
    expect(await refusal("http://[fe80::1]/", ["fe80::1"])).toBeUndefined()
  })

  it("has its name resolved by the system if the operator allows the name", async () => {
    const other = { address: "10.9.9.9", family: 4 }
    const resolve = resolvingFirst(allowedBy(["Localhost."]), () => Promise.resolve([other]))
    expect(await resolve("localhost")).not.toContainEqual(other)
    expect(await resolve("nas.local")).toStrictEqual([other])
  })

  it("is checked again by the address of the connection", () => {
    const url = new URL("https://example.com/")
    expect(mayConnect(none, url, "93.184.215.14")).toBe(true)
    for (const address of ["10.0.0.1", "::1", "fe80::1%eth0", "no address", ""])
      expect(mayConnect(none, url, address)).toBe(false)
    expect(mayConnect(none, new URL("http://example.com/"), "93.184.215.14")).toBe(false)
  })
})
