import { getMember } from './object.ts'

/** JSON pointers as in RFC 6901. */

/** Includes the slash before the step. */
export const toPointerStep = (name: PropertyKey): string => `/${String(name).replace(/~/g, '~0').replace(/\//g, '~1')}`

export const toPointer = (names: readonly PropertyKey[]): string => names.map(toPointerStep).join('')

/**
 * True if a text is a JSON pointer: empty for the whole value, otherwise steps that begin with a
 * slash each.
 */
export const isJsonPointer = (pointer: string): boolean => /^(?:\/(?:[^~/]|~[01])*)*$/.test(pointer)

/** Splits a JSON pointer into its steps. Text before the first slash is ignored. */
export const parsePointer = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'))

/** Follows own members only; undefined if there is no value. */
export const getValueAtPointer = (value: unknown, pointer: string): unknown =>
  parsePointer(pointer).reduce(getMember, value)

/**
 * True if a pointer leads to a place of a folded pointer, in which the step `*` stands for any
 * entry of a list and `{key}` for any member of an object.
 */
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
