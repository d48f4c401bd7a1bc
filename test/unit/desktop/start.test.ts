import type { MenuItemConstructorOptions } from 'electron'
import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../../electron/config.ts'
import { getDevServerUrl } from '../../../electron/desktop/page-protocol.ts'
import { getProgramFlags } from '../../../electron/desktop/arguments.ts'
import { createMenuTemplate } from '../../../electron/desktop/menu.ts'
import { createSecurityLogger } from '../../../electron/desktop/security-logger.ts'
import { followPreferences } from '../../../electron/desktop/preferences.ts'
import { claimSingleInstance } from '../../../electron/desktop/single-instance.ts'
import { getDesktopTexts, wrapAddress } from '../../../electron/desktop/texts.ts'
import { defaultSettings } from '../../../shared/ipc/settings.ts'
import { FakeApp, FakeDoor } from './fakes.ts'

describe('command-line flags of the desktop app', () => {
  test('exclude the switches of Chromium and Node and everything before the app folder', () => {
    const argv = [
      '/electron',
      '--no-sandbox',
      '--inspect=0',
      '--remote-debugging-port=0',
      '/app',
      '--demo',
      '--demo-nodes',
      '7',
    ]
    expect(getProgramFlags([...argv, '--lang=de', '--enable-logging'], false)).toEqual(['--demo', '--demo-nodes', '7'])
    expect(getProgramFlags(['/bridge-inspector', '--no-sandbox', '--data-dir', '/d'], true)).toEqual([
      '--data-dir',
      '/d',
    ])
    expect(getProgramFlags(['/electron'], false)).toEqual([])
  })

  test('keep a typo, which is then reported', () => {
    expect(() => parseConfig(getProgramFlags(['/electron', '/app', '--dmeo'], false), {})).toThrow('--dmeo')
  })
})

describe('a second instance with the same data directory', () => {
  const window = (minimized: boolean) => {
    const done: string[] = []
    const note = (name: string) => () => void done.push(name)
    return { done, isMinimized: () => minimized, restore: note('restore'), show: note('show'), focus: note('focus') }
  }

  test('is refused', () => {
    const app = new FakeApp()
    app.lock = false
    expect(claimSingleInstance(app.electron, null, () => null)).toBe(false)
    expect(app.listenerCount('second-instance')).toBe(0)
  })

  test('brings the first window to the front', () => {
    const [app, ownWindow] = [new FakeApp(), window(true)]
    expect(claimSingleInstance(app.electron, null, () => ownWindow)).toBe(true)
    app.emit('second-instance')
    expect(ownWindow.done).toEqual(['restore', 'show', 'focus'])
  })

  test('does no harm if it starts before there is a window', () => {
    const app = new FakeApp()
    claimSingleInstance(app.electron, null, () => null)
    expect(() => app.emit('second-instance')).not.toThrow()
  })

  test('hands over the path of its recording, which only it can resolve', () => {
    const [first, second] = [new FakeApp(), new FakeApp()]
    const opened: (string | null)[] = []
    claimSingleInstance(
      first.electron,
      null,
      () => null,
      (_argv, recording) => opened.push(recording),
    )
    second.lock = false
    claimSingleInstance(second.electron, '/a folder/50% #1/é.birec', () => null)
    // Electron reorders the arguments, so that a path may seem to be the value of a flag.
    first.emit('second-instance', {}, ['/electron', '--port', '/app', 'é.birec'], '/elsewhere', second.startData)
    first.emit('second-instance', {}, ['/electron'], '/elsewhere', 'no data of ours')
    expect(opened).toEqual(['/a folder/50% #1/é.birec', null])
  })
})

describe('theme and language', () => {
  test('are applied at the start and when they change, not with every setting', async () => {
    const door = new FakeDoor()
    door.reply = { ok: true, value: { ...defaultSettings, theme: 'dark' } }
    const applied: string[] = []
    await followPreferences(door, ({ theme, locale }) => applied.push(`${theme} ${locale}`))
    const change = (settings: object) =>
      door.publish({ topic: 'settings.changed', payload: { ...defaultSettings, ...settings } })
    change({ theme: 'dark', navCollapsed: true })
    change({ theme: 'light', locale: 'zh-CN' })
    door.publish({ topic: 'app.notice', payload: {} })
    expect(applied).toEqual(['dark system', 'light zh-CN'])
  })

  test('fall back to the defaults when the settings cannot be read', async () => {
    const door = new FakeDoor()
    door.reply = { ok: true, value: 'broken' }
    const applied: string[] = []
    await followPreferences(door, ({ theme, locale }) => applied.push(`${theme} ${locale}`))
    expect(applied).toEqual(['system system'])
  })

  test('follow the first language of the system if none is set', () => {
    const chosen = [['zh-Hans-CN', 'en'], ['de-DE', 'zh-CN'], []].map(
      (languages) => getDesktopTexts('system', languages).language,
    )
    expect(chosen).toEqual(['zh-CN', 'en', 'en'])
    expect(getDesktopTexts('zh-CN', ['en']).language).toBe('zh-CN')
  })
})

