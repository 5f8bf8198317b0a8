import { Config, Schema } from "effect"

export interface ServerConfig {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** site_url, without a slash at its end. */
  readonly publicUrl: string
}

const Port = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))

/** `PORT`, `HOST` and `PUBLIC_URL` (decisions 1). */
export const serverConfig: Config.Config<ServerConfig> = Config.all({
  host: Config.String("HOST").pipe(Config.withDefault("127.0.0.1")),
  port: Config.schema(Port, "PORT").pipe(Config.withDefault(3000)),
  publicUrl: Config.String("PUBLIC_URL").pipe(Config.withDefault(""))
}).pipe(
  Config.map(({ host, port, publicUrl }) => ({
    host,
    port,
    publicUrl: publicUrl === "" ? `http://localhost:${port}` : publicUrl.replace(/\/+$/, "")
  }))
)
