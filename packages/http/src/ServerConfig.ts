import { Config, Schema } from "effect"
import { type Range, rangeOf } from "@lists-and-things/web/ClientAddress"

export interface ServerConfig {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  /** site_url, without a trailing slash. */
  readonly publicUrl: string
  /** Proxies whose `X-Forwarded-For` is trusted; none by default. */
  readonly trustedProxies: ReadonlyArray<Range>
}

const Port = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))

/** The entries of a comma-separated list. */
const entriesOf = (text: string): ReadonlyArray<string> =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")

const Ranges = Schema.String.check(
  Schema.makeFilter((text) => {
    const wrong = entriesOf(text).find((entry) => rangeOf(entry) === undefined)
    return wrong === undefined || `${JSON.stringify(wrong.slice(0, 80))} is no address or range such as 10.0.0.0/8`
  })
)

/** `LAT_TRUSTED_PROXIES`: addresses and ranges (CIDR) of IPv4 and IPv6, separated by commas. */
export const trustedProxies: Config.Config<ReadonlyArray<Range>> = Config.schema(Ranges, "LAT_TRUSTED_PROXIES").pipe(
  Config.withDefault(""),
  Config.map((text) => entriesOf(text).map((entry) => rangeOf(entry)!))
)

/** `PORT`, `HOST`, `PUBLIC_URL` (docs/decisions.md#names) and `LAT_TRUSTED_PROXIES`. */
export const serverConfig: Config.Config<ServerConfig> = Config.all({
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.schema(Port, "PORT").pipe(Config.withDefault(3000)),
  publicUrl: Config.String("PUBLIC_URL").pipe(Config.withDefault("")),
  trustedProxies
}).pipe(
  Config.map(({ host, port, publicUrl, trustedProxies }) => ({
    host,
    port,
    trustedProxies,
    publicUrl: publicUrl === "" ? `http://localhost:${port}` : publicUrl.replace(/(?<!\/)\/+$/, "")
  }))
)
