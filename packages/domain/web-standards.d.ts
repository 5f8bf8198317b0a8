/**
 * All that the domain uses of its host besides the language itself: parts of web standards, the same in Node, browsers
 * and workers. Only this folder's `tsconfig.json` reads it; elsewhere Node's own types apply.
 */

declare class URL {
  constructor(url: string, base?: string)
  static canParse(url: string): boolean
  static parse(url: string): URL | null
  readonly href: string
  readonly protocol: string
  readonly username: string
  readonly password: string
  readonly hostname: string
  readonly host: string
  readonly port: string
  readonly pathname: string
  readonly search: string
  readonly hash: string
}

declare class TextEncoder {
  encode(text: string): Uint8Array<ArrayBuffer>
}

declare class TextDecoder {
  constructor(label: string, options: { readonly fatal: boolean })
  decode(bytes: Uint8Array): string
}

declare const performance: {
  /** Milliseconds on a clock that never goes back. */
  now(): number
}
