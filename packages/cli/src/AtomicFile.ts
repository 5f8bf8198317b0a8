import { Effect, Exit } from "effect"
import { type FileHandle, mkdir, open, rename, rm } from "node:fs/promises"
import { dirname } from "node:path"
import { Failure } from "./Failure.ts"

/**
 * Writes a file that only its owner can read, and makes the folders that it needs. It is renamed to its final name once
 * all of it is on disk; a failure leaves what was there before.
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
    await mkdir(dirname(path), { recursive: true })
    return open(temporary, "w", 0o600)
  })
  const use = (file: FileHandle) =>
    Effect.tap(
      fill((text) => onDisk(async () => void (await file.write(text)))),
      () => onDisk(() => file.sync())
    )
  const finish = (file: FileHandle, exit: Exit.Exit<A, unknown>) =>
    onDisk(async () => {
      await file.close()
      await (Exit.isSuccess(exit) ? rename(temporary, path) : rm(temporary, { force: true }))
    })
  return Effect.acquireUseRelease(create, use, finish)
}
