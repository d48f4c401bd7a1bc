import { isObject } from '../json/object.ts'

/** Characters of a value beyond which two count as different: comparing is for requests as people write them. */
const LONGEST = 20_000
const DEEPEST = 50
let count = 0

/** JSON with sorted members: equal values give equal texts. A value that is too large or too deep equals only itself. */
export function canonicalText(value: unknown): string {
  const text = write(value, 0)
  if (text !== null && text.length <= LONGEST) return text
  count += 1
  return `too large ${count}`
}

function write(value: unknown, depth: number): string | null {
  if (depth > DEEPEST) return null
  if (Array.isArray(value))
    return joined(
      '[',
      value.map((one) => write(one, depth + 1)),
      ']',
    )
  if (!isObject(value)) return JSON.stringify(value) ?? ''
  const members = Object.keys(value)
    .filter((name) => value[name] !== undefined)
    .sort()
    .map((name) => {
      const text = write(value[name], depth + 1)
      return text === null ? null : `${JSON.stringify(name)}:${text}`
    })
  return joined('{', members, '}')
}

const joined = (open: string, parts: readonly (string | null)[], close: string): string | null =>
  parts.includes(null) ? null : `${open}${parts.join(',')}${close}`
