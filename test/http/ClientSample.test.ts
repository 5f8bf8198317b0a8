import { join } from "node:path"
import { expect } from "@effect/vitest"
import { contract } from "./Given.ts"

/** Imported by its path, since its types are generated: `packages/http/test/OpenApi.test.ts` checks them. */
const sample = join(import.meta.dirname, "../../packages/http/test/client-sample/sample.mts")

contract("a program with a generated client", (given) => {
  given("does what it says", async ({ token, url }) => {
    const { main } = (await import(sample)) as {
      readonly main: (baseUrl: string, key: string) => Promise<ReadonlyArray<string>>
    }
    expect(await main(`${url}/api/v1`, token)).toStrictEqual(["Bre…", "But…", "copied", "true"])
  })
})
