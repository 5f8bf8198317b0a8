import { type Profiler, Session } from "node:inspector"

/**
 * Work as V8 counts it: how often each block of the markdown code ran, in the domain and in the parser. The count is
 * the same for the same input, whatever else the machine does.
 */
export const makeWork = () => {
  const session = new Session()
  session.connect()
  session.post("Profiler.enable")
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })

  const take = (): number => {
    let counted: Profiler.TakePreciseCoverageReturnType | undefined
    session.post("Profiler.takePreciseCoverage", (error, result) => {
      if (error !== null) throw error
      counted = result
    })
    let work = 0
    for (const { url, functions } of counted?.result ?? [])
      if (/domain\/src|markdown-it/.test(url))
        for (const { ranges } of functions) for (const { count } of ranges) work += count
    return work
  }

  return {
    of: (run: () => unknown): number => {
      take()
      run()
      return take()
    },
    end: () => session.disconnect()
  }
}
