import { isSpace, stringEnd } from '../../../../shared/json/text.ts'

/**
 * The members of an object in JSON text, each as its own text: name, colon and value as they were written. Null if the text is not an
 * object. The text must be valid for `JSON.parse`.
 */
function membersOf(text: string): { readonly name: string; readonly text: string }[] | null {
  let at = solid(text, 0)
  if (text[at] !== '{') return null
  const members: { name: string; text: string }[] = []
  at = solid(text, at + 1)
  while (at < text.length && text[at] !== '}') {
    const keyEnd = stringEnd(text, at) + 1
    const end = valueEnd(text, keyEnd)
    members.push({ name: String(JSON.parse(text.slice(at, keyEnd))), text: text.slice(at, end).trimEnd() })
    at = solid(text, text[end] === ',' ? end + 1 : end)
  }
  return members
}

function solid(text: string, from: number): number {
  let at = from
  while (at < text.length && isSpace(text.charCodeAt(at))) at += 1
  return at
}

/** Where the value after a name ends: at the next comma, or at the brace of its object. */
function valueEnd(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at += 1) {
    const char = text[at]
    if (char === '"') at = stringEnd(text, at)
    else if (char === '{' || char === '[') depth += 1
    else if ((char === '}' || char === ']') && depth > 0) depth -= 1
    else if (depth === 0 && (char === '}' || char === ',')) return at
  }
  return text.length
}

/**
 * The text of an object with a member set at its end, or removed (`json` null). All other members stay as they were written, including
 * numbers that a double cannot hold and repeated names. Text that is not an object is returned unchanged.
 */
export function setMember(text: string, name: string, json: string | null): string {
  const members = membersOf(text)
  if (members === null) return text
  const kept = members.filter((one) => one.name !== name).map((one) => one.text)
  const more = json === null ? [] : [`${JSON.stringify(name)}:${json}`]
  return `{${[...kept, ...more].join(',')}}`
}
