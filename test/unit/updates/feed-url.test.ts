import { expect, test } from 'vitest'
import { defaultSettings, settingsSchema } from '../../../shared/ipc/settings.ts'
import { isUpdateFeedUrl } from '../../../shared/ipc/updates.ts'

test.each([
  'https://example.org',
  'https://example.org:8443/a/b/',
  'http://127.0.0.1:8000/',
  'http://127.1.2.3/',
  'http://localhost:1/x',
  'http://[::1]:9/',
])('accepts the update address %s', (url) => {
  expect(isUpdateFeedUrl(url)).toBe(true)
  expect(settingsSchema.parse({ ...defaultSettings, updateUrl: url }).updateUrl).toBe(url)
})

test.each([
  'http://example.org/',
  'http://localhost.example.org/',
  'http://127.0.0.1.example.org/',
  'http://[::ffff:127.0.0.1]/',
  'http://0.0.0.0/',
  'ftp://127.0.0.1/',
  'file:///tmp/',
  'https://user@example.org/',
  'https://:word@example.org/',
  'https://example.org/?key=1',
  'https://example.org/#part',
  'example.org',
  'javascript:alert(1)',
])('refuses the update address %s', (url) => {
  expect(isUpdateFeedUrl(url)).toBe(false)
  expect(settingsSchema.safeParse({ ...defaultSettings, updateUrl: url }).success).toBe(false)
})

test('there is no default address', () => {
  expect(defaultSettings.updateUrl).toBe('')
})
