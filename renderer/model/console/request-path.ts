import type { FormValues } from '../forms/command-draft.ts'
import { createFormFields, type FormField } from '../forms/form-fields.ts'
import { type CallTarget, type CallMatch, splitPath, type SplitPath } from '../../../shared/bridge/call-target.ts'
import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'

function joined({ path: bare, pairs }: SplitPath): string {
  const query = pairs.map(([name, value]) => (value === null ? name : `${name}=${value}`)).join('&')
  return query === '' ? bare : `${bare}?${query}`
}

/** Percent-encodes a value; `{{variables}}` in it stay. */
export const encodeSegment = (text: string): string =>
  text
    .split(/(\{\{\w{1,60}\}\})/)
    .map((part, at) => (at % 2 === 1 ? part : encodeURIComponent(part)))
    .join('')

/** The path that a choice begins with: its template, and the query that the host wrote into it. */
export const getInitialPath = ({ path, row }: CallTarget): string =>
  joined({
    path: path,
    pairs: row.parameters.flatMap(({ name, in: where, default: own }) =>
      where === 'query' && row.acceptsAnyQuery && own !== undefined
        ? [[name, encodeSegment(String(own))] as const]
        : [],
    ),
  })

/** The fields of path and query. */
export const getPathFields = ({ target: callable }: CallMatch): readonly FormField[] =>
  createFormFields(callable.row).filter((field) => field.in !== 'body')

/** What a path says of its fields, decoded; a placeholder that is still there says nothing. */
export function parsePathValues(match: CallMatch, path: string): FormValues {
  const { pairs } = splitPath(path)
  const values: Record<string, string> = {}
  for (const [name, raw] of Object.entries(match.rawParameters))
    values[name] = isPlaceholder(raw) ? '' : decodePercent(raw)
  const fields = getPathFields(match)
  const named = new Set(fields.flatMap((field) => (field.in === 'query' && field.type !== 'pairs' ? [field.name] : [])))
  const rest: string[] = []
  for (const [rawName, raw] of pairs) {
    const name = decodePercent(rawName)
    if (!named.has(name)) rest.push(`${name}=${decodePercent(raw ?? '')}`)
    // Of a name that is repeated the first one is shown, and the others stay where they are.
    else if (!Object.hasOwn(values, name)) values[name] = decodePercent(raw ?? '')
  }
  const pairsField = fields.find(({ type }) => type === 'pairs')
  if (pairsField) values[pairsField.name] = rest.join('\n')
  return values
}

const isPlaceholder = (raw: string): boolean => /^\{[^{}]+\}$/.test(raw)

/** The path with one field changed; the rest stays as it was typed. An empty value takes a parameter away. */
export function setPathValue(match: CallMatch, path: string, field: FormField, text: string): string {
  const { path: bare, pairs } = splitPath(path)
  if (field.in === 'path') return joined({ path: withSegment(match, field.name, text), pairs })
  if (field.type === 'pairs') {
    const named = new Set(getPathFields(match).flatMap(({ name, in: where }) => (where === 'query' ? [name] : [])))
    const kept = pairs.filter(([name]) => named.has(decodePercent(name)))
    return joined({ path: bare, pairs: [...kept, ...pairsIn(text)] })
  }
  const at = pairs.findIndex(([name]) => decodePercent(name) === field.name)
  const own = text === '' && !field.canBeEmpty ? [] : [[encodeSegment(field.name), encodeSegment(text)] as const]
  const next = at < 0 ? [...pairs, ...own] : [...pairs.slice(0, at), ...own, ...pairs.slice(at + 1)]
  return joined({ path: bare, pairs: next })
}

function withSegment({ target: callable, rawParameters: raw }: CallMatch, name: string, text: string): string {
  const names = Object.keys(raw)
  let at = -1
  return callable.path.replace(/\{[^{}]+\}/g, (placeholder) => {
    at += 1
    const own = names[at] ?? ''
    const value = own === name ? encodeSegment(text) : (raw[own] ?? '')
    return value === '' ? placeholder : value
  })
}

const pairsIn = (text: string): (readonly [string, string])[] =>
  text.split('\n').flatMap((line) => {
    const is = line.indexOf('=')
    const name = (is < 0 ? line : line.slice(0, is)).trim()
    return name === '' ? [] : [[encodeSegment(name), encodeSegment(is < 0 ? '' : line.slice(is + 1))] as const]
  })
