/**
 * `npm run bench:peers`: the same work by this product and by others of its kind that are installed, alternately in one
 * run, as a table of answers per second. `--install` installs parse-server among temporary files first; Radicale is
 * Debian's package. `--seconds=N` and `--rounds=N` as in `bench/run.ts`.
 */
import { startTestPostgres } from "@lists-and-things/storage-pg/testing/TestServer"
import { Redacted } from "effect"
import { measure } from "../Load.ts"
import { startProduct } from "../Processes.ts"
import { median } from "../Rows.ts"
import { fillDatabase } from "../FilledDatabase.ts"
import { hasParseServer, installParseServer, setUpParseServer } from "./ParseServer.ts"
import { setUpProduct } from "./Product.ts"
import { hasRadicale, setUpRadicale } from "./Radicale.ts"
import { checkOnce, type Side, type Work, works } from "./Side.ts"

const option = (name: string, otherwise: number): number =>
  Number(process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split("=")[1] ?? otherwise)
const [seconds, rounds] = [option("seconds", 3), option("rounds", 5)]
const connections = 8

const say = (text: string): void => void process.stderr.write(`${text}\n`)

/** Median answers per second of each side over the rounds; undefined for a side with a failed request. */
const alternate = async (sides: ReadonlyArray<Side>, work: Work): Promise<ReadonlyArray<number | undefined>> => {
  const rates = sides.map((): Array<number> => [])
  const failed = new Set<number>()
  for (let round = 0; round <= rounds; round++)
    for (const [at, { tasks, url }] of sides.entries()) {
      if (failed.has(at)) continue
      const { method, path, requests } = tasks[work]
      const measured = await measure({ url, method, path, requests, connections, seconds })
      if (measured.failed > 0 || measured.perSecond === 0) failed.add(at)
      if (round > 0) rates[at]!.push(measured.perSecond)
    }
  return rates.map((own, at) => (failed.has(at) ? undefined : median(own)))
}

const shown = (rate: number | undefined, ours: number | undefined, at: number): string => {
  if (rate === undefined) return "failed"
  const perSecond = `${rate < 10 ? rate.toFixed(1) : rate.toFixed(0)}/s`
  return at === 0 || ours === undefined ? perSecond : `${perSecond} (${(ours / rate).toFixed(1)})`
}

if (process.argv.includes("--install")) installParseServer()
const postgres = await startTestPostgres({ version: 18, settings: ["shared_buffers=512MB"] })
const sides: Array<Side> = []
try {
  say("Setting up …")
  const filled = await fillDatabase(postgres, "product", 1_000)
  sides.push(await setUpProduct(await startProduct(filled.databaseUrl), filled.writers[0]!))
  if (hasParseServer()) sides.push(await setUpParseServer(Redacted.value(await postgres.createDatabase("parse"))))
  else say("Without parse-server: repeat with --install")
  if (hasRadicale()) sides.push(await setUpRadicale())
  else say("Without Radicale: apt-get install radicale")
  console.log(`| work | ${sides.map(({ name }) => name).join(" | ")} |\n|---|${"---|".repeat(sides.length)}`)
  for (const work of works) {
    say(`${work} …`)
    for (const side of sides) await checkOnce(side, work)
    const rates = await alternate(sides, work)
    console.log(`| ${work} | ${rates.map((rate, at) => shown(rate, rates[0], at)).join(" | ")} |`)
  }
} finally {
  for (const side of sides) await side.stop()
  await postgres.stop()
}
