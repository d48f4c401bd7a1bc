import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { documentedWrites } from '../../support/data/documented-bodies.ts'

interface Words {
  readonly write: Readonly<Record<'title' | 'effect', Readonly<Record<string, string>>>>
}
const wordsOf = (locale: string): Words['write'] => {
  const file = new URL(`../../../renderer/i18n/locales/${locale}/write.json`, import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as Words).write
}
const en = wordsOf('en')
const ids = Object.keys(documentedWrites).map((id) => id.replaceAll('.', '-'))

test.each([
  ['en', en],
  ['zh-CN', wordsOf('zh-CN')],
])('%s: every write has a title and a description of its effect', (_, { title, effect }) => {
  expect(ids.filter((id) => !Object.hasOwn(title, id))).toEqual([])
  expect(ids.filter((id) => !Object.hasOwn(effect, id))).toEqual([])
})

test('effects on child cards are described as documented, or not at all', () => {
  const saysSo = Object.entries(en.effect).filter(([, text]) => /child|parent/i.test(text))
  expect(saysSo.map(([id]) => id).sort()).toEqual(['notes-delete', 'notes-move'])
  expect(en.effect['notes-delete']).toContain('move to the card above, or to the top level')
})
