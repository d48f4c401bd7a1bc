import { getValue, type Step } from './members.ts'

/** Length of the very long text, and of the very long list. */
export const LONG_TEXT = 100_000
export const LONG_LIST = 2_000

const REMOVED = Symbol('missing')
type Change = (value: unknown) => unknown
type Kind = 'text' | 'number' | 'flag' | 'nothing' | 'list' | 'object'

/** The changes for a member of each type, by name. */
const changes: Readonly<Record<Kind, Readonly<Record<string, Change>>>> = {
  text: {
    null: () => null,
    missing: () => REMOVED,
    number: () => 7,
    object: () => ({ unexpected: 'object' }),
    list: () => ['unexpected', null],
    empty: () => '',
    // One unbreakable word first, then lines; without the slash that separates levels of a tag.
    long: (value) => 'x'.repeat(LONG_TEXT / 2) + `\n${String(value).replaceAll('/', ' ')}`.repeat(LONG_LIST),
    'not-a-number': () => 'NaN',
  },
  number: {
    null: () => null,
    missing: () => REMOVED,
    text: (value) => String(value),
    object: () => ({ unexpected: 'object' }),
    negative: () => -1,
    fraction: () => 0.5,
    huge: () => 1e21,
    'not-a-number': () => 'NaN',
  },
  flag: {
    null: () => null,
    missing: () => REMOVED,
    opposite: (value) => value !== true,
    text: (value) => String(value),
    number: () => 7,
    object: () => ({ unexpected: 'object' }),
  },
  nothing: {
    missing: () => REMOVED,
    text: () => 'unexpected',
    number: () => 7,
    object: () => ({ unexpected: 'object' }),
    list: () => ['unexpected', null],
  },
  list: {
    null: () => null,
    missing: () => REMOVED,
    text: () => 'unexpected',
    number: () => 7,
    object: () => ({ unexpected: 'object' }),
    empty: () => [],
    'list-of-null': () => [null],
    'list-of-lists': () => [[]],
    // After the existing entries, so that those keep their position.
    long: (value) => {
      const list = value as unknown[]
      return list.length === 0 ? Array<unknown>(LONG_LIST).fill('unexpected') : repeatToLength(list)
    },
  },
  object: {
    null: () => null,
    missing: () => REMOVED,
    text: () => 'unexpected',
    number: () => 7,
    list: () => [{ unexpected: 'object' }],
    empty: () => ({}),
  },
}

const repeatToLength = (list: readonly unknown[]): unknown[] =>
  Array.from({ length: LONG_LIST }, (_, index) => list[index % list.length])

/** Lists the names of the changes that apply to a value; the response itself cannot be missing. */
export function listMutations(value: unknown, isResponse: boolean): readonly string[] {
  return Object.keys(changes[kindOf(value)]).filter((name) => !isResponse || name !== 'missing')
}

/** Returns a copy of the response with one member changed, or null if the change does not apply. */
export function mutate(response: unknown, path: readonly Step[], mutation: string): { readonly value: unknown } | null {
  const before = getValue(response, path)
  const change = changes[kindOf(before)][mutation]
  if (!change) return null
  const after = change(before)
  const last = path.at(-1)
  if (last === undefined) return { value: after }
  const value = structuredClone(response)
  const parent = getValue(value, path.slice(0, -1)) as Record<Step, unknown>
  if (after !== REMOVED) parent[last] = after
  else if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else Reflect.deleteProperty(parent, last)
  return { value }
}

function kindOf(value: unknown): Kind {
  if (Array.isArray(value)) return 'list'
  if (value === null) return 'nothing'
  if (typeof value === 'object') return 'object'
  if (typeof value === 'number') return 'number'
  return typeof value === 'boolean' ? 'flag' : 'text'
}
