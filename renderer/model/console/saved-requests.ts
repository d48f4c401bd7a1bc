import type { Collection } from '../../../shared/ipc/console.ts'
import { trimChars } from '../../../shared/format/trim-chars.ts'
import type { SavedRequest } from '../../../shared/collections/saved-request.ts'

/** Differs from `usedIds` in any letter case, because some file systems ignore case. */
export function createCollectionId(name: string, usedIds: readonly string[]): string {
  const plainName = name
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}_. -]/gu, ' ')
    .replace(/\s+/g, ' ')
  const cleanName = trimChars(plainName, '. -', '. ').slice(0, 80).trim()
  const base =
    cleanName === '' || /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(cleanName)
      ? `collection ${cleanName}`.trim()
      : cleanName
  const foldedIds = new Set(usedIds.map((id) => id.normalize('NFC').toLowerCase()))
  for (let n = 1; ; n += 1) {
    const id = n === 1 ? base : `${base} ${n}`
    if (!foldedIds.has(id.toLowerCase())) return id
  }
}

/** Adds a request to a collection. A request with the same name is replaced. */
export function upsertRequest(collection: Collection, request: SavedRequest): Collection {
  const index = collection.requests.findIndex(({ name }) => name === request.name)
  const requests = index < 0 ? [...collection.requests, request] : collection.requests.with(index, request)
  return { ...collection, requests }
}

export function moveRequest(collection: Collection, index: number, offset: -1 | 1): Collection {
  const request = collection.requests[index]
  const targetIndex = index + offset
  if (!request || targetIndex < 0 || targetIndex >= collection.requests.length) return collection
  const others = collection.requests.filter((_, otherIndex) => otherIndex !== index)
  return { ...collection, requests: [...others.slice(0, targetIndex), request, ...others.slice(targetIndex)] }
}

/** Parses lines of `name = value`, or returns the first line that is not of this form. */
export function parseVariableLines(
  text: string,
): { readonly variables: Record<string, string> } | { readonly line: string } {
  const variables: Record<string, string> = {}
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const match = /^\s*(\w{1,60})\s*=\s?(.*)$/.exec(line)
    if (!match) return { line }
    variables[match[1] ?? ''] = match[2] ?? ''
  }
  return { variables }
}

/** Parses lines of `name = /pointer`, or returns the first line that is not of this form. */
export function parseCaptureLines(
  text: string,
): { readonly takes: NonNullable<SavedRequest['takes']> } | { readonly line: string } {
  const takes: { variable: string; pointer: string }[] = []
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const match = /^\s*(\w{1,60})\s*=\s*((?:\/.*)?)$/.exec(line)
    if (!match) return { line }
    takes.push({ variable: match[1] ?? '', pointer: (match[2] ?? '').trimEnd() })
  }
  return { takes }
}

export function formatVariableLines(variables: Readonly<Record<string, string>>): string {
  return Object.entries(variables)
    .map(([name, value]) => `${name} = ${value}`)
    .join('\n')
}
export function formatCaptureLines(takes: SavedRequest['takes']): string {
  return (takes ?? []).map(({ variable, pointer }) => `${variable} = ${pointer}`).join('\n')
}
