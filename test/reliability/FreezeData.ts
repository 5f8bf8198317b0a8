import { type Asked, ask, json } from "./Ask.ts"

type Call = (method: string, path: string, body?: unknown) => Promise<unknown>

/** Lists of the maximum size, each in another respect. */
export interface Largest {
  /** 20,000 short things with 12 MB of text together. */
  readonly many: string
  /** 2,000 things of 7,500 characters, full of markup. */
  readonly dense: string
  /** 20,000 things, of which each of the first 1,000 is a level deeper than the one before. */
  readonly nested: string
  /** 5,000 things with a repeating reminder. */
  readonly reminding: string
  /** 2,000 things with 50 tags each, of 100,000 different ones. */
  readonly tagged: string
  /** 5,000 linked copies of one thing. */
  readonly copies: string
  readonly original: string
  readonly copyIds: ReadonlyArray<string>
  /** 30 texts of 9,000 spaces. */
  readonly blank: string
}

export const counted = <A>(count: number, make: (at: number) => A): Array<A> =>
  Array.from({ length: count }, (_, at) => make(at))

export const markup =
  "**bold *and* [link](https://example.com/a_b) `code` ~~no~~ \\* <i> & _x_ #tag ![p](https://e.com/p.png)** "

/** `count` combining marks in the wrong order, which normalization has to sort. */
export const misordered = (count: number): string => "\u0345".repeat(count / 2) + "\u0334".repeat(count / 2)

/** Makes requests that must succeed, since a refused one takes no time. */
export const calls =
  (url: string, token: string): Call =>
  async (method, path, body) => {
    const asked: Asked = body === undefined ? { token } : { token, body }
    const answer = await ask(url, method, path, asked)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`)
    return answer.text === "" ? undefined : json<unknown>(answer)
  }

const inBatches = async (call: Call, listId: string, things: ReadonlyArray<object>) => {
  for (let from = 0; from < things.length; from += 500)
    await call("POST", "/things/bulk", { list_id: listId, items: things.slice(from, from + 500) })
}

const idsOf = async (call: Call, listId: string) => {
  const { things } = (await call("GET", `/lists/${listId}?max_text=1`)) as { things: ReadonlyArray<{ id: string }> }
  return things.map(({ id }) => id)
}

export const makeLargest = async (url: string, token: string): Promise<Largest> => {
  const call = calls(url, token)
  const newList = async (title: string, things: ReadonlyArray<object>) => {
    const { list } = (await call("POST", "/lists", { title })) as { list: { id: string } }
    await inBatches(call, list.id, things)
    return list.id
  }
  const filler = "some words that say nothing much, ".repeat(18)
  const dense = markup.repeat(75).slice(0, 7_500)
  const many = await newList(
    "many",
    counted(20_000, (at) => ({ text: `${at} ${filler}` }))
  )
  const nested = await newList(
    "nested",
    counted(20_000, (at) => ({ text: `level ${at}`, tabs: Math.min(at, 1_000) }))
  )
  const reminding = await newList(
    "reminding",
    counted(5_000, (at) => ({ text: `remind me ${at}` }))
  )
  const waiting = await idsOf(call, reminding)
  const remindAll = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop())
      await call("PUT", `/things/${id}/reminder`, { at: "2026-01-31T09:00", repeat: "monthly", every: 1 })
  }
  await Promise.all(counted(8, remindAll))
  const { thing } = (await call("POST", "/things", { list: "today", text: "the original" })) as {
    thing: { id: string }
  }
  const copies = await newList(
    "copies",
    counted(5_000, () => ({ clone_of: thing.id }))
  )
  return {
    many,
    nested,
    reminding,
    original: thing.id,
    copies,
    copyIds: await idsOf(call, copies),
    dense: await newList(
      "dense",
      counted(2_000, (at) => ({ text: `${at} ${dense}` }))
    ),
    tagged: await newList(
      "tagged",
      counted(2_000, (at) => ({ text: `tagged ${at}`, tags: counted(50, (tag) => `tag ${at} ${tag}`) }))
    ),
    blank: await newList(
      "blank",
      counted(30, () => ({ text: `x${" ".repeat(9_000)}x` }))
    )
  }
}
