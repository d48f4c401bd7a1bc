import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (name: string): string => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')

const changesIn = (locale: string): Record<string, string> =>
  (
    JSON.parse(read(`renderer/i18n/locales/${locale}/settings.json`)) as {
      settings: { about: { changes: Record<string, string> } }
    }
  ).settings.about.changes

test('the About page and the changelog list the same changes for this version', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const [, newest = ''] = read('CHANGELOG.md').split(/^## /m)
  const [heading, ...lines] = newest.trim().split('\n')
  expect(heading).toBe(version)
  const plain = (text: string): string => text.replaceAll('’', "'")
  expect(lines.filter(Boolean)).toEqual(Object.values(changesIn('en')).map((text) => `- ${plain(text)}`))
  expect(Object.keys(changesIn('zh-CN'))).toEqual(Object.keys(changesIn('en')))
})