describe('the application menu', () => {
  const createItems = (platform: NodeJS.Platform, hasDevTools: boolean, locale: 'en' | 'zh-CN' = 'en') =>
    createMenuTemplate({
      texts: getDesktopTexts(locale, []),
      platform,
      hasDevTools,
      openRecording: () => undefined,
      showSettings: () => undefined,
      reload: () => undefined,
    })
  const listItems = (menu: MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
    menu.flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu : []))
  const roles = (platform: NodeJS.Platform, hasDevTools: boolean): string[] =>
    listItems(createItems(platform, hasDevTools)).map(({ role }) => role ?? '')

  test.each(['linux', 'win32', 'darwin'] as const)('opens a recording, settings and about on %s', (platform) => {
    const items = listItems(createItems(platform, false))
    for (const label of [/Open Recording…/, /Settings…/, /About Bridge Inspector/])
      expect(items.filter((item) => label.test((item.label ?? '').replace('&', '')))).toHaveLength(1)
  })

  test.each(['en', 'zh-CN'] as const)(
    'has a mnemonic of its own for each menu and each entry of a menu (%s)',
    (locale) => {
      const menu = createItems('linux', true, locale)
      for (const items of [menu, ...menu.map(({ submenu }) => (Array.isArray(submenu) ? submenu : []))]) {
        const labelled = items.filter(({ type }) => type !== 'separator')
        const mnemonics = labelled.map(({ label = '' }) => /&(\w)/.exec(label)?.[1]?.toLowerCase())
        expect(mnemonics).not.toContain(undefined)
        expect(new Set(mnemonics).size).toBe(mnemonics.length)
      }
    },
  )

  test('wraps an address that is wider than the screen, and leaves nothing of it out', () => {
    const href = `https://example.org/${'x'.repeat(2_000)}`
    expect(
      Math.max(
        ...wrapAddress(href)
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(72)
    expect(wrapAddress(href).replaceAll('\n', '')).toBe(href)
    expect(wrapAddress('https://example.org/')).toBe('https://example.org/')
  })

  test('has developer tools only if the window has them, and never the role that reloads any window', () => {
    for (const platform of ['linux', 'win32', 'darwin'] as const) {
      expect(roles(platform, false)).not.toContain('toggleDevTools')
      expect(roles(platform, true)).toContain('toggleDevTools')
      expect(roles(platform, false).filter((role) => /reload/i.test(role))).toEqual([])
      expect(roles(platform, true)).toEqual(expect.arrayContaining(['copy', 'paste', 'selectAll', 'zoomIn', 'quit']))
    }
  })

  test('has texts for every entry in both languages', () => {
    for (const locale of ['en', 'zh-CN'] as const) {
      for (const text of Object.values(getDesktopTexts(locale, []).menu)) expect(text.trim()).not.toBe('')
    }
    expect(Object.keys(getDesktopTexts('en', []).menu)).toEqual(Object.keys(getDesktopTexts('zh-CN', []).menu))
  })
})

describe('the URL of the development server', () => {
  const from = (url: string | undefined, packaged = false) =>
    getDevServerUrl(packaged, { ELECTRON_RENDERER_URL: url })?.href ?? null

  test('is accepted only on this machine, and never in a packaged app', () => {
    expect(from('http://127.0.0.1:5173')).toBe('http://127.0.0.1:5173/')
    expect(from('http://127.0.0.1:5173', true)).toBeNull()
    for (const url of [
      undefined,
      '',
      'x',
      'http://evil.example',
      'https://127.0.0.1',
      'file:///',
      'http://127.0.0.1.evil.example',
    ]) {
      expect(from(url)).toBeNull()
    }
  })
})

describe('security log', () => {
  test('keeps entries from before the log file is open', () => {
    const { log: note, connectLog: connect } = createSecurityLogger()
    note('first', { at: 1 })
    const lines: string[] = []
    connect((message) => void lines.push(message))
    note('second', {})
    expect(lines).toEqual(['first', 'second'])
  })
})
