import { describe, expect, test } from 'vitest'
import { parseConfig } from '../../../electron/config.ts'
import { getDevServerUrl } from '../../../electron/desktop/page-protocol.ts'
import { getProgramFlags } from '../../../electron/desktop/arguments.ts'
import { createMenuTemplate } from '../../../electron/desktop/menu.ts'
import { createSecurityLogger } from '../../../electron/desktop/security-logger.ts'
import { followPreferences } from '../../../electron/desktop/preferences.ts'
import { claimSingleInstance } from '../../../electron/desktop/single-instance.ts'
import { getDesktopTexts } from '../../../electron/desktop/texts.ts'
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
  const roles = (platform: NodeJS.Platform, packaged: boolean): string[] =>
    createMenuTemplate({
      texts: getDesktopTexts('en', []),
      platform,
      isPackaged: packaged,
      reload: () => undefined,
    }).flatMap(({ submenu }) => (Array.isArray(submenu) ? submenu.map(({ role }) => role ?? '') : []))

  test('has developer tools only in development, and never the role that reloads any window', () => {
    for (const platform of ['linux', 'win32', 'darwin'] as const) {
      expect(roles(platform, true)).not.toContain('toggleDevTools')
      expect(roles(platform, false)).toContain('toggleDevTools')
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
