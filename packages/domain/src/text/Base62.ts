const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** The number that the bytes spell (big-endian), in exactly so many base62 digits; what does not fit is cut off. */
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
