import { describe, expect, test } from 'vitest'
import {
  toKeyBinding,
  findBindingConflicts,
  isKeyBinding,
  isUsableWhileTyping,
} from '../../../renderer/stores/key-bindings.ts'

const key = (init: Partial<KeyboardEvent>): KeyboardEvent =>
  ({ ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...init }) as KeyboardEvent

describe('bindings', () => {
  test.each([
    ['$mod+K', true],
    ['F5', true],
    ['Alt+ArrowUp', true],
    ['?', false],
    ['G L', false],
    ['Shift+A', false],
  ])('%s works while typing: %s', (keys, expected) => {
    expect(isUsableWhileTyping(keys)).toBe(expected)
  })

  test.each([
    ['', false],
    ['  ', false],
    ['$mod+', false],
    ['$mod+K', true],
    ['g l', true],
  ])('%j is a binding: %s', (keys, expected) => {
    expect(isKeyBinding(keys)).toBe(expected)
  })

  test('the same keys conflict, however they are written, and so does the start of a sequence', () => {
    const conflicts = findBindingConflicts(
      new Map([
        ['a', '$mod+Shift+k'],
        ['b', 'Shift+$mod+K'],
        ['c', 'g l'],
        ['d', 'G'],
        ['e', 'g h'],
      ]),
    )
    expect(Object.fromEntries(conflicts)).toEqual({ a: ['b'], b: ['a'], c: ['d'], d: ['c', 'e'], e: ['d'] })
  })

  test.each([
    [{ key: 'k', ctrlKey: true }, false, '$mod+K'],
    [{ key: 'k', metaKey: true }, true, '$mod+K'],
    [{ key: 'k', ctrlKey: true }, true, 'Control+K'],
    [{ key: '?', shiftKey: true }, false, '[Shift]+?'],
    [{ key: 'A', shiftKey: true }, false, 'Shift+A'],
    [{ key: ' ' }, false, 'Space'],
    [{ key: 'Control', ctrlKey: true }, false, null],
  ])('%j pressed (mac: %s) is %s', (init, mac, expected) => {
    expect(toKeyBinding(key(init), mac)).toBe(expected)
  })
})
