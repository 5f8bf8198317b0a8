import type { Load } from "../Load.ts"

export const works = ["read one", "read a list of 100", "search", "add", "complete"] as const
export type Work = (typeof works)[number]

/** A request of one account; `shows` is how often `marker` must occur in its answer at least. */
interface Task extends Pick<Load, "method" | "path" | "requests"> {
  readonly shows: number
}

/** A product with its data, and the request for each kind of work. */
export interface Side {
  readonly name: string
  readonly url: string
  readonly tasks: Readonly<Record<Work, Task>>
  readonly stop: () => Promise<void>
}

/** Occurs in the text of every thing. */
const marker = "at the corner shop"

export const textOf = (n: number | string): string => `Pick up parcel number ${n} ${marker}`

/** Number of things that a search goes through; one of them contains `wanted`. */
export const searched = 2_000
export const wanted = "number 1234"

export const numbers = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, n) => n)

/** Does the work once; throws if the answer is an error or shows fewer things than it must. */
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
