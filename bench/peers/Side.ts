import type { Load } from "../Load.ts"

export const works = ["read one", "read a list of 100", "search", "add", "complete"] as const
export type Work = (typeof works)[number]

/** A request of one account, and how often its answer has `marker` in it. */
interface Task extends Pick<Load, "method" | "path" | "requests"> {
  readonly shows: number
}

/** A product that is set up with its data, and how it is asked to do each work. */
export interface Side {
  readonly name: string
  readonly url: string
  readonly tasks: Readonly<Record<Work, Task>>
  readonly stop: () => Promise<void>
}

/** In the text of every thing. */
const marker = "at the corner shop"

export const textOf = (n: number | string): string => `Pick up parcel number ${n} ${marker}`

/** How many things a search goes through; one of them has the text that it looks for. */
export const searched = 2_000
export const wanted = "number 1234"

export const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, n) => n)

/** Does the work once; fails where the answer is not what the work asks for. */
export const checkOnce = async ({ name, tasks, url }: Side, work: Work): Promise<void> => {
  const { method, path, requests, shows } = tasks[work]
  const [request] = requests
  const once = (text: string) => text.replaceAll("{n}", "once")
  const body = request?.bodies?.[0]
  const answer = await fetch(`${url}${once(request?.path ?? path)}`, {
    method,
    headers: { "content-type": "application/json", ...request?.headers },
    ...(body === undefined ? {} : { body: once(body) })
  })
  const text = await answer.text()
  const shown = text.split(marker).length - 1
  if (!answer.ok || shown < shows)
    throw new Error(`${name}, ${work}: ${answer.status} with ${shown} things for ${shows}: ${text.slice(0, 300)}`)
}
