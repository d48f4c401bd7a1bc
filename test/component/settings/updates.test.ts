import { afterEach, describe, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import SettingsPlace from '../../../renderer/places/settings/SettingsPlace.vue'
import { useSettings } from '../../../renderer/stores/settings.ts'
import { createRefusedError } from '../../../shared/errors.ts'
import { defaultSettings } from '../../../shared/ipc/settings.ts'
import type { UpdateState } from '../../../shared/ipc/updates.ts'
import {
  findAllByRole,
  getByRole,
  installFakeServiceProcess,
  mountComponent,
  type FakeServiceProcess,
} from '../../support/vue/mounting.ts'
import { appInfo, noUpdates } from '../../support/vue/states.ts'

const desktop: UpdateState = { ...noUpdates, can: 'install', on: true }
const release = { version: '0.2.0', date: '2026-11-22', notes: '<b>Better</b>\nand quicker' }

afterEach(() => {
  document.body.innerHTML = ''
})

async function mountUpdates(
  state: UpdateState,
  more: Parameters<typeof installFakeServiceProcess>[0] = {},
): Promise<FakeServiceProcess> {
  const world = installFakeServiceProcess({
    'settings.update': (patch) => ({ ...defaultSettings, ...(patch as object) }),
    'app.info': () => appInfo,
    'vault.storage': () => ({ grade: 'none', backend: 'memory' }),
    'updates.get': () => state,
    ...more,
  })
  mountComponent(SettingsPlace)
  await vi.waitFor(() => expect(document.body.textContent).toContain('Updates'))
  return world
}

const buttons = (): (string | undefined)[] =>
  ['Check for updates', 'Download', 'Install and restart', 'Cancel'].filter((name) =>
    findAllByRole('button').some(({ textContent }) => textContent?.trim() === name),
  )

async function enter(text: string): Promise<HTMLInputElement> {
  const field = getByRole('textbox', 'Address for updates') as HTMLInputElement
  field.value = text
  field.dispatchEvent(new Event('input'))
  field.dispatchEvent(new Event('blur'))
  await nextTick()
  return field
}

describe('the update settings', () => {
  test('explain that a package manager updates the program, and offer nothing', async () => {
    await mountUpdates(noUpdates)
    expect(document.body.textContent).toContain('The browser host does not update itself')
    expect(buttons()).toEqual([])
  })

  test('are off without an address, and do not save an address that is not allowed', async () => {
    const world = await mountUpdates({ ...desktop, on: false })
    expect(document.body.textContent).toContain('No updates are looked for')
    expect(buttons()).toEqual([])
    const field = await enter('http://example.org/')
    expect(getByRole('alert').textContent).toContain('begins with https://')
    expect(field.getAttribute('aria-invalid')).toBe('true')
    expect(useSettings().values.updateUrl).toBe('')
    await enter(' https://example.org/x/ ')
    expect(useSettings().values.updateUrl).toBe('https://example.org/x/')
    expect(findAllByRole('alert')).toEqual([])
    expect(world.calls.filter(({ method }) => method.startsWith('updates.')).map(({ method }) => method)).toEqual([
      'updates.get',
    ])
  })

  test.each<[string, Partial<UpdateState>, string, string[]]>([
    ['idle', {}, '', ['Check for updates']],
    ['current', { phase: 'current', checkedAt: 1 }, 'is up to date', ['Check for updates']],
    ['available', { phase: 'available', release }, 'Version 0.2.0 is available.', ['Check for updates', 'Download']],
    ['only told of', { phase: 'available', release, can: 'tell' }, 'can’t replace itself', ['Check for updates']],
    ['checking', { phase: 'checking' }, 'Checking for updates…', ['Cancel']],
    ['downloading', { phase: 'downloading', release, received: 1_048_576, total: 4_194_304 }, '1 of 4 MB', ['Cancel']],
    ['ready', { phase: 'ready', release }, 'its checksum is right', ['Install and restart']],
    ['installing', { phase: 'installing', release }, 'installer is starting', []],
  ])('%s: show the state and the possible next step', async (_, state, text, offered) => {
    await mountUpdates({ ...desktop, ...state })
    expect(document.body.textContent).toContain(text)
    expect(buttons()).toEqual(offered)
  })

  test('show the progress of a download', async () => {
    await mountUpdates({ ...desktop, phase: 'downloading', release, received: 25, total: 100 })
    const bar = getByRole('progressbar', 'Downloading version 0.2.0…')
    expect([bar.getAttribute('aria-valuenow'), bar.getAttribute('aria-valuemax')]).toEqual(['25', '100'])
  })

  test('show the release notes as plain text', async () => {
    await mountUpdates({ ...desktop, phase: 'available', release })
    const notes = [...document.querySelectorAll('pre')].find(({ textContent }) => textContent?.includes('quicker'))
    expect(notes?.textContent).toBe(release.notes)
  })

  test('ask before installing', async () => {
    const world = await mountUpdates({ ...desktop, phase: 'ready', release }, { 'updates.install': () => desktop })
    const installs = (): number => world.calls.filter(({ method }) => method === 'updates.install').length
    getByRole('button', 'Install and restart').click()
    await nextTick()
    getByRole('button', 'Not now').click()
    await nextTick()
    expect(installs()).toBe(0)
    getByRole('button', 'Install and restart').click()
    await nextTick()
    getByRole('button', 'Install').click()
    await vi.waitFor(() => expect(installs()).toBe(1))
  })

  test('show a translated failure, and keep the next step available', async () => {
    const error = createRefusedError('UPDATE_WRONG_CHECKSUM', 'raw').wire
    await mountUpdates({ ...desktop, phase: 'available', release, error })
    expect(getByRole('alert').textContent).toContain('is not the one that the address describes')
    expect(buttons()).toEqual(['Check for updates', 'Download'])
  })

  test('follow pushed state changes', async () => {
    const world = await mountUpdates(desktop)
    world.push({ topic: 'updates.changed', payload: { ...desktop, phase: 'available', release } })
    await vi.waitFor(() => expect(document.body.textContent).toContain('Version 0.2.0 is available.'))
  })
})
