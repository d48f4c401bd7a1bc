import type { FormValues } from '../forms/command-draft.ts'
import { createFormFields, type FormField } from '../forms/form-fields.ts'
import { type CallTarget, type CallMatch, splitPath, type SplitPath } from '../../../shared/bridge/call-target.ts'
import { decodePercent } from '../../../shared/bridge/endpoints/path-template.ts'

function joinPath({ path, pairs }: SplitPath): string {
  const query = pairs.map(([name, value]) => (value === null ? name : `${name}=${value}`)).join('&')
  return query === '' ? path : `${path}?${query}`
}

/** Encodes a path segment, except for `{{variables}}`, which are filled in before sending. */
export function encodePathSegment(text: string): string {
  return text
    .split(/(\{\{\w{1,60}\}\})/)
    .map((part, index) => (index % 2 === 1 ? part : encodeURIComponent(part)))
    .join('')
}

/** The path template and the query parameters that the host lists. */
export function getInitialPath({ path, row }: CallTarget): string {
  return joinPath({
    path,
    pairs: row.parameters.flatMap(({ name, in: location, default: defaultValue }) =>
      location === 'query' && row.acceptsAnyQuery && defaultValue !== undefined
        ? [[name, encodePathSegment(String(defaultValue))] as const]
        : [],
    ),
  })
}

export function getPathFields({ target }: CallMatch): readonly FormField[] {
  return createFormFields(target.row).filter((field) => field.in !== 'body')
}

/** Decoded form values. A placeholder that is still in the path has no value. */
export function parsePathValues(match: CallMatch, path: string): FormValues {
  const { pairs } = splitPath(path)
  const values: Record<string, string> = {}
  for (const [name, raw] of Object.entries(match.rawParameters))
    values[name] = isPlaceholder(raw) ? '' : decodePercent(raw)
  const fields = getPathFields(match)
  const namedParameters = new Set(
    fields.flatMap((field) => (field.in === 'query' && field.type !== 'pairs' ? [field.name] : [])),
  )
  const otherLines: string[] = []
  for (const [rawName, raw] of pairs) {
    const name = decodePercent(rawName)
    if (!namedParameters.has(name)) otherLines.push(`${name}=${decodePercent(raw ?? '')}`)
    // If a name is repeated, the field shows the first value and the others stay in the path.
    else if (!Object.hasOwn(values, name)) values[name] = decodePercent(raw ?? '')
  }
  const pairsField = fields.find(({ type }) => type === 'pairs')
  if (pairsField) values[pairsField.name] = otherLines.join('\n')
  return values
}

export function isPlaceholder(segment: string): boolean {
  return /^\{[^{}]+\}$/.test(segment)
}

/** The rest of the path stays as typed. An empty value removes a query parameter. */
export function setPathValue(match: CallMatch, path: string, field: FormField, text: string): string {
  const { path: barePath, pairs } = splitPath(path)
  if (field.in === 'path') return joinPath({ path: setSegment(match, field.name, text), pairs })
  if (field.type === 'pairs') {
    const namedParameters = new Set(
      getPathFields(match).flatMap(({ name, in: location }) => (location === 'query' ? [name] : [])),
    )
    const namedPairs = pairs.filter(([name]) => namedParameters.has(decodePercent(name)))
    return joinPath({ path: barePath, pairs: [...namedPairs, ...parsePairLines(text)] })
  }
  const pairIndex = pairs.findIndex(([name]) => decodePercent(name) === field.name)
  const newPairs =
    text === '' && !field.canBeEmpty ? [] : [[encodePathSegment(field.name), encodePathSegment(text)] as const]
  const nextPairs =
    pairIndex < 0 ? [...pairs, ...newPairs] : [...pairs.slice(0, pairIndex), ...newPairs, ...pairs.slice(pairIndex + 1)]
  return joinPath({ path: barePath, pairs: nextPairs })
}

function setSegment({ target, rawParameters }: CallMatch, name: string, text: string): string {
  const names = Object.keys(rawParameters)
  let segmentIndex = -1
  return target.path.replace(/\{[^{}]+\}/g, (placeholder) => {
    segmentIndex += 1
    const segmentName = names[segmentIndex] ?? ''
    const value = segmentName === name ? encodePathSegment(text) : (rawParameters[segmentName] ?? '')
    return value === '' ? placeholder : value
  })
}

const parsePairLines = (text: string): (readonly [string, string])[] =>
  text.split('\n').flatMap((line) => {
    const equalsIndex = line.indexOf('=')
    const name = (equalsIndex < 0 ? line : line.slice(0, equalsIndex)).trim()
    return name === ''
      ? []
      : [[encodePathSegment(name), encodePathSegment(equalsIndex < 0 ? '' : line.slice(equalsIndex + 1))] as const]
  })
