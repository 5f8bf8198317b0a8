const hoursBehind = new Date().getUTCHours() - 12

/**
 * The zone in which this process began between 12:00 and 13:00: all requests of a test fall on one day there, and the
 * day has past and future times, whenever the test runs. It knows no daylight saving.
 */
export const middayZone = hoursBehind === 0 ? "UTC" : `Etc/GMT${hoursBehind > 0 ? "+" : ""}${hoursBehind}`

/** The present date there. */
export const middayToday = (): string => new Date().toLocaleDateString("sv-SE", { timeZone: middayZone })
