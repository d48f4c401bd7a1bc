import type { Collection, SavedRequest } from '../../../shared/ipc/console.ts'

/** A file name for a collection of this name that none of these ids has, whatever the letter case. */
export function createCollectionId(name: string, taken: readonly string[]): string {
  const plain = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}_. -]/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. -]+|[. ]+$/g, '')
    .slice(0, 80)
    .trim()
  const base =
    plain === '' || /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(plain) ? `collection ${plain}`.trim() : plain
  const used = new Set(taken.map((id) => id.normalize('NFC').toLowerCase()))
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? base : `${base} ${n}`
    if (!used.has(id.toLowerCase())) return id
  }
}

/** The collection with this request, in place of the one with the same name. */
export function upsertRequest(collection: Collection, request: SavedRequest): Collection {
  const at = collection.requests.findIndex(({ name }) => name === request.name)
  const requests = at < 0 ? [...collection.requests, request] : collection.requests.with(at, request)
  return { ...collection, requests }
}

/** The collection with the request at `at` moved up (-1) or down (1), the order of a run. */
export function moveRequest(collection: Collection, at: number, by: -1 | 1): Collection {
  const request = collection.requests[at]
  const to = at + by
  if (!request || to < 0 || to >= collection.requests.length) return collection
  const rest = collection.requests.filter((_, index) => index !== at)
  return { ...collection, requests: [...rest.slice(0, to), request, ...rest.slice(to)] }
}

/** Lines of `name = value` as variables, or the first line that is none. */
export function parseVariableLines(
  text: string,
): { readonly variables: Record<string, string> } | { readonly line: string } {
  const variables: Record<string, string> = {}
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const found = /^\s*(\w{1,60})\s*=\s?(.*)$/.exec(line)
    if (!found) return { line }
    variables[found[1] ?? ''] = found[2] ?? ''
  }
  return { variables }
}

/** Lines of `name = /pointer` as what is taken from an answer, or the first line that is none. */
export function parseCaptureLines(
  text: string,
): { readonly takes: NonNullable<SavedRequest['takes']> } | { readonly line: string } {
  const takes: { variable: string; pointer: string }[] = []
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const found = /^\s*(\w{1,60})\s*=\s*((?:\/.*)?)$/.exec(line)
    if (!found) return { line }
    takes.push({ variable: found[1] ?? '', pointer: (found[2] ?? '').trimEnd() })
  }
  return { takes }
}

/** Variables, and what is taken, as lines. */
export const formatVariableLines = (variables: Readonly<Record<string, string>>): string =>
  Object.entries(variables)
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n')
export const formatCaptureLines = (takes: SavedRequest['takes']): string =>
  (takes ?? []).map(({ variable, pointer }) => `${variable} = ${pointer}`).join('\n')
