import { describe, expect, test } from 'vitest'
import { denyNavigation, setNavigationScope } from '../../../electron/desktop/navigation.ts'
import { isAppUrl, isHomeUrl } from '../../../electron/desktop/origin.ts'
import { isPanelUrl } from '../../../electron/desktop/panel-isolation.ts'
import { FakeApp, FakeContents, notes } from './fakes.ts'

const foreign = [
  'https://example.org/',
  'http://127.0.0.1:42340/bridge/v1/status',
  'file:///etc/passwd',
  'smb://server/share',
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'blob:app://bridge-inspector/5b6c',
  'about:blank',
  'chrome://gpu',
  'view-source:app://bridge-inspector/',
  'app://bridge-inspector.evil/',
  'app://evil/',
  'app://user@bridge-inspector/',
  'app:bridge-inspector',
  'APP://bridge-inspector:99/',
  'not an address',
  '',
]
const ownButNotHome = [
  'app://bridge-inspector/assets/index.js',
  'app://bridge-inspector/icon.svg',
  'app://bridge-inspector/?x=1',
]

function setUp() {
  const [app, contents, log] = [new FakeApp(), new FakeContents(), notes()]
  denyNavigation(app.electron, log.note)
  app.emit('web-contents-created', {}, contents)
  const attempt = (event: string, url: string, isMainFrame?: boolean): boolean => {
    let stopped = false
    contents.emit(event, { url, isMainFrame, preventDefault: () => (stopped = true) })
    return stopped
  }
  return { app, contents, log, attempt }
}

describe('navigation', () => {
  for (const event of ['will-navigate', 'will-frame-navigate', 'will-redirect']) {
    test.each([...foreign, ...ownButNotHome])(`safety 12: is stopped on ${event} to %j`, (url) => {
      const { attempt, log } = setUp()
      expect(attempt(event, url, true)).toBe(true)
      expect(attempt(event, url, false)).toBe(true)
      expect(log.lines).toHaveLength(2)
    })
  }

  test('safety 12: is logged only with its scheme if it is refused', () => {
    const { attempt, log } = setUp()
    attempt('will-navigate', 'https://example.org/?token=mnb0.secret', true)
    expect(log.lines).toEqual(['navigation refused {"where":"main frame","scheme":"https:"}'])
  })

  test('is allowed for a reload of the page in the main frame, but never by a redirect', () => {
    const { attempt } = setUp()
    expect(attempt('will-navigate', 'app://bridge-inspector/#/library', true)).toBe(false)
    expect(attempt('will-frame-navigate', 'app://bridge-inspector/', true)).toBe(false)
    expect(attempt('will-frame-navigate', 'app://bridge-inspector/', false)).toBe(true)
    expect(attempt('will-redirect', 'app://bridge-inspector/', true)).toBe(true)
  })

  test.each([...foreign, 'app://bridge-inspector/'])('safety 13: opens nothing for window.open(%j)', (url) => {
    const { contents, log } = setUp()
    expect(contents.openHandler?.({ url })).toEqual({ action: 'deny' })
    expect(log.lines).toHaveLength(1)
  })

  test('safety 13: attaches no webview', () => {
    const { contents } = setUp()
    let stopped = false
    contents.emit('will-attach-webview', { preventDefault: () => (stopped = true) })
    expect(stopped).toBe(true)
  })

  test('safety 13: is restricted in every web contents ever created', () => {
    const { app } = setUp()
    const later = new FakeContents()
    app.emit('web-contents-created', {}, later)
    expect(later.openHandler?.({ url: 'https://example.org/' })).toEqual({ action: 'deny' })
    expect(later.listenerCount('will-navigate')).toBe(1)
  })
})

describe('navigation of a panel', () => {
  const origin = 'bridge-panel://0123456789abcdef'
  function inPanel() {
    const setup = setUp()
    const refused: string[] = []
    setNavigationScope(setup.contents.electron, {
      contains: (url) => isPanelUrl(url, '0123456789abcdef'),
      onRefused: (label, url) => refused.push(`${label} ${url}`),
    })
    return { ...setup, refused }
  }

  test('is allowed within the origin of the panel', () => {
    const { attempt, refused, log } = inPanel()
    for (const event of ['will-navigate', 'will-frame-navigate', 'will-redirect']) {
      expect(attempt(event, `${origin}/second.html?x#y`, true)).toBe(false)
      expect(attempt(event, `${origin}/frame.html`, false)).toBe(false)
    }
    expect([refused, log.lines]).toEqual([[], []])
  })

  test.each([...foreign, 'app://bridge-inspector/', `${origin}0/`, 'bridge-panel://other/', `bridge-panel://u@x/`])(
    'safety 30: to %j is refused and reported once',
    (url) => {
      const { attempt, refused } = inPanel()
      expect(attempt('will-frame-navigate', url, true)).toBe(true)
      expect(attempt('will-navigate', url, true)).toBe(true)
      expect(refused).toEqual([`navigation ${url}`])
      expect(attempt('will-frame-navigate', url, false)).toBe(true)
      expect(refused.slice(1)).toEqual([`frame ${url}`])
    },
  )

  test('safety 30: opens nothing for window.open, not even the origin of the panel', () => {
    const { contents, refused } = inPanel()
    expect(contents.openHandler?.({ url: `${origin}/` })).toEqual({ action: 'deny' })
    expect(refused).toEqual([`window ${origin}/`])
  })
})

describe('addresses of the app', () => {
  test.each(foreign)('do not include %j', (url) => {
    expect(isAppUrl(url) || isHomeUrl(url)).toBe(false)
  })

  test('include the page and its fragments', () => {
    expect(['app://bridge-inspector/', 'app://bridge-inspector/#/x', 'app://bridge-inspector'].map(isAppUrl)).toEqual([
      true,
      true,
      true,
    ])
    expect(ownButNotHome.map(isHomeUrl)).toEqual([false, false, false])
    expect(isHomeUrl('app://bridge-inspector/#/study-sets/1/tree')).toBe(true)
  })
})
