import { parseArgs, type ParseArgsOptionsConfig } from "node:util"
import { Effect, Schema } from "effect"

/** Invalid command line of a program. */
export class WrongUsage extends Schema.TaggedError<WrongUsage>()("WrongUsage", { message: Schema.String }) {}

/** Parses a command line that consists only of options of these shapes. */
export const readOptions = <const Shapes extends ParseArgsOptionsConfig>(
  program: string,
  shapes: Shapes,
  words: ReadonlyArray<string>
) =>
  Effect.try({
    try: () => parseArgs({ args: [...words], options: shapes, strict: true, allowPositionals: false }).values,
    catch: (error) =>
      new WrongUsage({
        message: `${error instanceof Error ? error.message : String(error)} (${program} --help shows its options)`
      })
  })
