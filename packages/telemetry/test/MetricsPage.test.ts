import { describe, expect, it } from "@effect/vitest"
import { mergePages } from "../src/MetricsPage.ts"

const page = (value: number, extra = "") => `# HELP a_total What is counted
# TYPE a_total counter
a_total{route="/x y/:id"} ${value}
# TYPE b gauge
b ${value}
${extra}`

describe("pages of several workers", () => {
  it("are merged into one, with each family once and the worker's number on each series", () => {
    const merged = mergePages(
      new Map([
        ["1", page(1)],
        ["2", page(2, "# TYPE c gauge\nc 3\n")]
      ])
    )
    expect(merged).toBe(`# HELP a_total What is counted
# TYPE a_total counter
a_total{worker="1",route="/x y/:id"} 1
a_total{worker="2",route="/x y/:id"} 2
# TYPE b gauge
b{worker="1"} 1
b{worker="2"} 2
# TYPE c gauge
c{worker="2"} 3
`)
  })

  it("are empty without workers", () => {
    expect(mergePages(new Map())).toBe("")
  })
})
