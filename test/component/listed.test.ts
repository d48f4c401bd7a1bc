import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { beforeEach, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import WriteMenu from '../../renderer/panes/write/WriteMenu.vue'
import { useConnection } from '../../renderer/stores/connection.ts'
import { useHostCapabilities } from '../../renderer/stores/host-capabilities.ts'
import { useOperations } from '../../renderer/stores/operations.ts'
import { createReadReply } from '../support/vue/read-reply.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../support/vue/mounting.ts'
import { appInfo, createConnectionState, profile } from '../support/vue/states.ts'

const host = createConnectionState().host
if (!host) throw new Error('no host')
const states = {
  away: createConnectionState({ phase: 'offline', profile: null, host: null }),
  connecting: createConnectionState({ phase: 'connecting', host: null }),
  online: createConnectionState({ host: { ...host, apiFingerprint: 'a' } }),
  newer: createConnectionState({ profile: { ...profile, id: 'p2' }, host: { ...host, apiFingerprint: 'b' } }),
  other: createConnectionState({ profile: { ...profile, id: 'p2' }, host: { ...host, apiFingerprint: 'c' } }),
}

beforeEach(() => setActivePinia(createPinia()))

test('the capabilities are read once for a host, and again when the host or its version changes', async () => {
  let ends = false
  const { calls } = installFakeServiceProcess({
    'bridge.read': () => (ends ? Promise.reject(new Error('no answer')) : new Promise(() => undefined)),
  })
  const now = useConnection()
  const to = async (name: keyof typeof states): Promise<number> => {
    now.state = states[name]
    await nextTick()
    await flushPromises()
    return calls.filter(({ method }) => method === 'bridge.read').length
  }
  now.state = states.away
  useHostCapabilities()
  expect(await to('connecting')).toBe(0)
  expect(await to('online')).toBe(1)
  ends = true
  expect(await to('other')).toBe(2)
  expect(await to('newer')).toBe(3)
})

test('a heartbeat without changes does not read the capabilities again', async () => {
  const { calls } = installFakeServiceProcess({ 'bridge.read': () => Promise.reject(new Error('no answer')) })
  const now = useConnection()
  now.state = states.online
  useHostCapabilities()
  await flushPromises()
  const before = calls.length
  now.state = { ...states.online, host: { ...host, apiFingerprint: 'a' } }
  await nextTick()
  await flushPromises()
  expect(calls.length).toBe(before)
})

test('the menu of a card begins with its title, text, comments, hashtags and color', async () => {
  installFakeServiceProcess({ 'app.info': () => appInfo })
  const menu = mountComponent(WriteMenu, { props: { noteid: 'N' } })
  getByRole('button', 'Write…').click()
  await flushPromises()
  const labels = findAllByRole('menuitem').map(({ textContent }) => textContent.trim())
  const usual = ['Set the title', 'Set the text', 'Append a comment', 'Change hashtags', 'Change color and fill']
  expect(labels.slice(0, usual.length)).toEqual(usual)
  expect(new Set(labels).size).toBe(labels.length)
  menu.unmount()
})

test('writes that the host does not list come last, are disabled, and show the reason', async () => {
  const routes = [{ method: 'POST', path: '/notes/{id}/title' }]
  installFakeServiceProcess({
    'bridge.read': () => createReadReply('capabilities.get', JSON.stringify({ routes })),
    'app.info': () => appInfo,
  })
  mountComponent(WriteMenu, { props: { noteid: 'N' } })
  getByRole('button', 'Write…').click()
  await flushPromises()
  const disabled = (): HTMLElement[] =>
    findAllByRole('menuitem').filter((item) => item.getAttribute('aria-disabled') === 'true')
  const count = findAllByRole('menuitem').length
  // Nothing is known before the capabilities are read.
  expect(disabled()).toEqual([])
  expect(findAllByRole('group', 'Not listed by this host')).toEqual([])
  useConnection().state = states.online
  await vi.waitFor(() => expect(disabled()).toHaveLength(count - 1))
  const [first, ...others] = findAllByRole('menuitem')
  expect(first?.textContent.trim()).toBe('Set the title')
  expect(others).toEqual(disabled())
  expect(others[0]?.title).toBe('This host’s capabilities don’t list its route.')
  getByRole('group', 'Not listed by this host')
  others[0]?.click()
  expect(useOperations().composedWrite).toBeNull()
  expect(findAllByRole('menu')).toHaveLength(1)
  first?.click()
  expect(useOperations().composedWrite).not.toBeNull()
})
