import { diff } from 'jsondiffpatch'

const MOST = 12
const MOST_TEXT = 80

/** What differs between two answers, member by member: `settled: false → true`. */
export function differences(before: unknown, after: unknown): readonly string[] {
  const lines: string[] = []
  walk(diff(before, after), '', lines)
  return lines.length > MOST ? [...lines.slice(0, MOST), '…'] : lines
}

function walk(delta: unknown, path: string, lines: string[]): void {
  if (Array.isArray(delta)) {
    const name = path || '·'
    if (delta.length === 1) lines.push(`${name}: + ${shown(delta[0])}`)
    else if (delta.length === 2) lines.push(`${name}: ${shown(delta[0])} → ${shown(delta[1])}`)
    else if (delta[2] === 0) lines.push(`${name}: − ${shown(delta[0])}`)
    else lines.push(`${name}: ≠`)
    return
  }
  if (typeof delta !== 'object' || delta === null) return
  for (const [key, member] of Object.entries(delta)) {
    if (key !== '_t') walk(member, path === '' ? key.replace(/^_/, '') : `${path}.${key.replace(/^_/, '')}`, lines)
  }
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  return text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)}…` : text
}
