import { describe, expect, it } from "@effect/vitest"
import { cleanUrl, isPhotoUrl, isUrl } from "../../src/text/Urls.ts"

describe("the url of a thing", () => {
  it.each([
    ["https://example.com", "https://example.com"],
    ["mailto:a@example.com", "mailto:a@example.com"],
    ["tel:+4930123", "tel:+4930123"],
    ["obsidian://open?vault=a", "obsidian://open?vault=a"],
    ["example.com", "https://example.com"],
    ["example.com:8080/path", "https://example.com:8080/path"],
    ["example.com:8080", "https://example.com:8080"],
    ["example.com:8080?q", "https://example.com:8080?q"],
    ["localhost:3000", "https://localhost:3000"],
    ["192.168.1.5:8123/lovelace", "https://192.168.1.5:8123/lovelace"],
    ["10.0.0.1", "https://10.0.0.1"],
    ["example.:80", "example.:80"],
    ["a.b:80x", "a.b:80x"],
    ["a.b.c:tel", "a.b.c:tel"],
    ["bücher.example/ä", "https://bücher.example/ä"],
    [" https://example.com ", "https://example.com"]
  ])("can be %s", (given, kept) => {
    expect(isUrl(given)).toBe(true)
    expect(cleanUrl(given)).toBe(kept)
  })

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " data:text/html,x",
    "vbscript:x",
    "not a url",
    "word",
    ".example:80",
    `${".".repeat(8_180)}:x`,
    "http://",
    "https://"
  ])("cannot be %s", (given) => {
    expect(isUrl(given)).toBe(false)
  })

  it("can be a photo only if it is an absolute http or https URL", () => {
    expect(isPhotoUrl("https://a.example/b.png")).toBe(true)
    for (const wrong of ["a.example/b.png", "ftp://a.example/b", "/b.png", "", "https://"])
      expect(isPhotoUrl(wrong)).toBe(false)
  })
})
