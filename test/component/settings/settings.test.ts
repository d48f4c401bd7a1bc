import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import AboutSection from '../../../renderer/places/settings/AboutSection.vue'
import SettingsPlace from '../../../renderer/places/settings/SettingsPlace.vue'
import { messageFiles } from '../../../renderer/i18n/en.ts'
import { useApp } from '../../../renderer/stores/app.ts'
import { useSettings } from '../../../renderer/stores/settings.ts'
import { useShortcuts } from '../../../renderer/stores/shortcuts.ts'
import { defaultSettings } from '../../../shared/ipc/settings.ts'
import {
  findAllByRole,
  getByRole,
  installFakeServiceProcess,
  pressKey,
  mountComponent,
} from '../../support/vue/mounting.ts'
import { appInfo, noUpdates } from '../../support/vue/states.ts'

beforeEach(() => {
  installFakeServiceProcess({
    'settings.update': (patch) => ({ ...defaultSettings, ...(patch as object) }),
    'app.info': () => appInfo,
    'vault.storage': () => ({ grade: 'none', backend: 'memory' }),
    'updates.get': () => noUpdates,
  })
})
afterEach(() => {
  document.body.innerHTML = ''
})

async function type(field: HTMLInputElement, text: string): Promise<void> {
  field.value = text
  field.dispatchEvent(new Event('input'))
  await nextTick()
}

