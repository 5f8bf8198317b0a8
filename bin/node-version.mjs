// Old JavaScript without imports: runs on every Node that knows modules and their waiting.

/** The oldest that starts the programs; they bring the one that they run on. */
const oldest = 18

/** Ends the process with a line of advice where this Node is too old; before anything that needs a newer one. */
export const refuseOldNode = () => {
  if (Number(process.versions.node.split(".")[0]) >= oldest) return
  process.stderr.write(
    "Lists and Things starts with Node.js 20 or newer, and this is " +
      process.versions.node +
      ". Install a newer one, from https://nodejs.org or with a version manager ('nvm install --lts'), and try again.\n"
  )
  process.exit(1)
}
