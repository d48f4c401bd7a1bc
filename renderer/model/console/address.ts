import type { FormValues } from '../forms/command.ts'
import { fieldsOf, type Field } from '../forms/fields.ts'
import { type Callable, type Match, partsOf, type PathParts } from '../../../shared/bridge/callable.ts'
import { decoded } from '../../../shared/bridge/endpoints/path-template.ts'

function joined({ bare, pairs }: PathParts): string {
  const query = pairs.map(([name, value]) => (value === null ? name : `${name}=${value}`)).join('&')
  return query === '' ? bare : `${bare}?${query}`
}

/** Percent-encodes a value; `{{variables}}` in it stay. */
export const encoded = (text: string): string =>
  text
    .split(/(\{\{\w{1,60}\}\})/)
    .map((part, at) => (at % 2 === 1 ? part : encodeURIComponent(part)))
    .join('')

/** The path that a choice begins with: its template, and the query that the host wrote into it. */
export const startPath = ({ path, row }: Callable): string =>
  joined({
    bare: path,
    pairs: row.parameters.flatMap(({ name, in: where, default: own }) =>
      where === 'query' && row.anyQuery && own !== undefined ? [[name, encoded(String(own))] as const] : [],
    ),
  })

/** The fields of path and query. */
export const addressFields = ({ callable }: Match): readonly Field[] =>
  fieldsOf(callable.row).filter((field) => field.in !== 'body')

/** What a path says of its fields, decoded; a placeholder that is still there says nothing. */
export function addressValues(match: Match, path: string): FormValues {
  const { pairs } = partsOf(path)
  const values: Record<string, string> = {}
  for (const [name, raw] of Object.entries(match.raw)) values[name] = isPlaceholder(raw) ? '' : decoded(raw)
  const fields = addressFields(match)
  const named = new Set(fields.flatMap((field) => (field.in === 'query' && field.type !== 'pairs' ? [field.name] : [])))
  const rest: string[] = []
  for (const [rawName, raw] of pairs) {
    const name = decoded(rawName)
    if (!named.has(name)) rest.push(`${name}=${decoded(raw ?? '')}`)
    // Of a name that is repeated the first one is shown, and the others stay where they are.
    else if (!Object.hasOwn(values, name)) values[name] = decoded(raw ?? '')
  }
  const pairsField = fields.find(({ type }) => type === 'pairs')
  if (pairsField) values[pairsField.name] = rest.join('\n')
  return values
}

const isPlaceholder = (raw: string): boolean => /^\{[^{}]+\}$/.test(raw)

/** The path with one field changed; the rest stays as it was typed. An empty value takes a parameter away. */
export function withValue(match: Match, path: string, field: Field, text: string): string {
  const { bare, pairs } = partsOf(path)
  if (field.in === 'path') return joined({ bare: withSegment(match, field.name, text), pairs })
  if (field.type === 'pairs') {
    const named = new Set(addressFields(match).flatMap(({ name, in: where }) => (where === 'query' ? [name] : [])))
    const kept = pairs.filter(([name]) => named.has(decoded(name)))
    return joined({ bare, pairs: [...kept, ...pairsIn(text)] })
  }
  const at = pairs.findIndex(([name]) => decoded(name) === field.name)
  const own = text === '' && !field.mayBeEmpty ? [] : [[encoded(field.name), encoded(text)] as const]
  const next = at < 0 ? [...pairs, ...own] : [...pairs.slice(0, at), ...own, ...pairs.slice(at + 1)]
  return joined({ bare, pairs: next })
}

function withSegment({ callable, raw }: Match, name: string, text: string): string {
  const names = Object.keys(raw)
  let at = -1
  return callable.path.replace(/\{[^{}]+\}/g, (placeholder) => {
    at += 1
    const own = names[at] ?? ''
    const value = own === name ? encoded(text) : (raw[own] ?? '')
    return value === '' ? placeholder : value
  })
}

const pairsIn = (text: string): (readonly [string, string])[] =>
  text.split('\n').flatMap((line) => {
    const is = line.indexOf('=')
    const name = (is < 0 ? line : line.slice(0, is)).trim()
    return name === '' ? [] : [[encoded(name), encoded(is < 0 ? '' : line.slice(is + 1))] as const]
  })
