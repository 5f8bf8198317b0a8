import * as Crypto from "node:crypto"

/** The first 128 bits of a text's SHA-256, formatted as a UUID: indexes compare it in place of a long text. */
export const digest = (text: string): string => {
  const hex = Crypto.hash("sha256", text, "hex")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}

/** By this the texts of things are compared with each other. */
export const textHash = (text: string): string => digest(text.trim())
