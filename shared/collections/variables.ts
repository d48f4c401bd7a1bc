import { isValidJsonText } from '../json/inspection.ts'
import { isObject } from '../json/object.ts'
import { findStringEnd } from '../json/token-cursor.ts'

export type Variables = Readonly<Record<string, string>>

/** `missing` has the names of the variables without a value. */
export type FilledText = { readonly text: string } | { readonly missing: readonly string[] }

/** A reference is `{{name}}`. A backslash before the braces keeps them as text. */
const referencePattern = /(\\?)\{\{(\w{1,60})\}\}/g

export function findVariableNames(text: string): readonly string[] {
  return [...new Set([...text.matchAll(referencePattern)].flatMap(([, escape, name = '']) => (escape ? [] : [name])))]
}

const findMissing = (text: string, variables: Variables): readonly string[] =>
  findVariableNames(text).filter((name) => !Object.hasOwn(variables, name))

/** Replaces references in one pass: a value that looks like a reference is not replaced again. */
const replaceReferences = (text: string, getValue: (name: string) => string): string =>
  text.replace(referencePattern, (match, escape: string, name: string) => (escape ? match.slice(1) : getValue(name)))

/** Percent-encodes, so that no value can add a path segment or a query parameter. */
export function fillPathVariables(path: string, variables: Variables): FilledText {
  const missing = findMissing(path, variables)
  if (missing.length > 0) return { missing }
  return { text: replaceReferences(path, (name) => encodeURIComponent(variables[name] ?? '')) }
}

/** Fills variables into the strings of a JSON value, whatever the values contain. */
export function fillValueVariables(
  value: unknown,
  variables: Variables,
): { readonly value: unknown } | { readonly missing: readonly string[] } {
  const missing = new Set<string>()
  const fill = (part: unknown): unknown => {
    if (typeof part === 'string') {
      for (const name of findMissing(part, variables)) missing.add(name)
      return replaceReferences(part, (name) => variables[name] ?? '')
    }
    if (Array.isArray(part)) return part.map(fill)
    if (!isObject(part)) return part
    return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, fill(member)]))
  }
  const filled = fill(value)
  return missing.size > 0 ? { missing: [...missing] } : { value: filled }
}

/** Escapes what would be a reference in a text. */
export function escapeReferences(text: string): string {
  return text.replace(referencePattern, '\\$&')
}

/**
 * Inside a JSON string, a value is inserted as text. Outside a string, a value that parses as JSON
 * (`5`, `true`, `["a"]`) is inserted as JSON; other values become strings.
 */
export function fillJsonVariables(json: string, variables: Variables): FilledText {
  const missing = findMissing(json, variables)
  if (missing.length > 0) return { missing }
  let text = ''
  let position = 0
  while (position < json.length) {
    const quote = json.indexOf('"', position)
    const plainEnd = quote < 0 ? json.length : quote
    text += replaceReferences(json.slice(position, plainEnd), (name) => toJson(variables[name] ?? ''))
    if (quote < 0) break
    const end = Math.min(findStringEnd(json, quote) + 1, json.length)
    text += replaceReferences(json.slice(quote, end), (name) => JSON.stringify(variables[name] ?? '').slice(1, -1))
    position = end
  }
  return { text }
}

const toJson = (value: string): string => (isValidJsonText(value) ? value : JSON.stringify(value))
