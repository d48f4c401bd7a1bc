import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import en from '../../../renderer/i18n/locales/en/settings.json' with { type: 'json' }
import chinese from '../../../renderer/i18n/locales/zh-CN/settings.json' with { type: 'json' }

const read = (name: string): string => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')

test('About and the list of changes say the same of this version', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string }
  const [, newest = ''] = read('CHANGELOG.md').split(/^## /m)
  const [heading, ...lines] = newest.trim().split('\n')
  expect(heading).toBe(version)
  const plain = (text: string): string => text.replaceAll('’', "'")
  expect(lines.filter(Boolean)).toEqual(Object.values(en.settings.about.changes).map((text) => `- ${plain(text)}`))
  expect(Object.keys(chinese.settings.about.changes)).toEqual(Object.keys(en.settings.about.changes))
})
