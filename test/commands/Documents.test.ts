import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { openCommands } from "./InProcess.ts"

const lat = openCommands()
const folder = mkdtempSync(join(tmpdir(), "lat-documents-"))
const inFolder = (...names: ReadonlyArray<string>) => join(folder, ...names)

afterAll(async () => {
  rmSync(folder, { recursive: true })
  await lat.close()
})

let accounts = 0
/** Creates an account; returns the options that name it. */
const newAccount = async () => {
  const email = `person-${++accounts}@example.com`
  await lat.quiet(["account", "create", "--email", email])
  return ["--account", email]
}

/** Writes files into a new folder; returns their paths. */
const written = (documents: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const within = mkdtempSync(inFolder("d-"))
  return Object.entries(documents).map(([name, text]) => {
    writeFileSync(join(within, name), text)
    return join(within, name)
  })
}

describe("lat import", () => {
  it("adds several documents to a list, and says how many things that are in total", async () => {
    const of = await newAccount()
    const id = await lat.quiet(["list", "create", "Food", ...of])
    const files = written({ "a.md": "- a\n- b\n", "b.md": "- c\n" })
    expect(await lat.output(["import", ...files, "--list", "food", ...of])).toBe("Added 3 things to food.")
    expect(await lat.quiet(["import", ...files, "--list", "Food", ...of])).toBe(id)
    expect(await lat.json(["import", ...files, "--list", "Food", ...of])).toMatchObject([
      { created: 2 },
      { created: 1 }
    ])
    const unknown = await lat.run(["import", ...files, "--list", "Drink", ...of])
    expect([unknown.code, unknown.err]).toStrictEqual([
      2,
      expect.stringMatching(/^lat: --list must name a list\. No list is/)
    ])
  })

  it("makes a list of each document, and prints their titles and ids", async () => {
    const of = await newAccount()
    const files = written({ "b.md": "- b\n", "a.md": "- a\n- c\n" })
    const said = await lat.output(["import", ...files, ...of])
    expect(said).toMatch(/^b: 1 thing \(\S{36}\)\na: 2 things \(\S{36}\)$/)
    const ids = (await lat.quiet(["import", ...files, ...of])).split("\n")
    const lists = await lat.json<ReadonlyArray<{ readonly id: string }>>(["list", "list", ...of])
    expect(lists.map(({ id }) => id)).toStrictEqual(expect.arrayContaining(ids))
  })

  it("expands patterns in the order of names, and accepts a file name that looks like a pattern", async () => {
    const of = await newAccount()
    const files = written({ "c.md": "- c\n", "[a].md": "- a\n", "b.md": "- b\n" })
    const pattern = files[0]!.replace("c.md", "*.md")
    const titles = async (...names: ReadonlyArray<string>) =>
      (await lat.json<ReadonlyArray<{ list: { title: string } }>>(["import", ...names, ...of])).map(
        ({ list }) => list.title
      )
    expect(await titles(pattern)).toStrictEqual(["[a]", "b", "c"])
    expect(await titles(files[1]!, pattern, files[2]!)).toStrictEqual(["[a]", "b", "c"])
    const none = pattern.replace("*.md", "*.txt")
    expect(await lat.run(["import", none, ...of])).toMatchObject({ code: 1, err: `lat: No file fits ${none}.\n` })
  })

  it("refuses --title for several documents, and together with --list", async () => {
    const of = await newAccount()
    const files = written({ "a.md": "- a\n", "b.md": "- b\n" })
    const both = await lat.run(["import", files[0]!, "--title", "T", "--list", "Food", ...of])
    expect([both.code, both.err]).toStrictEqual([2, expect.stringMatching(/^lat: --title and --list exclude/)])
    expect(await lat.run(["import", ...files, "--title", "T", ...of])).toMatchObject({ code: 2 })
    expect(await lat.json(["import", files[0]!, "--title", "T", ...of])).toMatchObject([{ list: { title: "T" } }])
    expect(await lat.json(["list", "list", ...of])).toHaveLength(1)
  })
})

