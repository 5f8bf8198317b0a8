import { type Html, html } from "./Html.ts"

/** Fields in which people type texts, with their labels. Never a password. */
export const typedLabels = {
  markdown: "Lines",
  title: "Title",
  emoji: "Emoji",
  text: "Text",
  note: "Note",
  tags: "Tags",
  url: "Link",
  photos: "Photos",
  name: "Name",
  description: "Description",
  list: "List",
  day: "Day",
  time: "Time",
  until: "Until"
} as const

/** What was typed in a form that had no effect, so that it can be copied; undefined for a form without such texts. */
export const typedHtml = (fields: URLSearchParams): Html | undefined => {
  const typed = Object.entries(typedLabels)
    .map(([name, label]) => ({ name, label, value: fields.get(name) ?? "" }))
    .filter(({ value }) => value.trim() !== "")
  return typed.length === 0
    ? undefined
    : html`${typed.map(
        ({ label, name, value }) =>
          html`<p class="field"><label for="${name}">${label}</label><textarea id="${name}" readonly>${"\n"}${value}</textarea></p>`
      )}`
}
