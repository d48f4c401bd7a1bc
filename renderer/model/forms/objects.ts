import { isObject } from '../../../shared/json/object.ts'
import { readJsonText } from './values.ts'

/** The object that a JSON text holds; null for anything else. */
export function objectOf(text: string): Record<string, unknown> | null {
  const read = readJsonText(text)
  if ('error' in read) return null
  return isObject(read.value) ? read.value : null
}

/** Defines an own member, whatever its name. */
const define = (target: object, name: string, value: unknown): unknown =>
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })

/** Sets a member, even inside other members. */
export function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head = '', ...rest] = path
  if (rest.length === 0) {
    define(target, head, value)
    return
  }
  const there = Object.hasOwn(target, head) ? target[head] : undefined
  const inner = isObject(there) ? there : {}
  define(target, head, inner)
  put(inner, rest, value)
}

/** Whether there is such a member, even inside other members. */
export function has(value: unknown, path: readonly string[]): boolean {
  const [head = '', ...rest] = path
  if (!isObject(value) || !Object.hasOwn(value, head)) return false
  return rest.length === 0 || has(value[head], rest)
}

/** Whether a member can no longer be set: it exists already, or what would hold it is not an object. */
export function isTaken(value: unknown, path: readonly string[]): boolean {
  const [head = '', ...rest] = path
  if (!isObject(value)) return value !== undefined
  if (!Object.hasOwn(value, head)) return false
  return rest.length === 0 || isTaken(value[head], rest)
}

/** Adds the members of `more`, also inside members. Returns the first one that exists already, or null. */
export function addTo(target: Record<string, unknown>, more: Record<string, unknown>, prefix: string): string | null {
  for (const [name, value] of Object.entries(more)) {
    const there = Object.hasOwn(target, name) ? target[name] : undefined
    if (there === undefined) define(target, name, value)
    else {
      const inner = isObject(there) && isObject(value) ? addTo(there, value, `${prefix}${name}.`) : `${prefix}${name}`
      if (inner !== null) return inner
    }
  }
  return null
}
