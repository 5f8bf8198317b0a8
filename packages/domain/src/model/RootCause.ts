/**
 * What is behind an error, which is the most specific, such as a refused connection; the error itself where nothing is.
 * A host with several addresses fails with one error for each: it is the first.
 */
export const rootCause = (error: unknown): unknown => {
  let at = error
  for (;;) {
    const behind: unknown = at instanceof AggregateError ? at.errors[0] : at instanceof Error ? at.cause : undefined
    if (!(behind instanceof Error) || behind === at) return at
    at = behind
  }
}

/** What the root cause says, whatever was thrown. */
export const rootReason = (error: unknown): string => {
  const root = rootCause(error)
  return root instanceof Error && root.message !== "" ? root.message : String(root)
}
