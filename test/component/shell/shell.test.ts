import { flushPromises } from '@vue/test-utils'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { h, nextTick } from 'vue'
import CommandPalette from '../../../renderer/shell/CommandPalette.vue'
import NavRail from '../../../renderer/shell/NavRail.vue'
import ShortcutSheet from '../../../renderer/shell/ShortcutSheet.vue'
import NoticeStack from '../../../renderer/shell/NoticeStack.vue'
import StatusBar from '../../../renderer/shell/StatusBar.vue'
import { useShellActions } from '../../../renderer/shell/shell-actions.ts'
import { elementKeyGroups } from '../../../renderer/components/element-keys.ts'
import { places } from '../../../renderer/places/index.ts'
import { useApp } from '../../../renderer/stores/app.ts'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { saveFile } from '../../../renderer/panes/save-file.ts'
import { useNotices } from '../../../renderer/stores/notices.ts'
import { usePaletteSources } from '../../../renderer/stores/palette.ts'
import { useSettings } from '../../../renderer/stores/settings.ts'
import { useShortcuts } from '../../../renderer/stores/shortcuts.ts'
import { useUi } from '../../../renderer/stores/ui.ts'
import {
  findAllByRole,
  getByRole,
  installFakeServiceProcess,
  pressKey,
  mountComponent,
} from '../../support/vue/mounting.ts'
import type { AppInfo } from '../../../shared/ipc/app.ts'
import { createConnectionState } from '../../support/vue/states.ts'

beforeEach(() => {
  installFakeServiceProcess({ 'app.dismissNotice': () => ({}), 'settings.update': () => ({}) })
})
afterEach(() => {
  document.body.innerHTML = ''
})

const widen = (width: number): void => {
  ;(window as unknown as { happyDOM: { setViewport(size: { width: number }): void } }).happyDOM.setViewport({ width })
}

describe('the status bar', () => {
  test.each([
    ['none', 'Not connected'],
    ['connecting', 'Connecting'],
    ['online', 'Online'],
    ['unauthorized', 'Unauthorized'],
    ['offline', 'Offline'],
  ] as const)('%s: begins with %s, then the version of the host', async (phase, word) => {
    mountComponent(StatusBar)
    useConnection().state = createConnectionState({ phase })
    await nextTick()
    const text = getByRole('status', 'Connection').textContent.replace(/\s+/g, ' ').trim()
    expect(text).toMatch(new RegExp(`^${word} ?4\\.9\\.1`))
  })

  test('does not show a host as online if the service process is gone', async () => {
    mountComponent(StatusBar)
    const state = useConnection()
    state.state = createConnectionState()
    state.serviceReachable = false
    await nextTick()
    expect(getByRole('status', 'Connection').textContent).toMatch(/^Offline/)
  })

  test('shows latency, profile, lock and interruptions', async () => {
    const page = mountComponent(StatusBar)
    useConnection().state = createConnectionState({ gaps: [{ id: 1, reason: 'unreachable', from: 1, until: 2 }] })
    await nextTick()
    for (const text of ['12 ms', 'Study host', 'Read-only', '1 interruption']) expect(page.text()).toContain(text)
  })

  test.each([
    [1000, ''],
    [1440, 'Not following'],
  ])('in a window of %i px, says of a host that is not followed: %s', async (width, text) => {
    widen(width)
    mountComponent(StatusBar)
    useConnection().state = createConnectionState()
    await nextTick()
    expect(getByRole('button', 'Follow the host').textContent.trim()).toBe(text)
  })

  test('updates the latency only if it changes clearly', async () => {
    const page = mountComponent(StatusBar)
    const labels: (string | undefined)[] = []
    for (const latencyMs of [12, 16.9, 7.1, 17, 40, 49, 31, 30, null, 31]) {
      useConnection().state = createConnectionState({ latencyMs })
      await nextTick()
      labels.push(page.find('.numeric').exists() ? page.find('.numeric').text() : undefined)
    }
    const [low, mid, high, back] = ['12 ms', '17 ms', '40 ms', '30 ms']
    expect(labels).toEqual([low, low, low, mid, high, high, high, back, undefined, '31 ms'])
  })
})

test('shows no interruptions without a host', async () => {
  const page = mountComponent(StatusBar)
  const gaps = [{ id: 1, reason: 'disconnected' as const, from: 1, until: null }]
  useConnection().state = createConnectionState({ phase: 'none', profile: null, host: null, latencyMs: null, gaps })
  await nextTick()
  expect(getByRole('status', 'Connection').textContent.trim()).toBe('Not connected')
  expect(page.text()).not.toContain('interruption')
})

