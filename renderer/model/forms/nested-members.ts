import { isObject } from '../../../shared/json/object.ts'
import { parseJsonText } from './form-values.ts'

/** The object that a JSON text holds; null for anything else. */
export function parseObject(text: string): Record<string, unknown> | null {
  const read = parseJsonText(text)
  if ('error' in read) return null
  return isObject(read.value) ? read.value : null
}

/** Defines an own member, whatever its name. */
const define = (target: object, name: string, value: unknown): unknown =>
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })

/** Sets a member, even inside other members. */
export function setMember(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head = '', ...rest] = path
  if (rest.length === 0) {
    define(target, head, value)
    return
  }
  const there = Object.hasOwn(target, head) ? target[head] : undefined
  const inner = isObject(there) ? there : {}
  define(target, head, inner)
  setMember(inner, rest, value)
}

/** Whether there is such a member, even inside other members. */
export function hasMember(value: unknown, path: readonly string[]): boolean {
  const [head = '', ...rest] = path
  if (!isObject(value) || !Object.hasOwn(value, head)) return false
  return rest.length === 0 || hasMember(value[head], rest)
}

/** Whether a member can no longer be set: it exists already, or what would hold it is not an object. */
export function isMemberBlocked(value: unknown, path: readonly string[]): boolean {
  const [head = '', ...rest] = path
  if (!isObject(value)) return value !== undefined
  if (!Object.hasOwn(value, head)) return false
  return rest.length === 0 || isMemberBlocked(value[head], rest)
}

/** Adds the members of `more`, also inside members. Returns the first one that exists already, or null. */
export function mergeMembers(
  target: Record<string, unknown>,
  more: Record<string, unknown>,
  prefix: string,
): string | null {
  for (const [name, value] of Object.entries(more)) {
    const there = Object.hasOwn(target, name) ? target[name] : undefined
    if (there === undefined) define(target, name, value)
    else {
      const inner =
        isObject(there) && isObject(value) ? mergeMembers(there, value, `${prefix}${name}.`) : `${prefix}${name}`
      if (inner !== null) return inner
    }
  }
  return null
}
