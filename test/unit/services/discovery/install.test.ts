/** @module-tag slow */

import { expect, test } from 'vitest'
import { readAllFiles, startComposedApp } from '../../../support/program/composed-app.ts'
import { TOKEN } from '../../../support/services/test-client.ts'
import {
  respond,
  respondHostError,
  behaveInTurn,
  respondJson,
  type Behaviour,
} from '../../../support/hosts/behaviours.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { startMisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'
import { onTestFinished } from 'vitest'

test('an installation code of the demo host reaches the page and is stored nowhere', async () => {
  const app = await startComposedApp(createTempDir(), ['--demo'])
  await expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')
  const { profile } = await app.call('connection.get', {})
  await app.call('operations.unlock', { profileId: profile?.id ?? '', scope: 'session' })
  const { code, expiresInSeconds } = await app.call('connection.installCode', {})
  expect(code).toMatch(/^\d{6}$/)
  expect(expiresInSeconds).toBe(600)
  expect((await app.call('operations.list', { offset: 0, limit: 10 })).total).toBe(0)
  await app.dispose()
  expect(readAllFiles(app.dataDir)).not.toContain(code)
})

const status = respondJson({ bridgeApiVersion: '1', authorized: true, apiFingerprint: 'a' })
const routes = respondJson({ routes: [{ method: 'POST', path: '/install/code' }] })

async function connectTo(codeBehaviour: Behaviour) {
  const host = await startMisbehavingHost(behaveInTurn(status, routes, codeBehaviour))
  onTestFinished(() => host.close())
  const app = await startComposedApp(createTempDir(), ['--base-url', host.baseUrl], { env: { BRIDGE_TOKEN: TOKEN } })
  await expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')
  return { host, app }
}

test('a read-only profile requests no installation code', async () => {
  const { host, app } = await connectTo(respondJson({ code: 'X' }))
  const before = host.requests.length
  expect(await app.callExpectingError('connection.installCode', {})).toMatchObject({ code: 'READ_ONLY' })
  expect(host.requests.slice(before).filter(({ method }) => method === 'POST')).toEqual([])
})

test.each([
  ['an error', respondHostError(403, { code: 'SETUP_OFF', message: 'Switched off.' }), 'SETUP_OFF'],
  ['JSON without a code', respondJson({ ok: true }), 'INSTALL_REFUSED'],
  ['text', respond('hello'), 'INSTALL_REFUSED'],
])('a host that sends %s gives no installation code', async (_, response, code) => {
  const { app } = await connectTo(response)
  const { profile } = await app.call('connection.get', {})
  await app.call('operations.unlock', { profileId: profile?.id ?? '', scope: 'session' })
  expect(await app.callExpectingError('connection.installCode', {})).toMatchObject({ code })
})
