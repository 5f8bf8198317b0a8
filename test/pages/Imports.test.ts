import { describe, expect, it } from "@effect/vitest"
import { givenServer, signedIn } from "./Given.ts"

const server = givenServer()

/** Sends the form of an import with these files; answers the page that it leads to. */
const importOf = async (
  files: ReadonlyArray<File>,
  title = "",
  pasted = ""
): Promise<{ status: number; text: string }> => {
  const { browser } = await signedIn(server())
  const parts = new FormData()
  for (const [name, value] of (await browser.get("/lists")).form("/lists/import"))
    if (name !== "file" && name !== "title") parts.append(name, value)
  for (const file of files) parts.append("file", file)
  parts.append("title", title)
  parts.append("markdown", pasted)
  const headers = { cookie: browser.cookie!, origin: server().url }
  const answer = await fetch(`${server().url}/lists/import`, {
    method: "POST",
    body: parts,
    redirect: "manual",
    headers
  })
  if (answer.status !== 303) return { status: answer.status, text: await answer.text() }
  const { status, text } = await browser.get(answer.headers.get("location")!)
  return { status, text }
}

const document = (name: string, text = "## Soon\n\n- [ ] Milk\n") => new File([text], name, { type: "text/markdown" })

describe("an import in the browser", () => {
  it.for([
    ["plan.md", "plan"],
    ["plan v1.2.md", "plan v1.2"],
    ['say "no"\nto <b>.md', "say &#34;no&#34;\nto &#60;b&#62;"],
    [".md", ".md"],
    [" .md", "Imported list"],
    [`${"x".repeat(1_200)}.md`, "x".repeat(1_000)]
  ] as const)("has the name of its file where it has no title: %s", async ([name, title]) => {
    expect((await importOf([document(name)])).text).toContain(`<h1>${title}</h1>`)
  })

  it("has the title that was typed, else that of the document", async () => {
    expect((await importOf([document("a.md", "- Milk\n\n# Later")])).text).toContain("<h1>Later</h1>")
    expect((await importOf([document("a.md", "# Later")], "Typed")).text).toContain("<h1>Typed</h1>")
  })

  it("takes one file, and says so of several", async () => {
    const { status, text } = await importOf([document("a.md"), document("b.md")])
    expect(status).toBe(400)
    expect(text).toContain("Choose one file at a time: nothing was imported.")
  })

  it("takes a file or a text, and shows the text again where it has both", async () => {
    const { status, text } = await importOf([document("a.md")], "", "- [ ] Pasted")
    expect(status).toBe(400)
    expect(text).toContain("Choose a file or paste a text, not both: nothing was imported.")
    expect(text).toMatch(/<textarea [^>]*readonly>\n- \[ \] Pasted</)
    expect((await importOf([document("a.md")], "", " \r\n")).text).toContain("<h1>a</h1>")
  })

  it.for([
    ["in another encoding", Buffer.from("- [ ] Caf\xe9\n", "latin1")],
    ["with U+0000", Buffer.from("- [ ] Caf\0\n")]
  ] as const)("says of a file %s that it is not text", async ([, bytes]) => {
    const { status, text } = await importOf([new File([bytes], "plan.md", { type: "text/markdown" })])
    expect(status).toBe(400)
    expect(text).toContain("The file must be valid UTF-8 text, and nothing was changed: go back")
  })
})
