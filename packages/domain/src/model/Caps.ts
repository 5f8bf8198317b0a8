/** Limits on a request, a field or an answer, inclusive; characters are code points (docs/decisions.md#caps). */
export const caps = {
  text: 10_000,
  note: 1_000_000,
  markdown: 1_000_000,
  /** Things in one markdown document. */
  documentThings: 20_000,
  title: 1_000,
  /** Of an account, a key or a program. */
  name: 200,
  emoji: 100,
  tag: 100,
  tags: 50,
  url: 8_192,
  photos: 10,
  items: 500,
  tabs: 1_000,
  webhookUrl: 2_000,
  /** Minutes of a span or a notice: a year of 365 days. */
  minutes: 525_600,
  /** Units of `repeat` from one occurrence of a reminder to the next. */
  every: 999,
  /** Lists, and things, in one search result. */
  searchResults: 50
} as const
