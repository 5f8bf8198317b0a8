import { Effect, Exit } from "effect"
import { type FileHandle, open, rename, rm, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { Failure, reasonOf } from "./Failure.ts"
import { makeFolders } from "./Folders.ts"

/** Paths of open file descriptors of the process. */
const descriptor = /^\/(?:dev\/(?:stdout|stderr|fd\/\d+)|proc\/self\/fd\/\d+)$/

type Kind = "file" | "folder" | "stream"

/**
 * What is at a path; `file` if nothing is. A file must not replace a device or a pipe: root could replace /dev/null.
 */
const kindOf = async (path: string): Promise<Kind> => {
  if (descriptor.test(resolve(path))) return "stream"
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || found.isFile()) return "file"
  return found.isDirectory() ? "folder" : "stream"
}

interface Target {
  readonly file: FileHandle
  /** Written in place rather than under a temporary name. */
  readonly isNamed: boolean
}

/**
 * Writes a file that only its owner can read, and creates missing parent folders. The file is renamed to its final name
 * once it is completely on disk; a failure leaves an earlier file unchanged. Output to a device or a pipe is written
 * directly.
 */
export const writeAtomically = <A, E>(
  path: string,
  fill: (append: (text: string) => Effect.Effect<void, Failure>) => Effect.Effect<A, E>
): Effect.Effect<A, E | Failure> => {
  const onDisk = <B>(step: () => Promise<B>) =>
    Effect.tryPromise({
      try: step,
      catch: (error) => new Failure(`${path} cannot be written: ${reasonOf(error)}`)
    })
  const temporary = `${path}.${process.pid}.part`
  const create = onDisk(async () => {
    const kind = await kindOf(path)
    if (kind === "folder") throw new Error("it is a folder")
    if (kind === "stream") return { file: await open(path, "w"), isNamed: true }
    await makeFolders(dirname(path))
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
      if (Exit.isFailure(exit)) return rm(temporary, { force: true })
      try {
        await rename(temporary, path)
      } catch (error) {
        await rm(temporary, { force: true })
        throw error
      }
    })
  return Effect.acquireUseRelease(create, use, finish)
}
