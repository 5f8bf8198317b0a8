import createClient from "openapi-fetch"
import type { components, paths } from "./contract.d.mts"

type Thing = components["schemas"]["Thing"]

/** A small program against the generated types: everything here is checked by the compiler. */
export const main = async (baseUrl: string, key: string): Promise<ReadonlyArray<string>> => {
  const client = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } })

  const made = await client.POST("/lists", { body: { title: "Groceries", things: [{ text: "Bread", type: "todo" }] } })
  if (made.error !== undefined) throw new Error(made.error.error)
  const id: string = made.data.list.id

  await client.POST("/things", {
    params: { header: { "Idempotency-Key": `butter-${id}` } },
    body: { list_id: id, text: "Butter", tags: ["#dairy"] }
  })
  const view = await client.GET("/lists/{id}", { params: { path: { id }, query: { max_text: 3 } } })
  const texts = (view.data?.things ?? []).map((thing: Thing) => thing.text)

  const page = await client.GET("/things", { params: { query: { list_id: id, completed: false, sort: "updated" } } })
  const first = page.data?.things[0]
  if (first !== undefined) {
    await client.PUT("/things/{id}/reminder", {
      params: { path: { id: first.id } },
      body: { at: "2099-01-01T09:00:00Z", days: ["mon", 5] }
    })
    const patched = await client.PATCH("/things/{id}", {
      params: { path: { id: first.id } },
      body: { completed: true }
    })
    const copy: string | undefined = patched.data?.repeating_reminder?.copy_id
    texts.push(copy === undefined ? "no copy" : "copied")
  }

  const patch: components["schemas"]["UpdateListInput"] = {
    favorited: true,
    // @ts-expect-error a list has no such field
    colour: "red"
  }
  await client.PATCH("/lists/{id}", { params: { path: { id } }, body: patch })
  // @ts-expect-error the query has one of these values
  await client.GET("/things", { params: { query: { sort: "random" } } })

  const removed = await client.DELETE("/lists/{id}", { params: { path: { id } } })
  texts.push(String(removed.data?.success))
  return texts
}
