import { expect, test } from 'vitest'
import { createPaletteSearch, type PaletteEntry } from '../../../renderer/shell/palette-search.ts'

const entry = (key: string, section: string, title: string, detail?: string): PaletteEntry => ({
  key,
  id: key,
  section,
  title,
  run: () => undefined,
  ...(detail ? { detail } : {}),
})
const entries = [
  entry('library', 'Go to', 'Library'),
  entry('settings', 'Go to', 'Settings'),
  entry('anatomy', 'Study sets', 'Human Anatomy', 'ABC-123'),
  entry('jiepou', 'Study sets', '系统解剖学', 'DEF-456'),
]
const keys = (query: string): string[] => createPaletteSearch(entries)(query).map(({ key }) => key)

test('an empty query returns everything in the original order', () => {
  expect(keys(' ')).toEqual(['library', 'settings', 'anatomy', 'jiepou'])
})

test.each([
  ['lib', ['library']],
  ['anatmy', ['anatomy']],
  ['解剖', ['jiepou']],
  ['剖学', ['jiepou']],
  ['abc', ['anatomy']],
  ['study', ['anatomy', 'jiepou']],
  ['nothing like it', []],
])('the query %s finds %j', (query, expected) => {
  expect(keys(query).sort()).toEqual([...expected].sort())
})
