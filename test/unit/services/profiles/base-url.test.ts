import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  isLoopback,
  isUnencryptedRemote,
  normaliseBaseUrl,
  originOf,
} from '../../../../electron/services/profiles/base-url.ts'
import { AppError } from '../../../../shared/errors.ts'

function normaliseOrGetCode(typed: string): string {
  try {
    return normaliseBaseUrl(typed)
  } catch (error) {
    if (error instanceof AppError) return error.code ?? ''
    throw error
  }
}

describe('typed address', () => {
  test.each([
    ['127.0.0.1:42340', 'http://127.0.0.1:42340/bridge/v1'],
    ['  localhost:42340 ', 'http://localhost:42340/bridge/v1'],
    ['localhost', 'http://localhost/bridge/v1'],
    ['[::1]:42340', 'http://[::1]:42340/bridge/v1'],
    ['192.168.1.20:42340', 'http://192.168.1.20:42340/bridge/v1'],
    ['127.0.0.1:42340/bridge/v1/', 'http://127.0.0.1:42340/bridge/v1'],
    ['http://127.0.0.1:42340', 'http://127.0.0.1:42340/bridge/v1'],
    ['http://127.0.0.1:42340/', 'http://127.0.0.1:42340/bridge/v1'],
    ['http://127.0.0.1:42340/bridge/v1', 'http://127.0.0.1:42340/bridge/v1'],
    ['HTTP://LocalHost:80///', 'http://localhost/bridge/v1'],
    ['https://host.example:443/bridge/v1//', 'https://host.example/bridge/v1'],
    ['https://host.example/behind/a/proxy', 'https://host.example/behind/a/proxy/bridge/v1'],
    ['http://平板.example:42340', 'http://xn--gwt64r.example:42340/bridge/v1'],
    ['http://0x7f.1:1', 'http://127.0.0.1:1/bridge/v1'],
    ['http://host/a/../b', 'http://host/b/bridge/v1'],
  ])('is normalized from %s', (typed, expected) => {
    expect(normaliseBaseUrl(typed)).toBe(expected)
  })

  test.each([
    ['', 'ADDRESS_INVALID'],
    ['   ', 'ADDRESS_INVALID'],
    ['http://', 'ADDRESS_INVALID'],
    ['http://host:99999', 'ADDRESS_INVALID'],
    ['http://ho st', 'ADDRESS_INVALID'],
    ['http://[::1', 'ADDRESS_INVALID'],
    ['ftp://host', 'ADDRESS_SCHEME'],
    ['file:///etc/passwd', 'ADDRESS_SCHEME'],
    ['javascript:alert(1)', 'ADDRESS_SCHEME'],
    ['data:text/html,x', 'ADDRESS_SCHEME'],
    ['ws://host', 'ADDRESS_SCHEME'],
    ['unix:/tmp/socket', 'ADDRESS_SCHEME'],
    ['http://user@host', 'ADDRESS_PARTS'],
    ['http://user:secret@host', 'ADDRESS_PARTS'],
    ['user:secret@host', 'ADDRESS_SCHEME'],
    ['http://127.0.0.1:42340@evil.example', 'ADDRESS_PARTS'],
    ['http://host/?token=x', 'ADDRESS_PARTS'],
    ['http://host/#x', 'ADDRESS_PARTS'],
  ])('safety 4: is refused if it is %s', (typed, code) => {
    expect(normaliseOrGetCode(typed)).toBe(code)
  })

  test.each(['a'.repeat(2_040), '长'.repeat(400)])('is refused if it is too long to store', (path) => {
    expect(normaliseOrGetCode(`http://host/${path}`)).toBe('ADDRESS_INVALID')
  })

  test('is not repeated in its refusal', () => {
    try {
      normaliseBaseUrl('http://me:hunter2-secret@host/?token=mnb0.abc')
      expect.unreachable()
    } catch (error) {
      expect(JSON.stringify((error as AppError).wire)).not.toMatch(/hunter2|mnb0/)
    }
  })

  test('safety 4: becomes http(s) without user, query or fragment, whatever is typed', () => {
    const typed = fc.oneof(
      fc.webUrl({ validSchemes: ['http', 'https', 'ftp', 'file'], withFragments: true, withQueryParameters: true }),
      fc.string({ unit: 'binary' }),
      fc.tuple(fc.constantFrom('', 'http://', 'https:\\\\', '//'), fc.string()).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(typed, (text) => {
        const result = normaliseOrGetCode(text)
        if (/^ADDRESS_[A-Z]+$/.test(result)) return
        const url = new URL(result)
        expect(url.protocol).toMatch(/^https?:$/)
        expect([url.username, url.password, url.search, url.hash]).toEqual(['', '', '', ''])
        expect(url.pathname.endsWith('/bridge/v1')).toBe(true)
        expect(normaliseBaseUrl(result)).toBe(result)
        expect(result.startsWith(`${originOf(result)}/`)).toBe(true)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('reach of an address', () => {
  test.each([
    ['http://127.0.0.1:42340/bridge/v1', true],
    ['http://127.9.8.7/bridge/v1', true],
    ['http://localhost/bridge/v1', true],
    ['http://[::1]:1/bridge/v1', true],
    ['http://localhost.evil.example/bridge/v1', false],
    ['http://127.0.0.1.evil.example/bridge/v1', false],
    ['http://1270.0.0.1.example/bridge/v1', false],
    ['http://192.168.1.2/bridge/v1', false],
    ['http://0.0.0.0/bridge/v1', false],
    ['http://[::2]/bridge/v1', false],
  ])('is loopback for %s: %s', (baseUrl, isLoopbackUrl) => {
    expect(isLoopback(baseUrl)).toBe(isLoopbackUrl)
    expect(isUnencryptedRemote(baseUrl)).toBe(!isLoopbackUrl)
    expect(isUnencryptedRemote(baseUrl.replace('http:', 'https:'))).toBe(false)
  })
})
