import { timeOfDay, utcDate } from "./Zone.ts"

export const monthNames = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December"
] as const

/** Months since the year 0. */
export const monthOf = (wall: number): number => {
  const date = new Date(wall)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** The same day and time in a later month, or its last day if the month is too short. */
export const addMonths = (wall: number, months: number): number => {
  const date = new Date(wall)
  const month = monthOf(wall) + months
  const [year, inYear] = [Math.floor(month / 12), (month % 12) + 1]
  const last = new Date(utcDate(year, inYear + 1, 0)).getUTCDate()
  return utcDate(year, inYear, Math.min(date.getUTCDate(), last)) + timeOfDay(wall)
}
