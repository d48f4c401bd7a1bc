import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { getProgramFlags } from '../../../electron/desktop/arguments.ts'
import { createLinkHandler, findLink, parseLink } from '../../../electron/desktop/link-handler.ts'

describe('a link into the app', () => {
  test('is parsed into a place with its query', () => {
    expect(parseLink('bridge-inspector://open/study-sets/A07B/tree')).toBe('/study-sets/A07B/tree')
    expect(parseLink('bridge-inspector://open/search?q=%E4%B8%AD%E6%96%87')).toBe('/search?q=%E4%B8%AD%E6%96%87')
    expect(parseLink('BRIDGE-INSPECTOR://open/host')).toBe('/host')
  })

  test.each([
    'bridge-inspector://open',
    'bridge-inspector://open/',
    'bridge-inspector://open//example.org/host',
    'bridge-inspector://open/host//x',
    'bridge-inspector://open/%2F%2Fexample.org',
    'bridge-inspector://example.org/host',
    'bridge-inspector://user@open/host',
    'bridge-inspector://open/host#x',
    'bridge-inspector:host',
    'https://open/host',
    'javascript:alert(1)',
    `bridge-inspector://open/${'x'.repeat(2000)}`,
    '',
  ])('refuses %s', (link) => {
    expect(parseLink(link)).toBeNull()
  })

  test('can change only the fragment of our own page', () => {
    fc.assert(
      fc.property(fc.string(), (tail) => {
        const place = parseLink(`bridge-inspector://open/${tail}`)
        if (place === null) return
        const url = new URL(`app://bridge-inspector/#${place}`)
        expect([url.host, url.pathname, url.search]).toEqual(['bridge-inspector', '/', ''])
      }),
    )
  })

  test('is found among the arguments, and is not passed on as a flag', () => {
    const link = 'bridge-inspector://open/host'
    expect(findLink(['/usr/bin/app', '--demo', link])).toBe(link)
    expect(findLink(['/usr/bin/app', '--demo'])).toBeNull()
    expect(getProgramFlags(['/usr/bin/app', '--demo', link], true)).toEqual(['--demo'])
  })

  test('waits for the window, and is followed once', () => {
    let window = false
    const show = vi.fn(() => window)
    const note = vi.fn()
    const links = createLinkHandler({ show, log: note })
    links.followLink(null)
    links.followLink('bridge-inspector://open/host')
    expect(links.takeInitialPlace()).toBe('/host')
    expect(links.takeInitialPlace()).toBeNull()
    window = true
    links.followLink('bridge-inspector://open/library')
    expect(show).toHaveBeenLastCalledWith('/library')
    expect(links.takeInitialPlace()).toBeNull()
    links.followLink('bridge-inspector://example.org/host')
    expect(show).toHaveBeenCalledTimes(2)
    expect(note).toHaveBeenCalledWith('link refused', {})
  })
})
