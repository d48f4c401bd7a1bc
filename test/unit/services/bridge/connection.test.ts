import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startDemoHost } from '../../../../electron/demo-host/server.ts'
import { createConnection } from '../../../../electron/services/bridge/connection/connection.ts'
import { originOf } from '../../../../electron/services/profiles/base-url.ts'
import type { BridgeClient } from '../../../../electron/services/bridge/types.ts'
import { AppError } from '../../../../shared/errors.ts'
import type { Profile } from '../../../../shared/ipc/profiles.ts'
import { behaveInTurn, respondJson } from '../../../support/hosts/behaviours.ts'
import { createTestClient, TOKEN } from '../../../support/services/test-client.ts'
import { createCertificate } from '../../../support/hosts/certificates.ts'
import { createFakeKeyring } from '../../../support/services/ciphers.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { startMisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'
import { createScriptedHost } from '../../../support/hosts/scripted-host.ts'
import { startStores } from '../../../support/services/service-environment.ts'

const draft = { name: 'Host', auth: { header: 'Authorization', scheme: 'Bearer' }, readOnly: true }
const unauthorized = new AppError({ kind: 'host', status: 401, code: 'UNAUTHORIZED', message: 'no', retryable: false })

/** A connection on its own stores, with one profile that has the token. */
async function connectionTo(client: BridgeClient, baseUrl: string, token: string | null = TOKEN) {
  const dir = createTempDir()
  const stores = await startStores(dir)
  const { profile } = stores.profiles.save({ ...draft, baseUrl })
  if (token !== null) await stores.vault.setToken(profile.id, token, originOf(profile.baseUrl), false)
  const connection = createConnection({ ...stores, client, heartbeatMs: () => 1_000 })
  onTestFinished(() => connection.dispose())
  return { dir, ...stores, profile, connection }
}

