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

test('a code of the demo host is given to the page, and written down nowhere', async () => {
  const app = await startComposedApp(createTempDir(), ['--demo'])
  await expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')
  const { code, expiresInSeconds } = await app.call('connection.installCode', {})
  expect(code).toMatch(/^\d{6}$/)
  expect(expiresInSeconds).toBe(600)
  expect((await app.call('operations.list', { offset: 0, limit: 10 })).total).toBe(0)
  await app.dispose()
  expect(readAllFiles(app.dataDir)).not.toContain(code)
})

const status = respondJson({ bridgeApiVersion: '1', authorized: true, apiFingerprint: 'a' })
const routes = respondJson({ routes: [{ method: 'POST', path: '/install/code' }] })

async function against(last: Behaviour) {
  const host = await startMisbehavingHost(behaveInTurn(status, routes, last))
  onTestFinished(() => host.close())
  const app = await startComposedApp(createTempDir(), ['--base-url', host.baseUrl], { env: { BRIDGE_TOKEN: TOKEN } })
  await expect.poll(async () => (await app.call('connection.get', {})).phase).toBe('online')
  return { host, app }
}

test('a locked profile asks for none', async () => {
  const { host, app } = await against(respondJson({ code: 'X' }))
  const before = host.requests.length
  expect(await app.callExpectingError('connection.installCode', {})).toMatchObject({ code: 'READ_ONLY' })
  expect(host.requests.slice(before).filter(({ method }) => method === 'POST')).toEqual([])
})

test.each([
  ['an error', respondHostError(403, { code: 'SETUP_OFF', message: 'Switched off.' }), 'SETUP_OFF'],
  ['no code', respondJson({ ok: true }), 'INSTALL_REFUSED'],
  ['text', respond('hello'), 'INSTALL_REFUSED'],
])('%s is no code', async (_, said, code) => {
  const { app } = await against(said)
  const { profile } = await app.call('connection.get', {})
  await app.call('operations.unlock', { profileId: profile?.id ?? '', scope: 'session' })
  expect(await app.callExpectingError('connection.installCode', {})).toMatchObject({ code })
})
