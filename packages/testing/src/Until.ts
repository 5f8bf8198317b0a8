/** Timeout for a condition that never becomes true, in milliseconds; generous, since machines can be slow. */
const netMillis = 90_000
const stepMillis = 10

/** Polls until a state of another process is reached, for which there is no notification. */
export const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (let waited = 0; !(await holds()); waited += stepMillis) {
    if (waited > netMillis) throw new Error(`It never came: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, stepMillis))
  }
}
