import { stringEnd } from './scan.ts'

/**
 * Pretty-prints JSON text without going through values: numbers, escapes and repeated names stay exactly as the host sent
 * them. Text that is no JSON comes out with the same tokens in the same order. Stops after `maxChars` characters of output.
 */
export function formatJson(text: string, maxChars = Number.POSITIVE_INFINITY): { text: string; cut: boolean } {
  const out: string[] = []
  let size = 0
  let depth = 0
  const push = (piece: string): void => {
    out.push(piece)
    size += piece.length
  }
  for (let at = 0; at < text.length; at += 1) {
    if (size > maxChars) return { text: out.join(''), cut: true }
    const char = text[at] ?? ''
    if (char === '"') {
      const end = stringEnd(text, at)
      push(text.slice(at, end + 1))
      at = end
    } else if (char === '{' || char === '[') {
      const close = nextSolid(text, at + 1)
      if (text[close] === (char === '{' ? '}' : ']')) {
        push(char + (text[close] ?? ''))
        at = close
      } else {
        depth += 1
        push(`${char}\n${indent(depth)}`)
      }
    } else if (char === '}' || char === ']') {
      depth = Math.max(0, depth - 1)
      push(`\n${indent(depth)}${char}`)
    } else if (char === ',') push(`,\n${indent(depth)}`)
    else if (char === ':') push(': ')
    else if (!isSpace(char)) push(char)
  }
  return { text: out.join(''), cut: false }
}

const pads: string[] = []
/** Two spaces a level; beyond a hundred levels no more is added, or the text would grow with the square of the depth. */
function indent(depth: number): string {
  const level = Math.min(depth, 100)
  return (pads[level] ??= '  '.repeat(level))
}

const isSpace = (char: string): boolean => char === ' ' || char === '\n' || char === '\r' || char === '\t'

function nextSolid(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text[at] ?? '')) at += 1
  return at
}
