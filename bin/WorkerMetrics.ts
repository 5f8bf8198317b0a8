import cluster, { type Worker } from "node:cluster"
import { Predicate } from "effect"

/** Messages between the processes of a server: a request for metrics, and the page. */
interface Question {
  readonly ask: "own" | "all"
  readonly number: number
}

interface Answer {
  readonly answers: number
  readonly page: string
}

/** Milliseconds after which a worker that does not answer is left out. */
const answerWithin = 2_000

const isQuestion = (message: unknown): message is Question => Predicate.hasProperty(message, "ask")
const isAnswer = (message: unknown): message is Answer => Predicate.hasProperty(message, "answers")

type Peer = Pick<NodeJS.Process, "send" | "on" | "off"> | Worker

let requests = 0

const ask = (peer: Peer, what: Question["ask"]): Promise<string | undefined> =>
  new Promise((resolve) => {
    const number = requests++
    const end = (page: string | undefined): void => {
      clearTimeout(timer)
      peer.off("message", listen)
      resolve(page)
    }
    const listen = (message: unknown): void => {
      if (isAnswer(message) && message.answers === number) end(message.page)
    }
    const timer = setTimeout(() => end(undefined), answerWithin)
    peer.on("message", listen)
    ;(peer.send as (message: Question) => unknown)({ ask: what, number })
  })

const answerWith = (peer: Peer, page: (what: Question["ask"]) => Promise<string>): void => {
  peer.on("message", (message: unknown) => {
    if (!isQuestion(message)) return
    void page(message.ask).then((text) =>
      (peer.send as (message: Answer) => unknown)({ answers: message.number, page: text })
    )
  })
}

/** In the supervisor: the page of each worker by its id, without those that do not answer in time. */
export const pagesOfWorkers = async (): Promise<ReadonlyMap<string, string>> => {
  const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected() === true)
  const pages = await Promise.all(
    workers.map(async (worker) => [String(worker!.id), await ask(worker!, "own")] as const)
  )
  return new Map(pages.flatMap(([id, page]) => (page === undefined ? [] : [[id, page] as const])))
}

/** In the supervisor: answers a worker's requests for the page of all workers. */
export const answerWorker = (worker: Worker, all: () => Promise<string>): void => answerWith(worker, all)

/**
 * In a worker: answers requests for its own page; returns a function that gets the page of all workers, empty if the
 * supervisor does not answer in time.
 */
export const exchangePages = (own: () => Promise<string>): (() => Promise<string>) => {
  answerWith(process, own)
  return async () => (await ask(process, "all")) ?? ""
}
