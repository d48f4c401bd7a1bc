import { isJson } from '../../../shared/json/inspection.ts'
import { findStringEnd } from '../../../shared/json/token-cursor.ts'

export type Variables = Readonly<Record<string, string>>

/** A text with its variables filled in, or the names of those that have no value. */
export type FilledText = { readonly text: string } | { readonly missing: readonly string[] }

/** `{{name}}`, or with a backslash before it, which keeps it as it is. */
const reference = /(\\?)\{\{(\w{1,60})\}\}/g

/** The variables that a text names. */
export const findVariables = (text: string): readonly string[] => [
  ...new Set([...text.matchAll(reference)].flatMap(([, escape, name = '']) => (escape ? [] : [name]))),
]

const missingIn = (text: string, variables: Variables): readonly string[] =>
  findVariables(text).filter((name) => !Object.hasOwn(variables, name))

/** One pass: a value that looks like a reference is not filled in again. */
const replaced = (text: string, value: (name: string) => string): string =>
  text.replace(reference, (all, escape: string, name: string) => (escape ? all.slice(1) : value(name)))

/** Fills in a path: values are percent-encoded, so that none leads out of its segment or parameter. */
export function fillPath(path: string, variables: Variables): FilledText {
  const missing = missingIn(path, variables)
  if (missing.length > 0) return { missing }
  return { text: replaced(path, (name) => encodeURIComponent(variables[name] ?? '')) }
}

/**
 * Fills in JSON text. Inside a string a value is text, whatever characters it has. Outside one it is JSON if it can be (`5`, `true`,
 * `["a"]`), otherwise a string of its own.
 */
export function fillJson(json: string, variables: Variables): FilledText {
  const missing = missingIn(json, variables)
  if (missing.length > 0) return { missing }
  let text = ''
  let from = 0
  while (from < json.length) {
    const quote = json.indexOf('"', from)
    const until = quote < 0 ? json.length : quote
    text += replaced(json.slice(from, until), (name) => asJson(variables[name] ?? ''))
    if (quote < 0) break
    const end = Math.min(findStringEnd(json, quote) + 1, json.length)
    text += replaced(json.slice(quote, end), (name) => JSON.stringify(variables[name] ?? '').slice(1, -1))
    from = end
  }
  return { text }
}

const asJson = (value: string): string => (isJson(value) ? value : JSON.stringify(value))
