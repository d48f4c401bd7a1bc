/** @module-tag slow */

import { expect, onTestFinished, test } from 'vitest'
import { startDirectPanelListener } from '../../../../electron/browser-host/panel-listener.ts'
import { createPanelFolder } from '../../../support/program/panel.ts'
import { startWritableApp } from '../../../support/program/writable-app.ts'

/** Starts a panel and a recorded client of an app whose heartbeats notice nothing by themselves. */
async function startCallers() {
  const { app, host, card } = await startWritableApp()
  await app.call('settings.update', { heartbeatMs: 60_000 })
  // The new interval begins with the next heartbeat.
  await app.call('connection.retry', {})
  const listener = await startDirectPanelListener(app.app.panel)
  onTestFinished(listener.close)
  await app.call('panel.open', { source: { kind: 'folder', path: createPanelFolder() } })
  const { url } = await app.call('panel.configure', { writes: 'let-through', allowMode: 'all' })
  const { baseUrl, key } = await app.call('clientProxy.start', {})
  const init = (headers: Record<string, string> = {}): RequestInit => ({
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ text: 'Held', confirm: true }),
  })
  const path = `/notes/${card.noteid}/title`
  const callers = {
    panel: () => fetch(new URL(`/bridge/v1${path}`, url ?? ''), init()),
    recorded: () => fetch(`${baseUrl ?? ''}${path}`, init({ authorization: `Bearer ${key ?? ''}` })),
  }
  return { app, host, callers, listTitleWrites: () => host.log.filter((entry) => entry.path.endsWith(path)) }
}

test.each(['panel', 'recorded'] as const)(
  'a request of a %s client that is held while the host restarts does not reach the new run',
  async (caller) => {
    const { app, host, callers, listTitleWrites } = await startCallers()
    const match = { method: 'POST', path: '/notes/*' }
    const rule = { id: 'one', on: true, match, at: 'request', isErrorOnly: false, waitSeconds: 60 } as const
    await app.call('breakpoints.save', { rules: [rule] })
    const response = callers[caller]()
    await expect.poll(async () => (await app.call('breakpoints.get', {})).held.length).toBe(1)
    const [heldCall] = (await app.call('breakpoints.get', {})).held
    await host.restart()
    const nonce = (await app.call('connection.get', {})).host?.instanceNonce
    await app.call('breakpoints.resume', { id: heldCall?.id ?? '', resumption: { kind: 'continue' } })
    expect(await (await response).text()).toContain('HOST_CHANGED')
    expect(listTitleWrites()).toEqual([])
    expect((await app.call('connection.get', {})).host?.instanceNonce).not.toBe(nonce)
  },
)
