import { Html, html } from "./Html.ts"

/** Outlines on a grid of 24 units, drawn by the stylesheet with the color of the text. */
const outlines = {
  account: "M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4.5 20c.8-3.6 3.9-5.5 7.5-5.5s6.7 1.9 7.5 5.5",
  bell: "M6 16.5v-5.5a6 6 0 0 1 12 0v5.5l1.5 1.5h-15zM10 20.5a2 2 0 0 0 4 0",
  earlier: "M14.5 5.5 8 12l6.5 6.5",
  later: "M9.5 5.5 16 12l-6.5 6.5",
  lists: "M9 6h11M9 12h11M9 18h11M4.5 6h.01M4.5 12h.01M4.5 18h.01",
  search: "M11 4.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M20 20l-4.3-4.3",
  star: "m12 3.8 2.5 5.2 5.7.8-4.1 4 1 5.7-5.1-2.7-5.1 2.7 1-5.7-4.1-4 5.7-.8z",
  tag: "M4 4.5h7.5l8 8-7 7-8-8zM8.5 8.5h.01",
  today: "M5.5 5.5h13a1 1 0 0 1 1 1v12a1 1 0 0 1-1 1h-13a1 1 0 0 1-1-1v-12a1 1 0 0 1 1-1M4.5 10h15M8.5 3.5v4M15.5 3.5v4"
} as const

export type IconName = keyof typeof outlines

/** An icon beside a text with the same meaning; screen readers ignore it. */
export const icon = (name: IconName): Html =>
  html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="${outlines[name]}" /></svg>`

/** A dot in a color, set by an attribute of SVG, since the pages allow no inline styles. */
export const dot = (color: string): Html =>
  html`<svg class="dot" viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="5" fill="${color}" /></svg>`

/** The mark of the product: a tick in a rounded square. */
export const mark = new Html(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="15" fill="#0f6b62"/><path d="m18 33 9.5 9.5L46.5 22" fill="none" stroke="#fff" stroke-width="6.5" stroke-linecap="round" stroke-linejoin="round"/></svg>'
)
