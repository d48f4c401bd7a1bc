import { describe, expect, test } from 'vitest'
import { allowFrames, denyNavigation } from '../../../electron/desktop/navigation.ts'
import { isAppUrl, isHomeUrl } from '../../../electron/desktop/origin.ts'
import { createPanelUrlCheck } from '../../../electron/desktop/panel-frame.ts'
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
  const id = '0123456789abcdef'.repeat(2)
  const origin = `http://${id}.localhost:4711`
  function inPanel() {
    const setup = setUp()
    allowFrames(setup.contents.electron, createPanelUrlCheck(4711))
    return setup
  }

  test('is allowed within the origin of the panel, in a frame only', () => {
    const { attempt, log } = inPanel()
    for (const event of ['will-frame-navigate', 'will-redirect'])
      expect(attempt(event, `${origin}/second.html?x#y`, false)).toBe(false)
    expect(log.lines).toEqual([])
    for (const event of ['will-navigate', 'will-frame-navigate', 'will-redirect'])
      expect(attempt(event, `${origin}/`, true)).toBe(true)
  })

  test.each([
    ...foreign,
    'app://bridge-inspector/',
    `http://${id}.localhost:4712/`,
    `http://u@${id}.localhost:4711/`,
    `http://${id}.localhost.evil:4711/`,
    `http://a.${id}.localhost:4711/`,
    'http://localhost:4711/',
    'http://127.0.0.1:4711/',
    `https://${id}.localhost:4711/`,
  ])('safety 30: to %j is refused and logged', (url) => {
    const { attempt, log } = inPanel()
    expect(attempt('will-frame-navigate', url, false)).toBe(true)
    expect(log.lines).toHaveLength(1)
  })

  test('safety 30: opens nothing for window.open, not even the origin of the panel', () => {
    expect(inPanel().contents.openHandler?.({ url: `${origin}/` })).toEqual({ action: 'deny' })
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
