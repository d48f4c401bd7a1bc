import { getMember } from './object.ts'

/** JSON pointers as in RFC 6901. */

/** Includes the slash before the step. */
export function toPointerStep(name: PropertyKey): string {
  return `/${String(name).replace(/~/g, '~0').replace(/\//g, '~1')}`
}

export function toPointer(names: readonly PropertyKey[]): string {
  return names.map(toPointerStep).join('')
}

/** True for the empty text, which is the whole value, and for steps that begin with a slash. */
export function isJsonPointer(pointer: string): boolean {
  return /^(?:\/(?:[^~/]|~[01])*)*$/.test(pointer)
}

/** Splits a JSON pointer into its steps. Text before the first slash is ignored. */
export function parsePointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'))
}

/** Follows own members only; undefined if there is no value. */
export function getValueAtPointer(value: unknown, pointer: string): unknown {
  return parsePointer(pointer).reduce(getMember, value)
}

/** True if it fits: a folded `*` is any entry of a list, `{key}` any member of an object. */
export function fitsFoldedPointer(pointer: string, foldedPointer: string): boolean {
  const [steps, foldedSteps] = [parsePointer(pointer), parsePointer(foldedPointer)]
  return (
    steps.length === foldedSteps.length &&
    steps.every((step, index) => {
      const folded = foldedSteps[index]
      return folded === step || folded === '{key}' || (folded === '*' && /^\d+$/.test(step))
    })
  )
}
