const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** The bytes as a big-endian number, in exactly this many base62 digits; higher digits are dropped. */
export const base62 = (bytes: Iterable<number>, length: number): string => {
  let rest = 0n
  for (const byte of bytes) rest = (rest << 8n) | BigInt(byte)
  let text = ""
  for (let at = 0; at < length; at++) {
    text = digits[Number(rest % 62n)]! + text
    rest /= 62n
  }
  return text
}