describe('notifications', () => {
  test('announce a restart of the host with its time until dismissed', async () => {
    mountComponent(NoticeStack)
    // Screen readers announce what is added to a region that was there before.
    const region = getByRole('status')
    const timestamp = new Date(2026, 10, 3, 14, 3).getTime()
    useConnection().state = createConnectionState({ changes: [{ at: timestamp, restarted: true, facts: [] }] })
    await nextTick()
    expect(region.textContent).toContain('The host restarted at 14:03. Anything read before that is marked.')
    getByRole('button', 'Dismiss').click()
    await nextTick()
    expect(region.textContent).toBe('')
  })

  test('keep a changed version or fingerprint of the host in their history, with a link to it', async () => {
    mountComponent(StatusBar)
    const timestamp = new Date(2026, 10, 3, 14, 3).getTime()
    useConnection().state = createConnectionState({
      changes: [
        { at: timestamp + 1, restarted: false, facts: [{ name: 'apiFingerprint', from: 'f1', to: 'f2' }] },
        { at: timestamp, restarted: true, facts: [{ name: 'appVersion', from: '4.9.1', to: '4.9.2' }] },
      ],
    })
    await nextTick()
    getByRole('button', '2 notices').click()
    await vi.waitFor(() => expect(document.querySelector('[aria-label="Notices"]')).not.toBeNull())
    const [routes, version] = [...document.querySelectorAll('[aria-label="Notices"] li')]
    expect(routes?.textContent).toContain('The host was updated at 14:03 without a restart.')
    expect(routes?.textContent).toContain('the API fingerprint is f2; it was f1.')
    expect(routes?.querySelector('a')?.getAttribute('href')).toContain('/contract')
    expect(version?.textContent).toContain('The host restarted at 14:03.')
    expect(version?.textContent).toContain('Its version is 4.9.2; it was 4.9.1.')
    expect(version?.querySelector('a')?.getAttribute('href')).toMatch(/\/host$/)
  })

  test.each(['browser', 'desktop'] as const)(
    'say in a %s which file was saved, and what can be done now',
    async (mode) => {
      const { calls } = installFakeServiceProcess({ 'app.revealSaved': () => ({}), 'app.dismissNotice': () => ({}) })
      const copied: string[] = []
      const writeText = (text: string): Promise<void> => Promise.resolve(void copied.push(text))
      vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue({ writeText } as Clipboard)
      mountComponent(NoticeStack)
      useApp().info = { mode } as AppInfo
      const save = (name: string, type: string): void => saveFile(new Blob([name], { type }), name)
      save('drift.sarif', 'application/sarif+json')
      const notice = { level: 'info', code: 'FILE_SAVED', message: '', at: 1 } as const
      if (mode === 'desktop') {
        await nextTick()
        expect(findAllByRole('button', 'Dismiss')).toEqual([])
        useNotices().add({ ...notice, id: 'n1', params: { file: 'drift.sarif' } })
      }
      await nextTick()
      expect(getByRole('status').textContent).toContain('Saved “drift.sarif”.')
      getByRole('button', 'Copy text').click()
      await vi.waitFor(() => expect(copied).toEqual(['drift.sarif']))
      expect(findAllByRole('button', 'Show')).toHaveLength(mode === 'desktop' ? 1 : 0)
      if (mode === 'desktop') {
        getByRole('button', 'Show').click()
        await vi.waitFor(() => expect(calls.map(({ method }) => method)).toContain('app.revealSaved'))
      }
      save('map.png', 'image/png')
      if (mode === 'desktop') useNotices().add({ ...notice, id: 'n2', params: { file: 'map.png' } })
      await nextTick()
      expect(getByRole('status').textContent).toContain('Saved “map.png”.')
      expect(getByRole('status').textContent).not.toContain('drift.sarif')
      expect(findAllByRole('button', 'Copy text')).toEqual([])
    },
  )

  describe('that disappear by themselves', () => {
    const restarted = createConnectionState({ changes: [{ at: 2_000, restarted: true, facts: [] }] })
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    test('are kept behind an item of the status bar', async () => {
      mountComponent({ render: () => [h(NoticeStack), h(StatusBar)] })
      useConnection().state = restarted
      await nextTick()
      const announced = (): boolean => /The host restarted/.test(document.querySelector('.stack')?.textContent ?? '')
      expect(announced()).toBe(true)
      await vi.advanceTimersByTimeAsync(20_000)
      expect(announced()).toBe(false)
      getByRole('button', '1 notice').click()
      await vi.advanceTimersByTimeAsync(1_000)
      const history = document.querySelector('[aria-label="Notices"]')
      expect(history?.textContent).toContain('The host restarted at')
      getByRole('button', 'Remove').click()
      await vi.advanceTimersByTimeAsync(1_000)
      expect(findAllByRole('button', /notice/)).toEqual([])
    })

    test('stay while the pointer or the focus is on them', async () => {
      mountComponent(NoticeStack)
      useConnection().state = restarted
      await nextTick()
      const stack = document.querySelector('.stack')
      stack?.dispatchEvent(new MouseEvent('mouseenter'))
      await vi.advanceTimersByTimeAsync(60_000)
      expect(stack?.textContent).toContain('The host restarted at')
      stack?.dispatchEvent(new MouseEvent('mouseleave'))
      await vi.advanceTimersByTimeAsync(20_000)
      expect(stack?.textContent).toBe('')
    })

    test('do not include errors', async () => {
      mountComponent(NoticeStack)
      useNotices().add({ id: 'e', level: 'error', code: 'JOURNAL_UNUSABLE', message: 'english', at: 1 })
      await vi.advanceTimersByTimeAsync(600_000)
      expect(findAllByRole('alert')).toHaveLength(1)
    })
  })

  test('include an alert about a lost service process that cannot be dismissed', async () => {
    mountComponent(NoticeStack)
    useConnection().serviceReachable = false
    await nextTick()
    expect(getByRole('alert').textContent).toContain('The service process doesn’t respond')
    expect(findAllByRole('button')).toEqual([])
  })

  test('say that a write of an agent waits behind an open recording, until it is decided', async () => {
    const page = installFakeServiceProcess({ 'recordings.close': () => ({}) })
    mountComponent(NoticeStack)
    await flushPromises()
    const publish = (...proposals: object[]): Promise<void> => {
      page.push({ topic: 'agents.changed', payload: { asks: proposals } })
      return nextTick()
    }
    await publish({ id: 'a', at: 1, agent: 'Agent Smith' })
    expect(getByRole('status').textContent).toBe('')
    useApp().info = { recording: { title: 'Day' } } as unknown as AppInfo
    await nextTick()
    expect(getByRole('status').textContent).toContain('Agent Smith proposes a write to your host, and waits.')
    expect(findAllByRole('button', 'Dismiss')).toEqual([])
    getByRole('button', 'Review').click()
    await flushPromises()
    expect(page.calls.map(({ method }) => method)).toContain('recordings.close')
    await publish()
    expect(getByRole('status').textContent).toBe('')
  })

  test('translate a notice by its code, show it once, and remove it when dismissed', async () => {
    mountComponent(NoticeStack, { locale: 'zh-CN' })
    const notices = useNotices()
    const notice = { id: 'n', level: 'warning' as const, code: 'SETTINGS_LOST', message: 'english', at: 1 }
    notices.add(notice)
    notices.add(notice)
    await nextTick()
    expect(findAllByRole('status').map((element) => element.textContent)).toEqual([
      expect.stringContaining('无法读取设置文件'),
    ])
    getByRole('button', '关闭').click()
    await nextTick()
    expect(getByRole('status').textContent).toBe('')
  })
})

