import { refused } from '../errors.ts'

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

/** Names of the placeholders that are still in a path: it cannot be sent like that. */
export const openPlaceholders = (path: string): readonly string[] =>
  [...(path.split('?', 1)[0] ?? '').matchAll(/(?<!\{)\{([A-Za-z_]\w*)\}(?!\})/g)].map(([, name = '']) => name)

/** Throws `PARAM_MISSING` with the name of the first placeholder that is still in a path. */
export function assertFilled(path: string): void {
  const [name] = openPlaceholders(path)
  if (name === undefined) return
  throw refused('PARAM_MISSING', `{${name}} in the path stands for a value. Put one there. Nothing was sent.`, { name })
}