describe('against a scripted host', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  async function scripted(token: string | null = TOKEN) {
    const host = createScriptedHost(TOKEN)
    const app = await connectionTo(host.client, 'http://127.0.0.1:1', token)
    const count = (endpoint: string): number => host.requests.filter((asked) => asked.endpoint === endpoint).length
    async function online(): Promise<void> {
      void app.connection.connect(app.profile.id)
      await vi.advanceTimersByTimeAsync(10)
      expect(app.connection.state().phase).toBe('online')
    }
    return { ...host, ...app, count, online, wait: (ms: number) => vi.advanceTimersByTimeAsync(ms) }
  }

  test('without a profile there is no target', async () => {
    const { connection, wait, requests } = await scripted()
    expect(() => connection.target()).toThrow(expect.objectContaining({ code: 'NOT_CONNECTED' }) as Error)
    await connection.retry()
    await wait(10_000)
    expect(requests).toEqual([])
    await expect(connection.connect('nobody')).rejects.toMatchObject({ code: 'PROFILE_UNKNOWN' })
  })

  test('the target carries profile, token and epoch', async () => {
    const { connection, online, profile, profiles } = await scripted()
    await online()
    expect(connection.target()).toMatchObject({ baseUrl: profile.baseUrl, token: TOKEN, isReadOnly: true, epoch: 1 })
    expect(profiles.getLastUsed()?.profile.lastConnectedAt).not.toBeNull()
    expect(connection.state().profile).toEqual(profiles.get(profile.id))
  })

  test('the heartbeat is light: only the status, once per interval', async () => {
    const { online, wait, count } = await scripted()
    await online()
    await wait(10_500)
    expect(count('status.get')).toBe(11)
    expect(count('capabilities.get')).toBe(1)
  })

  test('capabilities are read again when their fingerprint changes, and after every outage', async () => {
    const { online, wait, count, script, connection } = await scripted()
    await online()
    script.fingerprint += 1
    await wait(3_000)
    expect(count('capabilities.get')).toBe(2)
    expect(connection.state()).toMatchObject({ epoch: 1, host: { apiFingerprint: 'f2' } })
    script.isReachable = false
    await wait(3_000)
    script.isReachable = true
    await wait(10_000)
    expect(count('capabilities.get')).toBe(3)
  })

  test('a host without a status is asked for its capabilities instead', async () => {
    const { online, wait, count, script, connection } = await scripted()
    script.hasStatus = false
    await online()
    await wait(5_000)
    expect(connection.state()).toMatchObject({ phase: 'online', host: { bridgeApiVersion: '0.91', app: null } })
    expect(count('capabilities.get')).toBe(count('status.get'))
  })

  test('safety 39: 401 in the middle of a session, from a host whose status does not report it', async () => {
    const { online, wait, script, connection, count } = await scripted()
    script.saysAuthorized = false
    await online()
    script.acceptsToken = false
    await wait(5_000)
    expect(connection.state().phase).toBe('online')
    connection.checkSoon(unauthorized)
    await wait(1_000)
    expect(connection.state()).toMatchObject({ phase: 'unauthorized', error: { code: 'UNAUTHORIZED', status: 401 } })
    const before = count('status.get')
    await wait(60_000)
    expect(count('status.get') - before).toBeLessThanOrEqual(3)
    script.acceptsToken = true
    await wait(31_000)
    expect(connection.state()).toMatchObject({ phase: 'online', epoch: 2, gaps: [{ reason: 'unauthorized' }] })
  })

  test('safety 39: failing requests make it check sooner, but not more often', async () => {
    const { online, wait, connection, count } = await scripted()
    await online()
    const lost = new AppError({ kind: 'offline', message: 'gone', retryable: true })
    for (let n = 0; n < 1_000; n += 1) {
      connection.checkSoon(lost)
      await wait(10)
    }
    expect(count('status.get')).toBeLessThanOrEqual(1 + 10_000 / 400 + 1)
    expect(connection.state()).toMatchObject({ phase: 'online', epoch: 1 })
  })

  test('safety 39: after this machine slept, earlier data belongs to another epoch', async () => {
    const { online, wait, connection } = await scripted()
    await online()
    await wait(2_000)
    const seen = connection.state().lastSeenAt
    vi.setSystemTime(Date.now() + 3_600_000)
    await wait(1_000)
    expect(connection.state()).toMatchObject({
      phase: 'online',
      epoch: 2,
      gaps: [{ reason: 'app-suspended', from: seen }],
    })
  })

  test('a clock set back does not stop the heartbeat', async () => {
    const { online, wait, connection, count } = await scripted()
    await online()
    vi.setSystemTime(Date.now() - 3_600_000)
    const before = count('status.get')
    await wait(10_500)
    expect(count('status.get') - before).toBe(10)
    expect(connection.state()).toMatchObject({ phase: 'online', epoch: 1, gaps: [] })
  })

  test('a host that asks for a pause gets it, for as long as it says', async () => {
    const { online, wait, script, count, connection } = await scripted()
    await online()
    script.busySeconds = 20
    await wait(1_000)
    const before = count('status.get')
    await wait(19_000)
    expect(count('status.get')).toBe(before)
    expect(connection.state()).toMatchObject({ phase: 'offline', error: { code: 'SCAN_BUSY' } })
    script.busySeconds = 0
    await wait(2_000)
    expect(connection.state().phase).toBe('online')
  })

  test('attempts at an absent host become rare, and the user may retry at any time', async () => {
    // Without jitter: an attempt that happened just now would keep the next one waiting on a
    // stopped clock.
    const jitter = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    onTestFinished(() => jitter.mockRestore())
    const { wait, script, count, connection, profile } = await scripted()
    script.isReachable = false
    void connection.connect(profile.id)
    await wait(120_000)
    const rare = count('status.get')
    expect(rare).toBeLessThanOrEqual(24)
    expect(connection.state().nextTryAt).toBeGreaterThan(Date.now())
    script.isReachable = true
    const asked = connection.retry()
    await wait(10)
    expect(await asked).toMatchObject({ phase: 'online', gaps: [] })
    expect(count('status.get')).toBe(rare + 1)
  })

  test.each([
    ['none', null, 'TOKEN_NONE'],
    ['a wrong one', `${TOKEN}x`, 'UNAUTHORIZED'],
  ])('the token: %s', async (_, token, code) => {
    const { connection, profile, wait } = await scripted(token)
    const decided = connection.connect(profile.id)
    await wait(10)
    expect(await decided).toMatchObject({ phase: 'unauthorized', error: { code, status: 401 }, gaps: [] })
  })

  test('safety 5: a locked token is reported as locked', async () => {
    vi.useRealTimers()
    const dir = createTempDir()
    const keyring = createFakeKeyring()
    const first = await startStores(dir, keyring)
    const { profile } = first.profiles.save({ ...draft, baseUrl: 'http://127.0.0.1:1' })
    await first.vault.setToken(profile.id, TOKEN, originOf(profile.baseUrl), true)
    keyring.state = 'locked'
    const stores = await startStores(dir, keyring)
    const connection = createConnection({
      ...stores,
      client: createScriptedHost(TOKEN).client,
      heartbeatMs: () => 1_000,
    })
    expect(await connection.connect(profile.id)).toMatchObject({
      phase: 'unauthorized',
      error: { code: 'TOKEN_LOCKED' },
    })
    keyring.state = 'fine'
    await stores.vault.unlock(profile.id)
    expect(await connection.connect(profile.id)).toMatchObject({ phase: 'online' })
    connection.dispose()
  })

  test('safety 4: an edited address gets a new connection, without the token', async () => {
    const { online, wait, connection, profiles, profile, requests } = await scripted()
    await online()
    profiles.save({ ...draft, id: profile.id, baseUrl: 'http://127.0.0.1:2' })
    connection.applyProfileEdit(profile.id)
    await wait(5_000)
    const elsewhere = requests.filter(({ target }) => target.baseUrl.includes(':2/'))
    expect(elsewhere.length).toBeGreaterThan(0)
    expect(elsewhere.every(({ target }) => target.token === null)).toBe(true)
    expect(connection.state()).toMatchObject({ phase: 'unauthorized', error: { code: 'TOKEN_NONE' }, gaps: [] })
  })

  test('a new name or lock is shown at once, without an interruption', async () => {
    const { online, connection, profiles, profile, requests } = await scripted()
    await online()
    const before = requests.length
    profiles.save({ ...draft, id: profile.id, baseUrl: profile.baseUrl, name: 'Renamed', readOnly: false })
    connection.applyProfileEdit(profile.id)
    expect(connection.state()).toMatchObject({
      phase: 'online',
      epoch: 1,
      profile: { name: 'Renamed', readOnly: false },
    })
    expect(connection.target().isReadOnly).toBe(false)
    expect(requests.length).toBe(before)
  })

  test('a full disk is no reason not to connect', async () => {
    const { online, connection, dir, lines, wait } = await scripted()
    mkdirSync(path.join(dir, `profiles.json.${process.pid}.tmp`))
    await online()
    await wait(3_000)
    expect(connection.state()).toMatchObject({ phase: 'online', epoch: 1 })
    expect(connection.disconnect().phase).toBe('none')
    expect(lines.join()).toContain('could not be recorded')
  })

  test('after the program ends nothing is requested, whatever fails then or was running', async () => {
    const { online, wait, connection, requests, script } = await scripted()
    await online()
    script.latencyMs = 5_000
    await wait(2_000)
    const before = requests.length
    connection.dispose()
    for (const status of [undefined, 401]) {
      const failed = new AppError({ kind: 'offline', message: 'gone', retryable: true, ...(status ? { status } : {}) })
      connection.checkSoon(failed)
    }
    expect(vi.getTimerCount()).toBe(0)
    await wait(60_000)
    expect([requests.length, connection.state().phase]).toEqual([before, 'online'])
  })
})

