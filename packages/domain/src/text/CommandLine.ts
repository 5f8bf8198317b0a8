/** How the reader of a message runs `lat`. The program says so once, before it says anything else. */
let program = (): string => "lat"

/** `name` is asked for when a message needs it. */
export const runLatAs = (name: () => string): void => {
  program = name
}

/** A command as the reader can run it here: `npx lat db upgrade`. */
export const lat = (words: string): string => `${program()} ${words}`

/** The same on a page that strangers can read: without a path of this machine. */
export const latOnPage = (words: string): string => `${program().replace(/^node .*/, "lat")} ${words}`

/** A text of ours with every command in it as the reader can run it; there `lat` and a blank begin nothing else. */
export const withCommands = (text: string): string => text.replaceAll(/(?<![\w./~-])lat (?=[a-z])/g, `${program()} `)
