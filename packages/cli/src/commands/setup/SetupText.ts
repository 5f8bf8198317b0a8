import { createFirstAccount, lat } from "@lists-and-things/domain/text/CommandLine"
import { spanText } from "@lists-and-things/domain/days/ClockSkew"
import { assistantNames, latMcpPath, type Programs, shellQuoted, serverName } from "./Programs.ts"

/** How a person signs in to the pages. */
export type SigningIn =
  | { readonly _tag: "Password"; readonly email: string }
  | { readonly _tag: "Link"; readonly email: string; readonly url: string; readonly lifetime: number }
  /** The person is asked for a password next. */
  | { readonly _tag: "Asked" }
  | { readonly _tag: "NoAccount" }
  /** There are several accounts; `without` are the emails of those without a password. */
  | { readonly _tag: "Several"; readonly without: ReadonlyArray<string> }

/** What a person needs to know to use an installation. */
export interface Setup {
  readonly siteUrl: string
  readonly signingIn: SigningIn
  /** The account that a command has to name, since there are several: an email, or `EMAIL` where none is chosen. */
  readonly account?: string
  /** The command that connects Claude Code, as one line. */
  readonly assistant: string
  /** The address of the calendar feed, or how to get it. */
  readonly feed: string
  /** Whether commands reach the data. */
  readonly isShared: boolean
  /** Lines about a key that was just created. */
  readonly key?: ReadonlyArray<Line>
  readonly data: string
  /** How to stop the server, or to start it. */
  readonly run: Line
}

export type Line = readonly [name: string, text: string]

/** All except Claude Code, whose command is shown. */
const otherAssistants = assistantNames.filter((name) => name !== "claude-code")

/** Lines of a name and a text. */
export const setupText = (setup: Setup): string =>
  [
    ...signingInLines(setup),
    ["Assistant", setup.assistant] as const,
    ...(setup.isShared
      ? [["", `others: ${latOf(setup, "setup --assistant NAME")} (${otherAssistants.join(", ")})`] as const]
      : []),
    ["Calendar", setup.feed] as const,
    ...(setup.key ?? []),
    ["Data", setup.data] as const,
    setup.run
  ]
    .map(([name, text]) => `  ${name.padEnd(9)}  ${text}\n`)
    .join("")

const latOf = ({ account }: Setup, command: string): string =>
  lat(account === undefined ? command : `${command} --account ${shellQuoted(account)}`)

const signingInLines = (setup: Setup): ReadonlyArray<Line> => {
  const { isShared, signingIn, siteUrl } = setup
  switch (signingIn._tag) {
    case "Password":
      return [
        ["Sign in", `${siteUrl} as ${signingIn.email}`],
        ["", `forgot the password? A new one: ${lat(`account set ${signingIn.email} --password-stdin`)}`]
      ]
    case "Link":
      return [
        ["Sign in", signingIn.url],
        ["", `choose a password there for ${signingIn.email}; it works once, within ${spanText(signingIn.lifetime)}`],
        ...(isShared ? [["", `a new link: ${latOf(setup, "setup")}`] as const] : [])
      ]
    case "Asked":
      return []
    case "NoAccount":
      return [["Sign in", `there is no account yet: ${createFirstAccount()}`]]
    case "Several":
      return [
        ["Sign in", siteUrl],
        ...(signingIn.without.length === 0
          ? []
          : [["", `no password yet: ${signingIn.without.join(", ")}; a link: ${latOf(setup, "setup")}`] as const])
      ]
  }
}

/** The command that adds the tools to Claude Code; it works in any folder. */
export const assistantCommand = (
  programs: Programs,
  options: ReadonlyArray<string>,
  variables: Readonly<Record<string, string>>
): string =>
  [
    "claude mcp add",
    serverName,
    "--scope user",
    ...Object.entries(variables).map(([name, value]) => `--env ${shellQuoted(`${name}=${value}`)}`),
    "-- node",
    ...[latMcpPath(programs), ...options].map(shellQuoted)
  ].join(" ")

export interface KeyShown {
  readonly token: string
  /** The file that holds the key; undefined if the key itself is shown. */
  readonly path: string | undefined
}

export const keyLines = (siteUrl: string, { path, token }: KeyShown): ReadonlyArray<Line> => {
  const header = path === undefined ? quotedHeader(token) : `"Authorization: Bearer $(cat ${shellQuoted(path)})"`
  return [
    ["API key", path === undefined ? `${token} (shown this once)` : `in ${path} (readable by you alone)`],
    ["Try it", `curl -H ${header} ${siteUrl}/api/v1/today`]
  ]
}

const quotedHeader = (token: string): string => `'Authorization: Bearer ${token}'`

export const zoneText = (email: string, timezone: string, isShared: boolean): string => {
  const made = `This is the first start, so there is an account now: ${email}, in the time zone ${timezone}`
  return isShared
    ? `${made}\n(another one: ${lat(`account set ${email} --timezone Europe/Vienna`)}).\n\n`
    : `${made}.\n\n`
}
