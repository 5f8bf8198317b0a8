import { describe, expect, it } from "@effect/vitest"
import { catalog } from "../src/Catalog.ts"
import { complete } from "../src/commands/shell/CompletionCandidates.ts"
import { topics } from "../src/commands/shell/Topics.ts"

/** The completion of a line after `lat`, whose last word is unfinished. */
const offer = (line: string) => complete(catalog, line.split(" "))
const words = (line: string) => offer(line).words

describe("completion", () => {
  it.each([
    ["acc", ["account"]],
    ["account s", ["show", "set"]],
    ["account sh", ["show"]],
    ["list ", ["list", "show", "create", "edit", "archive", "delete"]],
    ["no", []],
    ["nothing here", []],
    ["account create --ti", ["--timezone"]],
    ["account create --default-list-sort m", ["modified"]],
    [
      "account create --default-list-sort=rev",
      ["--default-list-sort=reverse-chronological", "--default-list-sort=reverse-alphabetical"]
    ],
    ["key create --scopes read:lists,read", ["read:lists,read:things"]],
    ["key create --account x --scopes se", ["search"]],
    ["completion ", ["bash", "zsh", "fish"]],
    ["help s", ["scopes"]],
    ["history er", ["erase"]],
    ["history erase x --op", ["--operation"]],
    ["db st", ["status", "stop"]],
    ["stats --j", ["--json"]]
  ])("offers the fitting words after lat %s", (line, expected) => {
    expect(words(line)).toStrictEqual(expected)
  })

  it("offers every topic of help", () => {
    expect(words("help ").toSorted()).toStrictEqual(Object.keys(topics).toSorted())
  })

  it("offers no option that is already given, unless it is repeatable", () => {
    expect(words("today --date today --")).not.toContain("--date")
    expect(words("thing add milk --tag food --")).toContain("--tag")
  })

  it("offers no hidden command", () => {
    expect(words("")).not.toContain("complete-words")
  })

  it.each([
    ["import ", "files"],
    ["import a.md b", "files"],
    ["import a.md --account ann@example.com b", "files"],
    ["export --out ", "folders"],
    ["account show ", "accounts"],
    ["account show ann@example.com ", "nothing"],
    ["key create --account=a", "accounts"],
    ["today --account ", "accounts"]
  ] as const)("says what is offered besides words after lat %s: %s", (line, also) => {
    expect(offer(line).also).toBe(also)
  })
})

describe("the catalog", () => {
  it("gives every command an example that uses it", () => {
    for (const spec of catalog) {
      expect(spec.examples.length, spec.path.join(" ")).toBeGreaterThan(0)
      for (const example of spec.examples) expect(example).toContain(`lat ${spec.path.join(" ")}`)
    }
  })

  it("uses only existing options in its examples", () => {
    for (const spec of catalog) {
      const known = ["json", "quiet", ...(spec.options ?? []).map((option) => option.name)]
      for (const example of spec.examples) {
        const own = example.split(/[|&;)]/).filter((part) => part.includes(`lat ${spec.path.join(" ")}`))
        for (const [, name] of own.join(" ").matchAll(/ --([a-z-]+)/g)) expect(known, example).toContain(name)
      }
    }
  })

  it("can load the code of every command", async () => {
    for (const spec of catalog) expect((await spec.load.from()).run).toBeTypeOf("function")
  })
})
