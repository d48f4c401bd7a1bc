import { createPinia, setActivePinia } from 'pinia'
import { createApp, nextTick } from 'vue'
import { beforeEach, expect, test, vi } from 'vitest'
import { detectInitialLocale, applyAppearanceSettings } from '../../../renderer/appearance.ts'
import { createTranslator } from '../../../renderer/i18n/index.ts'
import { router } from '../../../renderer/router.ts'
import { syncDocumentTitle, openStartPlace, preloadAddress } from '../../../renderer/startup.ts'
import { useApp } from '../../../renderer/stores/app.ts'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useProfiles } from '../../../renderer/stores/profiles.ts'
import { useSettings } from '../../../renderer/stores/settings.ts'
import { defaultSettings } from '../../../shared/ipc/settings.ts'
import { installFakeServiceProcess } from '../../support/vue/mounting.ts'
import { createRecordingEntry } from '../../support/vue/recordings.ts'
import { appInfo, createConnectionState, profile } from '../../support/vue/states.ts'

const view = {
  profile,
  token: { state: 'none' as const, boundTo: null, backend: null },
  plainRemote: false,
}
createApp({}).use(router)

beforeEach(async () => {
  installFakeServiceProcess({ 'settings.update': (patch) => ({ ...defaultSettings, ...(patch as object) }) })
  setActivePinia(createPinia())
  await router.replace('/')
})

const getCurrentPath = (): string => router.currentRoute.value.fullPath

test('the program starts at Connect if there is no place to return to', async () => {
  useSettings().update({ lastPlace: '/library' })
  await openStartPlace()
  expect(getCurrentPath()).toBe('/connect')
})

test('the program starts at the last place with its query if there is a connection', async () => {
  useConnection().state = createConnectionState()
  useSettings().update({ lastPlace: '/library?list=decks' })
  await openStartPlace()
  expect(getCurrentPath()).toBe('/library?list=decks')
})

test('the program starts at the report of a recording that is open in place of a host', async () => {
  installFakeServiceProcess({
    'settings.update': (patch) => ({ ...defaultSettings, ...(patch as object) }),
    'recordings.current': () => ({ open: { entry: createRecordingEntry({ id: 'R-1' }), openedAt: 1 } }),
  })
  setActivePinia(createPinia())
  useConnection().state = createConnectionState()
  useSettings().update({ lastPlace: '/library' })
  useApp().info = { ...appInfo, recording: { title: 'A day', startedAt: 1 } }
  await openStartPlace()
  expect(getCurrentPath()).toBe('/recordings/R-1')
})

test('the program does not return to a place that no longer exists', async () => {
  useConnection().state = createConnectionState()
  useSettings().update({ lastPlace: '/gone/for/good' })
  await openStartPlace()
  expect(getCurrentPath()).toBe('/library')
})

test('an address in the URL wins over the last place; an unknown one is reported and not remembered', async () => {
  useProfiles().list = [view]
  const settings = useSettings()
  settings.update({ lastPlace: '/library' })
  await router.replace('/no/such/place')
  await openStartPlace()
  expect(router.currentRoute.value.name).toBe('unknown')
  expect(settings.values.lastPlace).toBe('/library')
  await router.push('/settings')
  await vi.waitFor(() => expect(settings.values.lastPlace).toBe('/settings'))
})

test('the first rows of the address are requested before the place is loaded, unless bodies must be searched', () => {
  const { calls } = installFakeServiceProcess({})
  for (const address of ['/traffic?status=5', '/traffic?view=findings', '/traffic?q=a&bodies=1', '/library', '']) {
    location.hash = `#${address}`
    preloadAddress()
  }
  location.hash = ''
  expect(calls.map(({ method, input }) => [method, (input as { filter: object }).filter])).toEqual([
    ['traffic.head', { statuses: ['5'], thisRun: true }],
  ])
})

test('the window title names the place in the chosen language', async () => {
  const translator = createTranslator('en')
  await applyAppearanceSettings(translator)
  syncDocumentTitle(translator)
  await router.push('/settings')
  await vi.waitFor(() => expect(document.title).toBe('Settings – Bridge Inspector'))
  useSettings().update({ locale: 'zh-CN', theme: 'dark', density: 'comfortable' })
  await vi.waitFor(() => expect(document.title).toBe('设置 – Bridge Inspector'))
  const { lang, dataset } = document.documentElement
  expect([lang, dataset['theme'], dataset['density']]).toEqual(['zh-CN', 'dark', 'comfortable'])
})

test('the page starts in the language that was sent with it, otherwise in that of the system', () => {
  const { dataset } = document.documentElement
  const began = ['zh-CN', 'en', 'system'].map((language) => {
    dataset['locale'] = language
    return detectInitialLocale()
  })
  expect(began).toEqual(['zh-CN', 'en', 'en'])
  delete dataset['locale']
})

test('the last of two languages chosen in a row is shown, whichever loads first', async () => {
  const translator = createTranslator('en')
  await applyAppearanceSettings(translator)
  const settings = useSettings()
  settings.update({ locale: 'zh-CN' })
  await nextTick()
  settings.update({ locale: 'en' })
  await vi.waitFor(() => expect(Object.keys(translator.global.getLocaleMessage('zh-CN'))).not.toEqual([]))
  expect(translator.global.locale.value).toBe('en')
  expect(translator.global.t('settings.title')).toBe('Settings')
})
