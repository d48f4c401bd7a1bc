import { describe, expect, test } from 'vitest'
import { getShortcutKey } from '../../../shared/format/shortcut-key.ts'
import {
  toKeyBinding,
  findBindingConflicts,
  isKeyBinding,
  isUsableWhileTyping,
} from '../../../renderer/stores/key-bindings.ts'

const key = (init: Partial<KeyboardEvent>): KeyboardEvent =>
  ({ code: '', ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...init }) as KeyboardEvent

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
    [{ key: 'л', code: 'KeyK', ctrlKey: true }, false, '$mod+K'],
    [{ key: 'ö', code: 'Semicolon', ctrlKey: true }, false, '$mod+Ö'],
  ])('are read from the event %j (mac: %s) as %s', (init, mac, expected) => {
    expect(toKeyBinding(key(init), mac)).toBe(expected)
  })
})

test.each([
  ['Russian', { key: 'и', code: 'KeyB' }, 'b'],
  ['Arabic, one key for two letters', { key: 'لا', code: 'KeyB' }, 'b'],
  ['Arabic question mark', { key: '؟', code: 'Slash', shiftKey: true }, '?'],
  ['Persian digit', { key: '۰', code: 'Digit0' }, '0'],
  ['AZERTY without Shift', { key: 'à', code: 'Digit0', keyCode: 48 }, '0'],
  ['AZERTY minus', { key: '-', code: 'Digit6', keyCode: 54 }, '-'],
  ['Hebrew sign at the place of a letter', { key: '/', code: 'KeyQ', keyCode: 81 }, 'q'],
  ['Greek sign at the place of a letter', { key: ';', code: 'KeyQ', keyCode: 81 }, 'q'],
  ['Dvorak sign at the place of a letter', { key: "'", code: 'KeyQ', keyCode: 222 }, "'"],
  ['Dvorak letter', { key: 'k', code: 'KeyV', keyCode: 75 }, 'k'],
  ['Turkish dotless i', { key: 'ı', code: 'KeyI' }, 'i'],
  ['German umlaut', { key: 'ö', code: 'Semicolon' }, 'ö'],
  ['named key', { key: 'ArrowUp', code: 'ArrowUp' }, 'ArrowUp'],
])('the key of a shortcut: %s', (_layout, press, key) => {
  expect(getShortcutKey(press)).toBe(key)
})
