/** Timeout for a condition that never becomes true, in milliseconds; generous, since machines can be slow. */
const netMillis = 300_000
/** Between two polls: short at first, then longer, since each costs the processes that are waited for. */
const stepAfter = (waited: number): number => Math.min(50, Math.max(10, waited / 40))

/** Polls until a state of another process is reached, for which there is no notification. */
export const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (let waited = 0; !(await holds());) {
    if (waited > netMillis) throw new Error(`It never came: ${what}`)
    const step = stepAfter(waited)
    await new Promise((resolve) => setTimeout(resolve, step))
    waited += step
  }
}
