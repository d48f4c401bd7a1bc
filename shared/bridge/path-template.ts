const placeholder = /\{[^{}]+\}/g

/** A path template as a pattern for whole paths without a query; its groups are the values of the placeholders, as they are written. */
export const templatePattern = (template: string): RegExp =>
  new RegExp(
    `^${template
      .split(placeholder)
      .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('([^/]+)')}$`,
  )

/** Names of the placeholders of a template, in order. */
export const placeholdersIn = (template: string): readonly string[] =>
  [...template.matchAll(placeholder)].map(([name]) => name.slice(1, -1))

/** How much of a template is text: of several that fit a path, the one with the most of it is meant. */
export const literalLength = (template: string): number => template.replace(placeholder, '').length

/** A percent-encoded text as a person writes it; unchanged if it is not well formed. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
