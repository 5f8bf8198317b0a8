import { Config, ConfigProvider, Effect, Option } from "effect"
import type { Kind } from "./Kinds.ts"

export type Program = "lat-http" | "lat-mcp" | "lat"

export const everyProgram: ReadonlyArray<Program> = ["lat-http", "lat-mcp", "lat"]

/** A setting as `lat config` shows it. */
export interface SettingInForce {
  readonly name: string
  /** The value without secrets; null when there is none. */
  readonly value: string | null
  readonly source: "environment" | "default"
  readonly meaning: string
}

interface Documented {
  /** Name of the environment variable. */
  readonly name: string
  readonly meaning: string
  /** The programs that read it. */
  readonly programs: ReadonlyArray<Program>
  /** The default, as documented. */
  readonly otherwise: string
}

interface Declaration<A, D> extends Documented {
  readonly kind: Kind<A>
  /** A valid value, for the message of a refusal. */
  readonly example: string
  readonly default: Config.Config<D>
}

/** An environment variable. Reading an invalid value fails with the message of `refusal`. */
export interface Setting<A, D extends A | undefined = A> extends Documented {
  /** The value, or the default if none is set. */
  readonly config: Config.Config<A | D>
  /** The value if one is set; a blank variable counts as not set. */
  readonly given: Config.Config<Option.Option<A>>
  /**
   * Reads a text given in another way than by the variable; `as` is what precedes it in messages, such as `--port `.
   */
  readonly parse: (text: string, as: string) => Effect.Effect<A, Config.ConfigError>
  readonly inForce: Config.Config<SettingInForce>
}

/** A setting of any type. */
export type AnySetting = Documented & Pick<Setting<never, never>, "inForce">

export const setting = <A, D extends A | undefined>(declaration: Declaration<A, D>): Setting<A, D> => {
  const { kind, meaning, name, otherwise, programs } = declaration
  const parse = (text: string, as: string): Effect.Effect<A, Config.ConfigError> => {
    const value = kind.read(text)
    return value === undefined ? Effect.fail(refusal(declaration, text, as)) : Effect.succeed(value)
  }
  const given = Config.option(Config.String(name)).pipe(
    Config.map(Option.filter((text) => text.trim() !== "")),
    Config.mapEffect((text) =>
      Option.isNone(text) ? Effect.succeedNone : Effect.asSome(parse(text.value, `${name}=`))
    )
  )
  const show = (value: A | D): string | null => (value === undefined ? null : kind.show(value) || null)
  return {
    name,
    meaning,
    programs,
    otherwise,
    given,
    parse,
    config: Config.flatMap(given, (value): Config.Config<A | D> =>
      Option.isSome(value) ? Config.succeed(value.value) : declaration.default
    ),
    inForce: Config.flatMap(given, (value) =>
      Option.isSome(value)
        ? Config.succeed<SettingInForce>({ name, value: show(value.value), source: "environment", meaning })
        : Config.map(declaration.default, (other): SettingInForce => ({
            name,
            value: show(other),
            source: "default",
            meaning
          }))
    )
  }
}

const maxRepeatedLength = 80

/** The message for an invalid value: what it was given for, what is expected, what was sent, and an example. */
const refusal = <A, D>({ example, kind }: Declaration<A, D>, text: string, as: string): Config.ConfigError => {
  const repeated = (kind.repeat ?? String)(text).slice(0, maxRepeatedLength)
  const sent = kind.isSecret === true ? "" : `, not ${JSON.stringify(repeated)}`
  const wanted = typeof kind.wanted === "string" ? kind.wanted : kind.wanted(text)
  // A shell removes quotes, the file of a container does not. They are named here, since a secret is not repeated.
  const quotes = /^\s*["']/.test(text) ? ", without quotes around it" : ""
  const message = `${as.slice(0, -1)}: expected ${wanted}${quotes}${sent}, for instance ${as}${example}`
  return new Config.ConfigError(new ConfigProvider.SourceError({ message }))
}
