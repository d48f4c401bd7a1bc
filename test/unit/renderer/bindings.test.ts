import { describe, expect, test } from 'vitest'
import {
  toKeyBinding,
  findBindingConflicts,
  isKeyBinding,
  isUsableWhileTyping,
} from '../../../renderer/stores/key-bindings.ts'

const key = (init: Partial<KeyboardEvent>): KeyboardEvent =>
  ({ ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...init }) as KeyboardEvent

describe('key bindings', () => {
  test.each([
    ['$mod+K', true],
    ['F5', true],
    ['Alt+ArrowUp', true],
    ['?', false],
    ['G L', false],
    ['Shift+A', false],
  ])('are usable while typing for %s: %s', (keys, expected) => {
    expect(isUsableWhileTyping(keys)).toBe(expected)
  })

  test.each([
    ['', false],
    ['  ', false],
    ['$mod+', false],
    ['$mod+K', true],
    ['g l', true],
  ])('are valid for %j: %s', (keys, expected) => {
    expect(isKeyBinding(keys)).toBe(expected)
  })

  test('conflict if they have the same keys in any notation, or if one starts the sequence of another', () => {
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
  ])('are read from the event %j (mac: %s) as %s', (init, mac, expected) => {
    expect(toKeyBinding(key(init), mac)).toBe(expected)
  })
})
