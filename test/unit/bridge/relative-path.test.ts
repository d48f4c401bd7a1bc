import { posix } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { getEndpoint } from '../../../shared/bridge/endpoints/index.ts'
import { canEscapeFolder } from '../../../shared/bridge/endpoints/path-template.ts'
import { buildPath } from '../../../electron/services/bridge/client/request-path.ts'

const escapingPaths = [
  '..',
  '.',
  '/etc/passwd',
  'a/../b',
  'a/..',
  '../a',
  'a//b',
  'a/',
  '\\a',
  'a\\..\\b',
  'C:/x',
  'c:x',
  'a\0b',
  'a\nb',
  '%2e%2e/a',
  'a/%2E%2e/b',
  '%252e%252e/a',
  '%2fetc',
  '..%2fa',
  '..%5ca',
]

describe('a path inside a bundle', () => {
  test.each(escapingPaths)('rejects %j before anything is sent', (path) => {
    expect(canEscapeFolder(path)).toBe(true)
    expect(() => buildPath(getEndpoint('bundles.files'), { bundleId: 'b' }, { path })).toThrow(/inside the bundle/)
  })

  test.each(['manifest.json', 'pages/1.txt', '图 1.png', 'a b/..c', 'a/b...', '100%.txt'])('accepts %j', (path) => {
    expect(buildPath(getEndpoint('bundles.files'), { bundleId: 'b' }, { path })).toBe(
      `/bundles/b/files?path=${encodeURIComponent(path)}`,
    )
  })

  test('keeps every accepted path inside the folder once it is resolved', () => {
    const piece = fc.constantFrom('..', '.', '/', '\\', '%2e', '%2f', 'a', 'ü', '%', ' ', '%25')
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
        (path) => {
          if (canEscapeFolder(path)) return
          expect(posix.resolve('/base', path)).toMatch(/^\/base\/./)
        },
      ),
    )
  })
})
