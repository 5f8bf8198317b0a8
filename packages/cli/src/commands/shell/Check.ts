/** The result of one check of `lat doctor`. */
export interface Check {
  readonly name: string
  readonly state: "ok" | "warning" | "problem"
  readonly found: string
  /** How to fix the problem; null when there is none. */
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
