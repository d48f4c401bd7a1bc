import { isObject } from '../../../shared/json/object.ts'
import { parseJsonFieldValue } from './form-values.ts'

/** Returns null for text that is not JSON or not an object. */
export function parseJsonObject(text: string): Record<string, unknown> | null {
  const parsed = parseJsonFieldValue(text)
  if ('error' in parsed) return null
  return isObject(parsed.value) ? parsed.value : null
}

/** Adds a member without assigning, because assigning to `__proto__` would change the prototype. */
const defineMember = (target: object, name: string, value: unknown): unknown =>
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true })

export function setMember(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    defineMember(target, name, value)
    return
  }
  const existing = Object.hasOwn(target, name) ? target[name] : undefined
  const inner = isObject(existing) ? existing : {}
  defineMember(target, name, inner)
  setMember(inner, rest, value)
}

export function hasMember(value: unknown, path: readonly string[]): boolean {
  const [name = '', ...rest] = path
  if (!isObject(value) || !Object.hasOwn(value, name)) return false
  return rest.length === 0 || hasMember(value[name], rest)
}

/** Returns true if the member exists, or if a value on its path is not an object. */
export function isMemberBlocked(value: unknown, path: readonly string[]): boolean {
  const [name = '', ...rest] = path
  if (!isObject(value)) return value !== undefined
  if (!Object.hasOwn(value, name)) return false
  return rest.length === 0 || isMemberBlocked(value[name], rest)
}

/** Nested objects are merged too. Returns the path of the first member that exists, or null. */
export function mergeMembers(
  target: Record<string, unknown>,
  additions: Record<string, unknown>,
  prefix: string,
): string | null {
  for (const [name, value] of Object.entries(additions)) {
    const existing = Object.hasOwn(target, name) ? target[name] : undefined
    if (existing === undefined) defineMember(target, name, value)
    else {
      const duplicate =
        isObject(existing) && isObject(value) ? mergeMembers(existing, value, `${prefix}${name}.`) : `${prefix}${name}`
      if (duplicate !== null) return duplicate
    }
  }
  return null
}
