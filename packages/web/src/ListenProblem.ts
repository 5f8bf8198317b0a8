const codeOf = (cause: unknown): string | undefined =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : undefined

/** Why an address cannot be bound, and what to do about it. `variable` is the setting of the port. */
export const listenProblem = (
  variable: string,
  { host, port }: { readonly host: string; readonly port: number },
  cause: unknown
): string => {
  const [where, code] = [`${host}:${port}`, codeOf(cause)]
  if (code === "EADDRINUSE")
    return `Cannot listen on ${where}: another program does, perhaps an earlier start of this one. Stop it, or choose a port that is free: ${variable}=${port + 1}, or ${variable}=0 for any`
  if (code === "EACCES")
    return `Cannot listen on ${where}: ports below 1024 are the system's. Choose a higher one: ${variable}=${3000 + (port % 1000)}`
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND" || code === "EINVAL")
    return `Cannot listen on ${where}: this machine has no such address. Choose another one: HOST=127.0.0.1 for this machine alone, HOST=0.0.0.0 for all networks`
  return `Cannot listen on ${where}: ${cause instanceof Error ? cause.message : String(cause)}`
}
