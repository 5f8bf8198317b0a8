// Old JavaScript without imports: runs on every Node with modules and top-level await.

/** The oldest version that can launch the programs, which then run on a Node of their own. */
const oldest = 18

/** Exits with advice if this Node is too old. Called before anything that needs a newer one. */
export const refuseOldNode = () => {
  if (Number(process.versions.node.split(".")[0]) >= oldest) return
  process.stderr.write(
    "Lists and Things starts with Node.js 20 or newer, and this is " +
      process.versions.node +
      ". Install a newer one, from https://nodejs.org or with a version manager ('nvm install --lts'), and try again.\n"
  )
  process.exit(1)
}
