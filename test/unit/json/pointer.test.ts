import { expect, test } from 'vitest'
import { fitsFoldedPointer, isJsonPointer } from '../../../shared/json/pointer.ts'

test('a JSON pointer is told from other texts, however many slashes it has', () => {
  for (const pointer of ['', '/', '/a/b', '/~0/~1', '//', '/'.repeat(1_000)]) expect(isJsonPointer(pointer)).toBe(true)
  for (const text of ['a', 'a/b', '/~', '/~2', `${'/'.repeat(40)}~`]) expect(isJsonPointer(text)).toBe(false)
})

test('a folded pointer leads to any entry of a list and any member of a dictionary', () => {
  expect(fitsFoldedPointer('/nodes/12/titles/en', '/nodes/*/titles/{key}')).toBe(true)
  expect(fitsFoldedPointer('/nodes/first/titles/en', '/nodes/*/titles/{key}')).toBe(false)
  expect(fitsFoldedPointer('/nodes/12/titles', '/nodes/*/titles/{key}')).toBe(false)
  expect(fitsFoldedPointer('', '')).toBe(true)
})