describe('the navigation', () => {
  test('collapses in a narrow window', () => {
    widen(1000)
    mountComponent(NavRail)
    expect(getByRole('link', 'Settings').textContent.trim()).toBe('')
    expect(findAllByRole('button', /navigation/)).toEqual([])
  })

  test('stays collapsed across starts and keeps the names of its entries', async () => {
    widen(1440)
    mountComponent(NavRail)
    const nav = getByRole('navigation', 'Main')
    expect(getByRole('link', 'Settings', nav).textContent).toContain('Settings')
    getByRole('button', 'Collapse navigation').click()
    await nextTick()
    expect(useSettings().values.navCollapsed).toBe(true)
    expect(getByRole('link', 'Settings', nav).textContent.trim()).toBe('')
    getByRole('button', 'Expand navigation')
  })
})

describe('the command palette', () => {
  beforeEach(() => {
    Element.prototype.scrollIntoView = () => undefined
  })

  test('finds actions and entries of places, and works by keyboard', async () => {
    const ran: string[] = []
    const page = mountComponent({
      setup() {
        useShortcuts().register([
          {
            id: 'x.dark',
            titleKey: 'shell.action.themeDark',
            groupKey: 'shortcuts.group.view',
            run: () => ran.push('dark'),
          },
          {
            id: 'x.off',
            titleKey: 'shell.action.retry',
            groupKey: 'shortcuts.group.view',
            run: () => undefined,
            isEnabled: () => false,
          },
        ])
        usePaletteSources().register({
          id: 'sets',
          titleKey: 'settings.title',
          items: async () => [{ id: 't1', title: '系统解剖学', run: () => ran.push('set') }],
        })
        return () => h(CommandPalette)
      },
    })
    useUi().overlay = 'palette'
    await vi.waitFor(() => expect(findAllByRole('option')).toHaveLength(2))
    const field = getByRole('combobox', 'Command palette') as HTMLInputElement
    expect(document.activeElement).toBe(field)
    expect(field.getAttribute('aria-controls')).toBe(getByRole('listbox').id)
    pressKey(field, 'ArrowDown')
    await nextTick()
    const active = document.getElementById(field.getAttribute('aria-activedescendant') ?? '')
    expect(active?.textContent).toContain('系统解剖学')
    expect(active?.getAttribute('aria-selected')).toBe('true')
    field.value = 'dark'
    field.dispatchEvent(new Event('input'))
    await nextTick()
    expect(findAllByRole('option').map((option) => option.textContent)).toEqual(['Use the dark theme'])
    field.value = '深色'
    field.dispatchEvent(new Event('input'))
    await nextTick()
    expect(findAllByRole('option').map((option) => option.textContent)).toEqual(['Use the dark theme'])
    pressKey(field, 'Enter')
    // The search is loaded late.
    await vi.waitFor(() => expect(ran).toEqual(['dark']))
    expect(useUi().overlay).toBeNull()
    page.unmount()
  })

  test('asks sources for more items, and offers the text to the search of a connected host', async () => {
    const queries: string[] = []
    const page = mountComponent({
      setup() {
        usePaletteSources().register({
          id: 'cards',
          titleKey: 'settings.title',
          items: () => [],
          find: (query) => {
            queries.push(query)
            return Promise.resolve([{ id: 'N', title: 'Power series', run: () => undefined }])
          },
        })
        return () => h(CommandPalette)
      },
    })
    const type = async (text: string): Promise<string[]> => {
      const field = getByRole('combobox', 'Command palette') as HTMLInputElement
      field.value = text
      field.dispatchEvent(new Event('input'))
      await flushPromises()
      return findAllByRole('option').map((option) => option.textContent)
    }
    expect(await type(' series ')).toEqual(['Power series'])
    useConnection().state = createConnectionState()
    expect(await type('power')).toEqual(['Power series', 'Search the host for “power”'])
    expect(await type('')).toEqual([])
    expect(queries).toEqual(['series', 'power'])
    page.unmount()
  })

  test('lists all of several items with the same id', async () => {
    const page = mountComponent({
      setup() {
        usePaletteSources().register({
          id: 'sets',
          titleKey: 'settings.title',
          items: async () => ['First', 'Second'].map((title) => ({ id: 't1', title, run: () => undefined })),
        })
        return () => h(CommandPalette)
      },
    })
    await vi.waitFor(() => expect(findAllByRole('option')).toHaveLength(2))
    const field = getByRole('combobox', 'Command palette') as HTMLInputElement
    field.value = 'second'
    field.dispatchEvent(new Event('input'))
    await nextTick()
    expect(findAllByRole('option').map((option) => option.textContent)).toEqual(['Second'])
    page.unmount()
  })
})

test('the help sheet lists every place, every action with keys, also of closed places, and the keys of elements', () => {
  const page = mountComponent({
    setup() {
      useShellActions()
      return () => h(ShortcutSheet)
    },
  })
  const shortcuts = useShortcuts()
  const groupSizes = elementKeyGroups.map(({ keys }) => keys.length)
  const rowCount = shortcuts.bindings.size + groupSizes.reduce((total, size) => total + size, 0)
  expect(document.querySelectorAll('[role=dialog] dt')).toHaveLength(rowCount)
  for (const { id, nav } of places) if (nav) expect(shortcuts.keysOf(`go.${id}`)).toBe(`G ${nav.key}`)
  expect(shortcuts.keysOf('console.send')).toBe('$mod+Enter')

  const stop = shortcuts.register([
    {
      id: 'console.send',
      titleKey: 'console.send',
      groupKey: 'console.title',
      keys: '$mod+Enter',
      run: () => undefined,
    },
  ])
  stop()
  expect(shortcuts.keysOf('console.send')).toBe('$mod+Enter')
  page.unmount()
})
