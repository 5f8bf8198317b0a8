/** A net for what never comes; machines are slow, so it is generous. */
const netMillis = 90_000
const stepMillis = 10

/** Waits for a state of another process, which nobody can be told of: asks again and again until it is there. */
export const until = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
  for (let waited = 0; !(await holds()); waited += stepMillis) {
    if (waited > netMillis) throw new Error(`It never came: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, stepMillis))
  }
}
