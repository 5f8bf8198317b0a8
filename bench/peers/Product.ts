import { call, makeList } from "../PairRows.ts"
import type { Running } from "../Processes.ts"
import type { Owner } from "../FilledDatabase.ts"
import { numbers, searched, type Side, textOf, wanted } from "./Side.ts"

/** Sets up Lists and Things, with the things of one account in lists of 100. */
export const setUpProduct = async (server: Running, owner: Owner): Promise<Side> => {
  for (let first = 0; first < searched; first += 100) {
    const { value } = await call(server, owner, "/lists", { title: `Errands ${first}` })
    const items = numbers(100).map((n) => ({ text: textOf(first + n) }))
    await call(server, owner, "/things/bulk", { list_id: value.list.id, items })
  }
  const list = await makeList(server, owner, 100)
  const added = await makeList(server, owner, 1)
  const { value } = await call(server, owner, `/lists/${list}`)
  const things: ReadonlyArray<{ readonly id: string }> = value.things
  const headers = { authorization: `Bearer ${owner.key}` }
  const get = (path: string, shows: number) => ({
    method: "GET" as const,
    path: `/api/v1${path}`,
    requests: [{ headers }],
    shows
  })
  return {
    name: "Lists and Things",
    url: server.url,
    tasks: {
      "read one": get(`/things/${things[0]!.id}`, 1),
      "read a list of 100": get(`/lists/${list}`, 100),
      search: get(`/search?query=${encodeURIComponent(wanted)}`, 1),
      add: {
        method: "POST",
        path: "/api/v1/things",
        requests: [{ headers, bodies: [JSON.stringify({ list_id: added, text: textOf("{n}") })] }],
        shows: 1
      },
      complete: {
        method: "PATCH",
        path: "/",
        requests: things.slice(0, 8).map(({ id }) => ({
          headers,
          path: `/api/v1/things/${id}`,
          bodies: [true, false].map((completed) => JSON.stringify({ completed }))
        })),
        shows: 1
      }
    },
    stop: server.stop
  }
}
