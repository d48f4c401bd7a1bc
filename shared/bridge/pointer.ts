import { member } from '../json/object.ts'

/** JSON pointer (RFC 6901) of a path through objects and lists. */
export const pointerOf = (trail: readonly PropertyKey[]): string =>
  trail.map((step) => `/${String(step).replace(/~/g, '~0').replace(/\//g, '~1')}`).join('')

/** The value at a JSON pointer, through own members only; undefined if there is none. */
export const valueAt = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((at, step) => member(at, step.replace(/~1/g, '/').replace(/~0/g, '~')), value)