describe("a document that is too large", () => {
  const large = "- a\n".repeat(20_001)

  it("ends an import, which says how many documents were imported before it", async () => {
    const of = await newAccount()
    const [a, b, full] = written({ "a.md": "- a\n", "b.md": "- b\n", "full.md": large }) as [string, string, string]
    const said = (before: string) =>
      expect.stringMatching(new RegExp(`full\\.md: markdown must bring at most 20,000 things.*\\n${before}\\.\\n$`))
    const first = await lat.run(["import", full, a, ...of])
    expect([first.code, first.err]).toStrictEqual([1, said("Nothing was imported")])
    const second = await lat.run(["import", a, full, ...of])
    expect([second.code, second.err]).toStrictEqual([1, said("1 document before it was imported")])
    const third = await lat.run(["import", a, b, full, ...of])
    expect([third.code, third.err]).toStrictEqual([1, said("2 documents before it were imported")])
    expect(await lat.json(["list", "list", ...of])).toHaveLength(3)
  })
})

describe("lat export", () => {
  let of: ReadonlyArray<string>

  beforeAll(async () => {
    of = await newAccount()
    for (const title of ["Open", "Empty", "Old", "Letters"]) await lat.quiet(["list", "create", title, ...of])
    await lat.quiet(["list", "edit", "Letters", "--sort", "alphabetical", ...of])
    for (const text of ["b", "a"]) await lat.quiet(["thing", "add", text, "--list", "Letters", ...of])
    await lat.quiet(["thing", "add", "x", "--list", "Old", ...of])
    await lat.quiet(["list", "archive", "Old", ...of])
    const call = await lat.quiet(["thing", "add", "call", "--list", "2031-02-03", ...of])
    await lat.quiet(["remind", call, "2031-02-03", "9:00", ...of])
    await lat.quiet(["today", "--date", "2031-02-04", ...of])
  })

  it("writes each list to a file in its sort order, archived ones to a subfolder, and no empty day", async () => {
    const out = inFolder("notes")
    const said = await lat.output(["export", "--format", "markdown", "--out", out, ...of])
    expect(said).toBe(`Wrote 5 lists and 4 things to 5 files in ${out}.`)
    expect(readdirSync(out).toSorted()).toStrictEqual([
      "2031-02-03.md",
      "Empty.md",
      "Letters.md",
      "Open.md",
      "archived"
    ])
    expect(readdirSync(join(out, "archived"))).toStrictEqual(["Old.md"])
    expect(readFileSync(join(out, "Letters.md"), "utf8")).toBe("# Letters\n\n- [ ] a\n- [ ] b\n")
    const json = await lat.json(["export", "--format", "markdown", "--out", out, ...of])
    expect(json).toMatchObject({ lists: 5, things: 4, reminders: 0 })
    const files = (await lat.quiet(["export", "--format", "markdown", "--out", out, ...of])).split("\n")
    expect(files).toStrictEqual(expect.arrayContaining([join(out, "Empty.md"), join(out, "archived", "Old.md")]))
  })

  it("writes one file with mode 600 into folders that it creates, or writes to standard output", async () => {
    const out = inFolder("not", "there")
    const email = of[1]!
    const file = join(out, `${email}.json`)
    expect(await lat.output(["export", "--out", out, ...of])).toBe(`Wrote 6 lists, 4 things and 1 reminder to ${file}.`)
    expect(await lat.quiet(["export", "--out", out, ...of])).toBe(file)
    expect([statSync(file).mode & 0o777, readdirSync(out)]).toStrictEqual([0o600, [`${email}.json`]])
    expect(await lat.json(["export", "--out", out, ...of])).toStrictEqual({
      lists: 6,
      things: 4,
      reminders: 1,
      files: [file]
    })
    const text = readFileSync(file, "utf8").replace(/"exported": .*/, "")
    const { code, err, out: piped } = await lat.run(["export", "--out", "-", ...of])
    expect([code, err]).toStrictEqual([0, "Wrote 6 lists, 4 things and 1 reminder.\n"])
    expect(piped.replace(/"exported": .*/, "")).toBe(text)
  })

  it("writes accounts to separate files even if their emails give the same file name", async () => {
    const out = inFolder("together")
    const long = "x".repeat(90)
    const files: Array<string> = []
    for (const [email, name] of [
      ["to/ann@example.com", "to-ann@example.com"],
      ["to*ann@example.com", "to-ann@example.com"],
      [`${long}@example.com`, long.slice(0, 80)],
      [`${long}@example.org`, long.slice(0, 80)]
    ] as const) {
      const id = await lat.quiet(["account", "create", "--email", email])
      const file = await lat.quiet(["export", "--out", out, "--account", email])
      expect(file).toBe(join(out, `${name} ${id}.json`))
      files.push(`${name} ${id}.json`)
    }
    expect(readdirSync(out).toSorted()).toStrictEqual(files.toSorted())
  })

  it("leaves no file behind if its name is that of a folder", async () => {
    const out = inFolder("kept")
    mkdirSync(join(out, `${of[1]}.json`), { recursive: true })
    const { code, err } = await lat.run(["export", "--out", out, ...of])
    expect([code, err]).toStrictEqual([1, expect.stringContaining("cannot be written: it is a folder")])
    expect(readdirSync(out)).toStrictEqual([`${of[1]}.json`])
  })

  it("is restored into an empty account, and into a filled one only with --merge", async () => {
    const file = await lat.quiet(["export", "--out", inFolder("backup"), ...of])
    const other = await newAccount()
    const restored = `Restored 6 lists, 4 things and 1 reminder to ${other[1]}`
    expect(await lat.output(["restore", file, ...other])).toBe(`${restored}.`)
    const again = await lat.run(["restore", file, ...other])
    expect([again.code, again.err]).toStrictEqual([1, expect.stringMatching(/\nMake a new account, or add --merge: /)])
    expect(await lat.output(["restore", file, "--merge", ...other])).toBe(
      `Restored 0 lists, 0 things and 0 reminders to ${other[1]}; skipped 11 that were there already.`
    )
    const broken = await lat.run(["restore", "-", ...(await newAccount())], { input: "{" })
    expect([broken.code, broken.err]).toStrictEqual([1, expect.stringMatching(/^lat: standard input, /)])
    expect(broken.err).toContain("\nNothing was restored.\n")
  })

  it("is not confused, on restore, with a dump of the installation or a compressed file", async () => {
    const other = await newAccount()
    const dump = '{"format":"lists-and-things dump","version":1,"schema":[1],"created":""}\n["accounts",["id"]]\n'
    const restored = await lat.run(["restore", "-", ...other], { input: dump })
    expect(restored.err).toBe(
      "lat: standard input, line 1 begins a dump of a whole installation, which 'lat db load' reads, and no export of an account.\nNothing was restored.\n"
    )
    const [packed] = written({ "ann.json.gz": "" })
    writeFileSync(packed!, gzipSync("{}"))
    expect((await lat.run(["restore", packed!, ...other])).err).toBe(
      `lat: ${packed!} is compressed by gzip.\nUnpack it on its way: gunzip -c FILE, and - in place of its name.\n`
    )
  })

  it("is restored as a dry run without a question, which changes nothing", async () => {
    const file = await lat.quiet(["export", "--out", inFolder("backup"), ...of])
    const other = await newAccount()
    expect(await lat.output(["restore", file, "--dry-run", ...other])).toMatch(/^Dry run: .*Nothing was changed\.$/m)
    expect(await lat.json(["list", "list", ...other])).toStrictEqual([])
  })
})
