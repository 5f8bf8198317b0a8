import { Effect, Exit } from "effect"
import { type FileHandle, mkdir, open, rename, rm, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { Failure } from "./Failure.ts"

/** The names of what the process has open already. */
const descriptor = /^\/(?:dev\/(?:stdout|stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/

/** A device or a pipe, which a file of the same name must not replace: root could replace /dev/null. */
const isStream = async (path: string): Promise<boolean> => {
  if (descriptor.test(resolve(path))) return true
  const found = await stat(path).catch(() => undefined)
  return found !== undefined && !found.isFile() && !found.isDirectory()
}

interface Target {
  readonly file: FileHandle
  /** It has its final name already. */
  readonly isNamed: boolean
}

/**
 * Writes a file that only its owner can read, and makes the folders that it needs. It is renamed to its final name once
 * all of it is on disk; a failure leaves what was there before. What goes to a device or a pipe goes there as it comes.
 */
export const writeAtomically = <A, E>(
  path: string,
  fill: (append: (text: string) => Effect.Effect<void, Failure>) => Effect.Effect<A, E>
): Effect.Effect<A, E | Failure> => {
  const onDisk = <B>(step: () => Promise<B>) =>
    Effect.tryPromise({
      try: step,
      catch: (error) => new Failure(`${path} cannot be written: ${error instanceof Error ? error.message : error}`)
    })
  const temporary = `${path}.${process.pid}.part`
  const create = onDisk(async () => {
    if (await isStream(path)) return { file: await open(path, "w"), isNamed: true }
    await mkdir(dirname(path), { recursive: true })
    return { file: await open(temporary, "w", 0o600), isNamed: false }
  })
  const use = ({ file, isNamed }: Target) =>
    Effect.tap(
      fill((text) => onDisk(() => file.writeFile(text))),
      () => (isNamed ? Effect.void : onDisk(() => file.sync()))
    )
  const finish = ({ file, isNamed }: Target, exit: Exit.Exit<A, unknown>) =>
    onDisk(async () => {
      await file.close()
      if (isNamed) return
      await (Exit.isSuccess(exit) ? rename(temporary, path) : rm(temporary, { force: true }))
    })
  return Effect.acquireUseRelease(create, use, finish)
}