describe('settings', () => {
  test('list every change of this version', async () => {
    const section = mountComponent(AboutSection)
    useApp().info = appInfo
    await nextTick()
    const messages = messageFiles['./locales/en/settings.json'] as unknown as {
      settings: { about: { changes: Record<string, string> } }
    }
    const changes = Object.values(messages.settings.about.changes)
    expect(section.findAll('.new li').map((item) => item.text())).toEqual(changes)
  })

  test('stand in five sections, with numbers only under Limits', () => {
    mountComponent(SettingsPlace)
    const headings = [...document.querySelectorAll('h2')].map(({ textContent }) => textContent)
    expect(headings).toEqual(['Appearance', 'Connection', 'Panel lab', 'Limits', 'About'])
    const numbers = [...document.querySelectorAll('input[inputmode="decimal"]')]
    expect(numbers).toHaveLength(17)
    expect(new Set(numbers.map((field) => field.closest('section')?.querySelector('h2')?.textContent))).toEqual(
      new Set(['Limits']),
    )
  })

  test('are found by every word of their label, their help or their section, and stay the same elements', async () => {
    const mounted = mountComponent(SettingsPlace)
    await useApp().load()
    const search = getByRole('searchbox', 'Find a setting') as HTMLInputElement
    const listLabels = (): string[] =>
      mounted
        .findAll('section')
        .filter((section) => section.isVisible())
        .flatMap((section) => section.findAll('h2, .setting label, .setting .words > span'))
        .filter((label) => label.isVisible())
        .map((label) => label.text())
    const everything = listLabels()
    const field = getByRole('textbox', 'Idle timeout')
    await type(search, 'ＴＩＭＥout')
    expect(listLabels()).toEqual(['Limits', 'Connect timeout', 'Idle timeout', 'Total timeout'])
    await type(search, 'middle  pause')
    expect(listLabels()).toEqual(['Limits', 'Idle timeout'])
    await type(search, 'limits pause host')
    expect(listLabels()).toContain('Consecutive empty pages')
    expect(listLabels()).not.toContain('Heartbeat')
    await type(search, 'panel lab')
    expect(listLabels()).toEqual(['Panel lab', 'Wrappers of a panel’s calls', 'Pictures of panels'])
    expect(document.body.textContent).not.toContain('No setting has these words')
    await type(search, 'nothing of that name')
    expect(listLabels()).toEqual([])
    expect(document.body.textContent).toContain('No setting has these words')
    await type(search, '')
    expect(listLabels()).toEqual(everything)
    expect(getByRole('textbox', 'Idle timeout')).toBe(field)
  })

  test('show the shortcuts that are searched for', async () => {
    const mounted = mountComponent(SettingsPlace)
    const common = { groupKey: 'shortcuts.group.view', run: () => undefined }
    useShortcuts().register([
      { ...common, id: 'one', titleKey: 'shell.action.toggleNav', keys: '$mod+B' },
      { ...common, id: 'two', titleKey: 'shell.action.toggleInspector', keys: '$mod+I' },
    ])
    const listTitles = (): string[] =>
      mounted
        .findAll('h3, li .title')
        .filter((title) => title.isVisible())
        .map((title) => title.text())
    await type(getByRole('searchbox', 'Find a setting') as HTMLInputElement, 'inspector')
    expect(listTitles()).toEqual(['Keyboard shortcuts', 'Show or hide the inspector'])
    await type(getByRole('searchbox', 'Find a setting') as HTMLInputElement, 'theme')
    expect(listTitles()).toEqual([])
  })

  test('apply theme, language and density at once', async () => {
    mountComponent(SettingsPlace)
    getByRole('radio', 'Dark').click()
    getByRole('radio', '简体中文').click()
    getByRole('radio', 'Comfortable').click()
    await nextTick()
    expect(useSettings().values).toMatchObject({ theme: 'dark', locale: 'zh-CN', density: 'comfortable' })
  })

  test('show the range for a number outside of it, and do not save the number', async () => {
    mountComponent(SettingsPlace)
    const field = getByRole('textbox', 'Cards per request') as HTMLInputElement
    await type(field, '9000')
    expect(getByRole('alert').textContent).toBe('Enter a number from 1 to 5,000.')
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(useSettings().values.treePageSize).toBe(5000)
    await type(field, '1200')
    expect(findAllByRole('alert')).toEqual([])
    expect(useSettings().values.treePageSize).toBe(1200)
    await type(field, 'x')
    field.dispatchEvent(new Event('blur'))
    await nextTick()
    expect(field.value).toBe('1200')
  })

  test('record a shortcut, name its conflict, and restore its default', async () => {
    mountComponent(SettingsPlace)
    const shortcuts = useShortcuts()
    const common = { groupKey: 'shortcuts.group.view', run: () => undefined }
    shortcuts.register([
      { ...common, id: 'one', titleKey: 'shell.action.toggleNav', keys: '$mod+B' },
      { ...common, id: 'two', titleKey: 'shell.action.toggleInspector', keys: '$mod+I' },
    ])
    await nextTick()
    const button = getByRole('button', 'Change the shortcut of “Collapse or expand the navigation”')
    button.click()
    await nextTick()
    expect(shortcuts.paused).toBe(true)
    pressKey(button, 'Control', { ctrlKey: true })
    pressKey(button, 'i', { ctrlKey: true })
    await nextTick()
    expect(shortcuts.paused).toBe(false)
    expect(shortcuts.keysOf('one')).toBe('$mod+I')
    expect(document.body.textContent).toContain('Also used by “Show or hide the inspector”')
    getByRole('button', 'Restore the default for “Collapse or expand the navigation”').click()
    await nextTick()
    expect(shortcuts.keysOf('one')).toBe('$mod+B')
  })

  test('show where data is stored, how tokens are stored, and which version runs', async () => {
    mountComponent(SettingsPlace)
    await useApp().load()
    await vi.waitFor(() => expect(document.body.textContent).toContain('Tokens are kept only in memory'))
    expect(document.body.textContent).toContain(appInfo.dataDir)
    expect(document.body.textContent).toContain('0.1.0')
  })

  test('ask before a reset', async () => {
    mountComponent(SettingsPlace)
    const settings = useSettings()
    settings.update({ theme: 'dark', inspectorWidth: 500 })
    getByRole('button', 'Reset all settings').click()
    await nextTick()
    expect(settings.values.theme).toBe('dark')
    getByRole('button', 'Reset').click()
    await nextTick()
    expect(settings.values).toMatchObject({ theme: 'system', inspectorWidth: 500 })
  })

  test('read third-party licenses on request, and each text when it is opened', async () => {
    const requests: string[] = []
    const list = [{ name: 'pkg', version: '1.2.3', identifier: 'ISC', text: 'Do as you like.' }]
    vi.stubGlobal('fetch', (url: string) => {
      requests.push(url)
      return Promise.resolve(Response.json(list))
    })
    mountComponent(SettingsPlace)
    await useApp().load()
    const licenses = await vi.waitFor(() => details('Third-party licenses'))
    expect(requests).toEqual([])
    open(licenses)
    const packageDetails = await vi.waitFor(() => details('pkg'))
    expect(requests).toEqual(['/licenses.json'])
    expect(packageDetails.textContent).toContain('1.2.3 · ISC')
    expect(document.body.textContent).not.toContain('Do as you like.')
    open(packageDetails)
    await vi.waitFor(() => expect(packageDetails.textContent).toContain('Do as you like.'))
    vi.unstubAllGlobals()
  })

  test('report a build without the list of licenses', async () => {
    vi.stubGlobal('fetch', () => Promise.resolve(new Response('<html>', { headers: { 'content-type': 'text/html' } })))
    mountComponent(SettingsPlace)
    await useApp().load()
    open(await vi.waitFor(() => details('Third-party licenses')))
    await vi.waitFor(() => expect(getByRole('alert').textContent).toContain('written when the app is built'))
    vi.unstubAllGlobals()
  })
})

/** The collapsible part whose summary has these words. */
function details(words: string): HTMLDetailsElement {
  const matches = [...document.querySelectorAll('details')].filter((element) =>
    element.querySelector('summary')?.textContent.includes(words),
  )
  const last = matches.at(-1)
  if (!last) throw new Error(`nothing opens by “${words}”`)
  return last
}
function open(element: HTMLDetailsElement): void {
  element.open = true
  element.dispatchEvent(new Event('toggle'))
}
