/** How the reader of a message runs `lat`. The program sets it once, before it writes any message. */
let program = (): string => "lat"

/** `name` is asked for when a message needs it. */
export const runLatAs = (name: () => string): void => {
  program = name
}

/** A command as the reader can run it here: `npx lat db upgrade`. */
export const lat = (words: string): string => `${program()} ${words}`

/** The same on a page that strangers can read: without a path of this machine. */
export const latOnPage = (words: string): string => `${program().replace(/^node .*/, "lat")} ${words}`

/** The command that creates the first account, with an address to replace. */
export const createFirstAccount = (): string => lat("account create --email you@example.com")

/**
 * One of our texts with every `lat` command written as the reader can run it. In these texts, `lat` followed by a blank
 * always begins a command.
 */
export const withCommands = (text: string): string => text.replaceAll(/(?<![\w./~-])lat (?=[a-z])/g, `${program()} `)
