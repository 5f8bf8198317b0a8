/** The format of a dump of a whole installation, which begins with it in a line of its own. */
export const dumpFormat = "lists-and-things dump"

/** Whether a file that begins with these bytes is packed by gzip, as exports and dumps are kept. */
export const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b
