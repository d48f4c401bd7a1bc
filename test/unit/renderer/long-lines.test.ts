import { foldEffect } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { describe, expect, test } from 'vitest'
import { createLongLineFolds, hasGiantLine } from '../../../renderer/components/json/long-lines.ts'

const folds = (doc: string, start = 0): { from: number; to: number }[] =>
  createLongLineFolds(EditorState.create({ doc }), start).flatMap((effect) =>
    effect.is(foldEffect) ? [effect.value] : [],
  )

describe('long lines', () => {
  const long = `"${'x'.repeat(5000)}",`

  test('keep their beginning and end visible when folded', () => {
    const doc = `{\n${long}\n"a": 1\n}`
    const [fold, ...others] = folds(doc)
    expect(others).toEqual([])
    expect(doc.slice(fold?.to).split('\n')[0]).toBe('",')
    expect(doc.slice(2, fold?.from)).toHaveLength(400)
  })

  test('are searched from a position on, so that nothing is folded twice', () => {
    const doc = `${long}\n${long}`
    expect(folds(doc)).toHaveLength(2)
    expect(folds(doc, long.length + 1)).toEqual([folds(doc)[1]])
  })

  test('are folded only beyond the normal length', () => {
    expect(folds('"short"\n"lines"')).toEqual([])
  })
})

test.each([
  ['x'.repeat(100_001), true],
  [`a\n${'x'.repeat(100_001)}\nb`, true],
  [`${'x'.repeat(99_999)}\n`.repeat(20), false],
  ['', false],
])('hasGiantLine finds a line too long for highlighting (%#): %s', (text, expected) => {
  expect(hasGiantLine(text)).toBe(expected)
})
