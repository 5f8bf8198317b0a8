/** One thing that `lat doctor` looked at. */
export interface Check {
  readonly name: string
  readonly state: "ok" | "warning" | "problem"
  readonly found: string
  /** What to do; null when all is well. */
  readonly advice: string | null
}

export const fine = (name: string, found: string): Check => ({ name, state: "ok", found, advice: null })
export const warning = (name: string, found: string, advice: string): Check => ({
  name,
  state: "warning",
  found,
  advice
})
export const problem = (name: string, found: string, advice: string): Check => ({
  name,
  state: "problem",
  found,
  advice
})
