import { getMember } from './object.ts'

/** JSON pointers (RFC 6901): how they are written, read and followed. */

/** One step of a pointer, with the slash before it. */
export const toPointerStep = (name: PropertyKey): string => `/${String(name).replace(/~/g, '~0').replace(/\//g, '~1')}`

/** The pointer of a path through objects and lists. */
export const toPointer = (names: readonly PropertyKey[]): string => names.map(toPointerStep).join('')

/** The names that a pointer leads through. Text before its first slash is no part of it. */
export const parsePointer = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replace(/~1/g, '/').replace(/~0/g, '~'))

/** The value at a pointer, through own members only; undefined if there is none. */
export const getValueAtPointer = (value: unknown, pointer: string): unknown =>
  parsePointer(pointer).reduce(getMember, value)
