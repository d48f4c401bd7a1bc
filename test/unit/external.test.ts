import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createExternalOpener, toExternalHref } from '../../shared/external-link.ts'

const never = [
  'file:///etc/passwd',
  'FILE:///C:/Windows/System32/calc.exe',
  'smb://server/share/evil.exe',
  '\\\\server\\share\\evil.exe',
  '//server/share',
  'javascript:alert(1)',
  ' java\nscript:alert(1)',
  'data:text/html,x',
  'vbscript:x',
  'ms-msdt:/id x',
  'search-ms:query=x',
  'marginnote4app://note/1',
  'mailto:a@example.org',
  'ssh://example.org',
  'ftp://example.org/',
  'ws://example.org/',
  'blob:https://example.org/1',
  'view-source:https://example.org/',
  'app://bridge-inspector/',
  'https://bank.example@evil.example/',
  'https://user:password@example.org/',
  'https://',
  'https:///',
  'example.org',
  '',
  `https://example.org/${'x'.repeat(2048)}`,
]

function setUp(agrees: boolean | (() => Promise<boolean>) = true) {
  const refused: string[] = []
  const [requests, opened]: [string[], string[]] = [[], []]
  const openExternal = createExternalOpener({
    confirm: async (href) => {
      requests.push(href)
      return typeof agrees === 'boolean' ? agrees : agrees()
    },
    open: async (href) => opened.push(href) > 0,
    onRefused: (reason) => refused.push(reason),
  })
  return { openExternal, requests, opened, refused }
}

describe('opening an external address', () => {
  test.each(never)('safety 14: refuses %j without asking the user', async (url) => {
    const { openExternal, requests, opened, refused } = setUp()
    expect(await openExternal(url)).toBe(false)
    expect([...requests, ...opened]).toEqual([])
    expect(refused).toEqual(['not http(s)'])
  })

  test.each([
    ['https://example.org', 'https://example.org/'],
    ['HTTP://EXAMPLE.org:80/a b?q=1#f', 'http://example.org/a%20b?q=1#f'],
    ['https:example.org', 'https://example.org/'],
    ['https://exam\tple.org/\\..\\x', 'https://example.org/x'],
  ])('safety 14: opens %j as the address that was checked: %s', async (url, href) => {
    const { openExternal, requests, opened } = setUp()
    expect(await openExternal(url)).toBe(true)
    expect([requests, opened]).toEqual([[href], [href]])
  })

  test('safety 14: passes only http and https without user info', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.tuple(fc.string(), fc.webUrl()).map((two) => two.join('')),
          fc.constantFrom(...never),
        ),
        (text) => {
          const href = toExternalHref(text)
          if (href !== null) expect(href).toMatch(/^https?:\/\/[^/@?#]+(\/|$)/)
        },
      ),
    )
  })

  test('opens nothing if the user declines', async () => {
    const { openExternal, opened } = setUp(false)
    expect(await openExternal('https://example.org/')).toBe(false)
    expect(opened).toEqual([])
  })

  test('refuses a second question while the first is open', async () => {
    let decide: (yes: boolean) => void = () => undefined
    const { openExternal, requests } = setUp(() => new Promise((resolve) => (decide = resolve)))
    const first = openExternal('https://example.org/1')
    expect(await openExternal('https://example.org/2')).toBe(false)
    decide(true)
    expect(await first).toBe(true)
    expect(requests).toEqual(['https://example.org/1'])
  })

  test('returns false if the system cannot open it, and asks again the next time', async () => {
    const refused: string[] = []
    const openExternal = createExternalOpener({
      confirm: async () => true,
      open: () => Promise.reject(new Error('no browser')),
      onRefused: (reason) => refused.push(reason),
    })
    expect([await openExternal('https://example.org/'), await openExternal('https://example.org/')]).toEqual([
      false,
      false,
    ])
    expect(refused).toEqual(['the system could not open it', 'the system could not open it'])
  })
})
