import { expect, it } from "@effect/vitest"
import { resolverOf } from "../src/NameLookup.ts"

const timeout = Object.assign(new Error("queryA ETIMEOUT"), { code: "ETIMEOUT" })

const silent = { resolve4: () => Promise.reject(timeout), resolve6: () => Promise.reject(timeout) }
const answering = { resolve4: () => Promise.resolve(["93.184.216.34"]), resolve6: () => Promise.resolve([]) }

it("a name look-up reads the name servers again after one is silent, and keeps those that answer", async () => {
  const networks = [silent, answering]
  let read = 0
  const resolve = resolverOf(() => networks[read++]!)
  const both = await Promise.allSettled([resolve("ntfy.test"), resolve("chat.test")])
  expect(both.map(({ status }) => status)).toStrictEqual(["rejected", "rejected"])
  for (let time = 0; time < 3; time++)
    expect(await resolve("ntfy.test")).toStrictEqual([{ address: "93.184.216.34", family: 4 }])
  expect(read).toBe(2)
})
