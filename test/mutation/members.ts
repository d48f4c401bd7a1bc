import { isObject } from '../../shared/json/object.ts'

export type Step = string | number
type Path = readonly Step[]

const escapeName = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
const unescapeName = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~')

/**
 * Lists every member of a response as a JSON pointer with `*` for each index, the response itself
 * ("") first. A member that only some entries of a list have is included.
 */
export function listMembers(response: unknown): readonly string[] {
  const pointers = new Set<string>()
  const walk = (value: unknown, pointer: string): void => {
    pointers.add(pointer)
    if (Array.isArray(value)) for (const entry of value) walk(entry, `${pointer}/*`)
    else if (isObject(value))
      for (const [name, ownValue] of Object.entries(value)) walk(ownValue, `${pointer}/${escapeName(name)}`)
  }
  walk(response, '')
  return [...pointers]
}

/**
 * Where a member is in this response: in the first entry that has it, preferably not null. Null =
 * nowhere.
 */
export function locate(response: unknown, pointer: string): Path | null {
  const steps = pointer === '' ? [] : pointer.slice(1).split('/')
  return findWithValue(response, steps, []) ?? findAnywhere(response, steps, [])
}

const findWithValue = (value: unknown, steps: readonly string[], path: Path): Path | null =>
  search(value, steps, path, (candidate) => candidate !== null)
const findAnywhere = (value: unknown, steps: readonly string[], path: Path): Path | null =>
  search(value, steps, path, () => true)

function search(value: unknown, steps: readonly string[], trail: Path, good: (value: unknown) => boolean): Path | null {
  const [step, ...rest] = steps
  if (step === undefined) return good(value) ? trail : null
  if (step === '*') {
    if (!Array.isArray(value)) return null
    for (const [index, entry] of value.entries()) {
      const match = search(entry, rest, [...trail, index], good)
      if (match) return match
    }
    return null
  }
  const name = unescapeName(step)
  return isObject(value) && Object.hasOwn(value, name) ? search(value[name], rest, [...trail, name], good) : null
}

export function getValue(response: unknown, path: Path): unknown {
  let value = response
  for (const step of path) value = (value as Record<Step, unknown>)[step]
  return value
}

/**
 * What a member belongs to: the entry of the innermost list around it; without a list, the member
 * alone.
 */
export function entryOf(path: Path): Path {
  const index = path.findLastIndex((step) => typeof step === 'number')
  return index === -1 ? path : path.slice(0, index + 1)
}

/** Every text in a value, except below `except`. */
export function listTexts(value: unknown, except: Path | null = null): Set<string> {
  const pointers = new Set<string>()
  const walk = (node: unknown, left: Path | null): void => {
    if (left?.length === 0) return
    if (typeof node === 'string') pointers.add(node)
    else if (typeof node === 'object' && node !== null) {
      for (const [name, ownValue] of Object.entries(node))
        walk(ownValue, left && String(left[0]) === name ? left.slice(1) : null)
    }
  }
  walk(value, except)
  return pointers
}