describe('over a real connection', () => {
  const { client } = createTestClient()

  test('a host that restarts is found again, in a new epoch', async () => {
    const demo = await startDemoHost({ nodes: 10 })
    onTestFinished(() => demo.close())
    const { connection, profile } = await connectionTo(client, demo.baseUrl, demo.token)
    const first = await connection.connect(profile.id)
    expect(first).toMatchObject({ phase: 'online', epoch: 1, host: { app: 'Demo Notes' } })
    await demo.restart(10)
    const again = await connection.retry()
    expect(again).toMatchObject({ phase: 'online', epoch: 2, gaps: [{ reason: 'host-restarted' }] })
    expect(again.host?.instanceNonce).not.toBe(first.host?.instanceNonce)
  })

  test('a host whose routes change while it runs is read again, and the change is an event', async () => {
    const status = (apiFingerprint: string) =>
      respondJson({ bridgeApiVersion: '9', authorized: true, instanceNonce: 'n', apiFingerprint })
    const listing = (path: string) => respondJson({ routes: [{ method: 'GET', path }] })
    const steps = behaveInTurn(status('a'), listing('/status'), status('b'), listing('/guide'), status('b'))
    const host = await startMisbehavingHost(steps)
    onTestFinished(() => host.close())
    const { connection, profile } = await connectionTo(client, host.baseUrl)
    expect(await connection.connect(profile.id)).toMatchObject({ epoch: 1, changes: [] })
    const { epoch, changes } = await connection.retry()
    expect(epoch).toBe(1)
    expect(changes).toEqual([
      { at: expect.any(Number), restarted: false, facts: [{ name: 'apiFingerprint', from: 'a', to: 'b' }] },
    ])
    expect(connection.capabilities()?.routes).toMatchObject([{ path: '/guide' }])
  })

  test('a host that updates itself while it runs is read again, and is not said to have restarted', async () => {
    const status = (bridgeApiVersion: string) =>
      respondJson({ bridgeApiVersion, authorized: true, instanceNonce: 'n', apiFingerprint: 'f' })
    const listing = (path: string) => respondJson({ routes: [{ method: 'GET', path }] })
    const host = await startMisbehavingHost(
      behaveInTurn(status('8'), listing('/status'), status('9'), listing('/guide')),
    )
    onTestFinished(() => host.close())
    const { connection, profile } = await connectionTo(client, host.baseUrl)
    await connection.connect(profile.id)
    const { epoch, gaps, changes } = await connection.retry()
    expect([epoch, gaps]).toEqual([1, []])
    expect(changes).toMatchObject([{ restarted: false, facts: [{ name: 'bridgeApiVersion', from: '8', to: '9' }] }])
    expect(connection.capabilities()?.routes).toMatchObject([{ path: '/guide' }])
  })

  test('the path of the card listing is the one that the capabilities name', async () => {
    const listing = '/bridge/v1/study-sets/{id}/cards'
    const routes = [{ method: 'GET', path: listing }]
    const status = respondJson({ bridgeApiVersion: '9', authorized: true, apiFingerprint: 'a' })
    const host = await startMisbehavingHost(behaveInTurn(status, respondJson({ routes }), status))
    onTestFinished(() => host.close())
    const { connection, profile } = await connectionTo(client, host.baseUrl)
    await connection.connect(profile.id)
    expect(connection.target().pathOverrides).toEqual({ 'studySets.tree': '/study-sets/{id}/cards' })
    expect(connection.getProfileTarget(profile.id).pathOverrides).not.toEqual({})
  })

  test.each([
    ['an empty object', {}],
    ['a list', []],
    ['members of unknown types', { app: 7, appVersion: null, bridgeApiVersion: ['x'] }],
  ])('a program that returns %s for everything is not a bridge', async (_, value) => {
    const host = await startMisbehavingHost(respondJson(value))
    onTestFinished(() => host.close())
    const { connection, profile } = await connectionTo(client, host.baseUrl)
    expect(await connection.connect(profile.id)).toMatchObject({
      phase: 'offline',
      error: { code: 'CAPABILITIES_MALFORMED' },
    })
  })

  test.each([
    ['null', null],
    ['a text', 'unexpected'],
    ['an object without routes', {}],
    ['a list of null as routes', { routes: [null] }],
    ['routes that are no list', { routes: 7 }],
  ])('capabilities that are %s do not cost the connection to a host with a sound status', async (_, value) => {
    const status = respondJson({ app: 'Odd', bridgeApiVersion: '1', authorized: true })
    const host = await startMisbehavingHost(behaveInTurn(status, respondJson(value), status))
    onTestFinished(() => host.close())
    const { connection, profile } = await connectionTo(client, host.baseUrl)
    expect(await connection.connect(profile.id)).toMatchObject({ phase: 'online', host: { app: 'Odd' }, error: null })
    expect(connection.target().pathOverrides).toEqual({})
  })

  test('one odd member of the status does not affect the others', async () => {
    const value = {
      app: 'Odd',
      routeCount: 'many',
      authorized: true,
      instanceNonce: 'n',
      bridgeApiVersion: 'x'.repeat(9_000),
    }
    const host = await startMisbehavingHost(behaveInTurn(respondJson(value), respondJson({ routes: [] })))
    onTestFinished(() => host.close())
    const { connection, profile } = await connectionTo(client, host.baseUrl)
    const { host: summary } = await connection.connect(profile.id)
    expect(summary).toMatchObject({ app: 'Odd', routeCount: null, instanceNonce: 'n' })
    expect(summary?.bridgeApiVersion).toHaveLength(500)
  })

  test('safety 7: the certificate question comes before any byte, is asked once, and accepting it connects', async () => {
    const host = await startMisbehavingHost(respondJson({ bridgeApiVersion: '1', authorized: true, routes: [] }), {
      certificate: await createCertificate(),
    })
    onTestFinished(() => host.close())
    const { connection, profile, profiles } = await connectionTo(client, host.baseUrl)
    const asked = await connection.connect(profile.id)
    expect(asked).toMatchObject({ phase: 'offline', error: { code: 'TLS_UNTRUSTED' }, nextTryAt: null })
    expect(host.getReceivedBytes()).toHaveLength(0)
    profiles.pinCertificate(profile.id, asked.certificate?.fingerprint ?? '')
    const trusted: Partial<Profile> = { tlsFingerprint: asked.certificate?.fingerprint ?? '' }
    expect(await connection.connect(profile.id)).toMatchObject({ phase: 'online', certificate: null, profile: trusted })
    host.useCertificate(await createCertificate())
    client.close()
    const bytes = host.getReceivedBytes().length
    expect(await connection.connect(profile.id)).toMatchObject({ phase: 'offline', error: { code: 'TLS_CHANGED' } })
    expect(host.getReceivedBytes()).toHaveLength(bytes)
  })
})
