import { isObject } from '../../../shared/json/object.ts'
import { stringEnd } from '../../../shared/json/text.ts'

/** Something to complete: what is inserted, and what is said beside it. */
export interface Option {
  readonly label: string
  /** JSON text. */
  readonly insert: string
  readonly detail: string
}

/** Where the cursor is in JSON text: names and indexes that lead there, and whether a name or a value is written. */
export interface Place {
  readonly trail: readonly string[]
  readonly wants: 'name' | 'value'
  /** Names that stand before it in the same object. */
  readonly taken: readonly string[]
  /** Where what is being written begins. */
  readonly from: number
}

type Schema = Readonly<Record<string, unknown>>

interface Frame {
  readonly object: boolean
  readonly taken: string[]
  name: string | null
  index: number
  /** A name comes next, and no value. */
  naming: boolean
}

/** Where the cursor is in JSON text, which need not be complete. */
export function placeIn(text: string, cursor: number): Place {
  const frames: Frame[] = []
  let from = -1
  // A string that is still being written is closed behind everything.
  const closed = `${text}"`
  for (let at = 0; at < cursor; at += 1) {
    const top = frames.at(-1)
    const char = text[at]
    if (char === '"') {
      const end = stringEnd(closed, at)
      if (end >= cursor) {
        from = at
        break
      }
      if (top?.naming) {
        top.name = nameOf(text.slice(at, end + 1))
        top.taken.push(top.name)
      }
      at = end
    } else if (char === '{' || char === '[') {
      frames.push({ object: char === '{', taken: [], name: null, index: 0, naming: char === '{' })
    } else if (char === '}' || char === ']') frames.pop()
    else if (char === ',' && top) {
      top.index += 1
      top.naming = top.object
    } else if (char === ':' && top) top.naming = false
  }
  if (from < 0) from = cursor - (/[\w.+-]*$/.exec(text.slice(Math.max(0, cursor - 60), cursor))?.[0].length ?? 0)
  const top = frames.at(-1)
  const trail = frames.map((frame) => (frame.object ? (frame.name ?? '') : String(frame.index)))
  return top?.naming
    ? { trail: trail.slice(0, -1), wants: 'name', taken: top.taken, from }
    : { trail, wants: 'value', taken: [], from }
}

function nameOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted))
  } catch {
    return quoted.slice(1, -1)
  }
}

/** What a JSON Schema allows at a place: member names, or values. Empty where it says nothing. */
export function completionsAt(schema: unknown, { trail, wants, taken }: Omit<Place, 'from'>): readonly Option[] {
  const here = trail.reduce<readonly Schema[]>((at, step) => at.flatMap((one) => inside(one, step)), open(schema))
  const options = here.flatMap((one) => (wants === 'name' ? namesOf(one, taken) : valuesOf(one)))
  return [...new Map(options.map((one) => [one.label, one])).values()]
}

/** A schema, with its alternatives in its place. */
function open(schema: unknown): readonly Schema[] {
  if (!isObject(schema)) return []
  const others = [schema['anyOf'], schema['oneOf']].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []))
  return others.length === 0 ? [schema] : others.flatMap(open)
}

function inside(schema: Schema, step: string): readonly Schema[] {
  const own = member(schema['properties'], step)
  if (own !== undefined) return open(own)
  return /^\d+$/.test(step) ? open(schema['items']) : open(schema['additionalProperties'])
}

function namesOf(schema: Schema, taken: readonly string[]): Option[] {
  const properties = schema['properties']
  if (!isObject(properties)) return []
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []
  return Object.entries(properties)
    .filter(([name]) => !taken.includes(name))
    .sort(([a], [b]) => Number(required.includes(b)) - Number(required.includes(a)))
    .map(([name, own]) => ({
      label: name,
      insert: JSON.stringify(name),
      detail: [typeOf(own), required.includes(name) ? '*' : ''].filter(Boolean).join(' '),
    }))
}

function valuesOf(schema: Schema): Option[] {
  const listed: unknown[] = Array.isArray(schema['enum'])
    ? (schema['enum'] as unknown[])
    : Object.hasOwn(schema, 'const')
      ? [schema['const']]
      : schema['type'] === 'boolean'
        ? [true, false]
        : schema['type'] === 'null'
          ? [null]
          : []
  return listed.map((value) => ({ label: String(value), insert: JSON.stringify(value), detail: '' }))
}

function typeOf(schema: unknown): string {
  const types = open(schema).flatMap((one) => (typeof one['type'] === 'string' ? [one['type']] : []))
  return [...new Set(types)].join(' | ')
}

const member = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
