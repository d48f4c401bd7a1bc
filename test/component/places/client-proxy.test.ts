import { flushPromises } from '@vue/test-utils'
import { afterEach, expect, test } from 'vitest'
import ClientProxyControl from '../../../renderer/places/traffic/ClientProxyControl.vue'
import TrafficNotices from '../../../renderer/places/traffic/TrafficNotices.vue'
import ClientProxyIndicator from '../../../renderer/shell/ClientProxyIndicator.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useOperations } from '../../../renderer/stores/operations.ts'
import type { ClientProxyState } from '../../../shared/ipc/client-proxy.ts'
import { createRefusedError } from '../../../shared/errors.ts'
import { findAllByRole, getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const off: ClientProxyState = {
  on: false,
  baseUrl: null,
  key: null,
  startedAt: null,
  passed: 0,
  refused: 0,
  locked: 0,
  lastAt: null,
  label: '',
}
const on: ClientProxyState = {
  ...off,
  on: true,
  baseUrl: 'http://127.0.0.1:41234/bridge/v1',
  key: 'k'.repeat(43),
  startedAt: 1,
  passed: 3,
  refused: 1,
  locked: 0,
  lastAt: 2,
}

async function opened(): Promise<void> {
  await flushPromises()
  getByRole('button', 'Record a client').click()
  await flushPromises()
}

test('recording starts with a name, then shows address, key, an example without the key, and counts', async () => {
  const page = installFakeServiceProcess({ 'clientProxy.get': () => off, 'clientProxy.start': () => on })
  mountComponent(ClientProxyControl)
  await opened()
  const field = getByRole('textbox', 'Name in traffic') as HTMLInputElement
  field.value = 'my tool'
  field.dispatchEvent(new Event('input'))
  await flushPromises()
  getByRole('button', 'Start recording').click()
  await flushPromises()
  expect(page.calls.find(({ method }) => method === 'clientProxy.start')?.input).toEqual({ label: 'my tool' })
  getByRole('button', `Copy Base URL: ${on.baseUrl}`)
  getByRole('button', `Copy Key: ${on.key}`)
  getByRole('button', `Copy Example: curl -H "Authorization: Bearer $KEY" '${on.baseUrl}/status'`)
  expect(document.body.textContent).toContain('3 passed on · 1 refused')
})

test('a failed start shows the reason', async () => {
  installFakeServiceProcess({
    'clientProxy.get': () => off,
    'clientProxy.start': () => {
      throw createRefusedError('PORT_TAKEN', 'Port 1 is already in use.')
    },
  })
  mountComponent(ClientProxyControl)
  await opened()
  getByRole('button', 'Start recording').click()
  await flushPromises()
  expect(getByRole('alert').textContent).toContain('PORT_TAKEN')
})

test('the status bar shows a running recording, links to the traffic, and stops it', async () => {
  const page = installFakeServiceProcess({ 'clientProxy.get': () => off, 'clientProxy.stop': () => off })
  mountComponent(ClientProxyIndicator)
  await flushPromises()
  expect(document.body.textContent).not.toContain('Recording')
  page.push({ topic: 'clientProxy.changed', payload: on })
  await flushPromises()
  expect(getByRole('link', 'Recording').getAttribute('href')).toContain('/traffic')
  getByRole('button', 'Stop recording').click()
  await flushPromises()
  expect(page.calls.at(-1)?.method).toBe('clientProxy.stop')
  expect(document.body.textContent).not.toContain('Recording')
})

test('writes that a locked profile kept from the host are counted, with a button that unlocks in place', async () => {
  let writing = 'locked'
  installFakeServiceProcess({
    'clientProxy.get': () => ({ ...on, refused: 3, locked: 2 }),
    'operations.writing': () => ({ profileId: 'p1', writing }),
    'operations.unlock': () => ({ profileId: 'p1', writing: (writing = 'session') }),
  })
  mountComponent(TrafficNotices, { props: { info: null, incomplete: false } })
  useConnection().state = createConnectionState()
  useOperations().start()
  await flushPromises()
  expect(getByRole('status').textContent).toContain('2 writes of recorded clients were not sent')
  getByRole('button', 'Unlock until the app exits').click()
  await flushPromises()
  expect(findAllByRole('status')).toEqual([])
})
