import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startDemoHost } from '../../../../electron/demo-host/server.ts'
import { createConnection } from '../../../../electron/services/bridge/connection/connection.ts'
import { originOf } from '../../../../electron/services/profiles/base-url.ts'
import type { BridgeClient } from '../../../../electron/services/bridge/types.ts'
import { AppError } from '../../../../shared/errors.ts'
import type { Profile } from '../../../../shared/ipc/profiles.ts'
import { behaveInTurn, respondHostError, respondJson } from '../../../support/hosts/behaviours.ts'
import { createTestClient, TOKEN } from '../../../support/services/test-client.ts'
import { createCertificate } from '../../../support/hosts/certificates.ts'
import { createFakeKeyring } from '../../../support/services/ciphers.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { startMisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'
import { createScriptedHost } from '../../../support/hosts/scripted-host.ts'
import { startStores } from '../../../support/services/service-environment.ts'

const draft = { name: 'Host', auth: { header: 'Authorization', scheme: 'Bearer' }, readOnly: true }
const unauthorized = new AppError({ kind: 'host', status: 401, code: 'UNAUTHORIZED', message: 'no', retryable: false })

/** Creates a connection with its own stores and one profile that has the token. */
async function createConnectionTo(client: BridgeClient, baseUrl: string, token: string | null = TOKEN) {
  const dir = createTempDir()
  const stores = await startStores(dir)
  const { profile } = stores.profiles.save({ ...draft, baseUrl })
  if (token !== null) await stores.vault.setToken(profile.id, token, originOf(profile.baseUrl), false)
  const connection = createConnection({ ...stores, client, heartbeatMs: () => 1_000 })
  onTestFinished(() => connection.dispose())
  return { dir, ...stores, profile, connection }
}

describe('connection to a scripted host', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] }))
  afterEach(() => void vi.useRealTimers())

  async function connectScripted(token: string | null = TOKEN) {
    const host = createScriptedHost(TOKEN)
    const app = await createConnectionTo(host.client, 'http://127.0.0.1:1', token)
    const countRequests = (endpoint: string): number =>
      host.requests.filter((request) => request.endpoint === endpoint).length
    async function goOnline(): Promise<void> {
      void app.connection.connect(app.profile.id)
      await vi.advanceTimersByTimeAsync(10)
      expect(app.connection.state().phase).toBe('online')
    }
    return {
      ...host,
      ...app,
      countRequests,
      goOnline,
      wait: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    }
  }

  test('has no target without a profile', async () => {
    const { connection, wait, requests } = await connectScripted()
    expect(() => connection.target()).toThrow(expect.objectContaining({ code: 'NOT_CONNECTED' }) as Error)
    await connection.retry()
    await wait(10_000)
    expect(requests).toEqual([])
    await expect(connection.connect('nobody')).rejects.toMatchObject({ code: 'PROFILE_UNKNOWN' })
  })

  test('has a target with profile, token and epoch', async () => {
    const { connection, goOnline, profile, profiles } = await connectScripted()
    await goOnline()
    expect(connection.target()).toMatchObject({ baseUrl: profile.baseUrl, token: TOKEN, isReadOnly: true, epoch: 1 })
    expect(profiles.getLastUsed()?.profile.lastConnectedAt).not.toBeNull()
    expect(connection.state().profile).toEqual(profiles.get(profile.id))
  })

  test('requests only the status as a heartbeat, once per interval', async () => {
    const { goOnline, wait, countRequests } = await connectScripted()
    await goOnline()
    await wait(10_500)
    expect(countRequests('status.get')).toBe(11)
    expect(countRequests('capabilities.get')).toBe(1)
  })

  test('reads the capabilities again when their fingerprint changes, and after every outage', async () => {
    const { goOnline, wait, countRequests, script, connection } = await connectScripted()
    await goOnline()
    script.fingerprint += 1
    await wait(3_000)
    expect(countRequests('capabilities.get')).toBe(2)
    expect(connection.state()).toMatchObject({ epoch: 1, host: { apiFingerprint: 'f2' } })
    script.isReachable = false
    await wait(3_000)
    script.isReachable = true
    await wait(10_000)
    expect(countRequests('capabilities.get')).toBe(3)
  })

  test('requests the capabilities as a heartbeat if the host has no status', async () => {
    const { goOnline, wait, countRequests, script, connection } = await connectScripted()
    script.hasStatus = false
    await goOnline()
    await wait(5_000)
    expect(connection.state()).toMatchObject({ phase: 'online', host: { bridgeApiVersion: '0.91', app: null } })
    expect(countRequests('capabilities.get')).toBe(countRequests('status.get'))
  })

  test('safety 39: notices a 401 in the middle of a session, even if the status does not report it', async () => {
    const { goOnline, wait, script, connection, countRequests } = await connectScripted()
    script.saysAuthorized = false
    await goOnline()
    script.acceptsToken = false
    await wait(5_000)
    expect(connection.state().phase).toBe('online')
    connection.checkSoon(unauthorized)
    await wait(1_000)
    expect(connection.state()).toMatchObject({ phase: 'unauthorized', error: { code: 'UNAUTHORIZED', status: 401 } })
    const before = countRequests('status.get')
    await wait(60_000)
    expect(countRequests('status.get') - before).toBeLessThanOrEqual(3)
    script.acceptsToken = true
    await wait(31_000)
    expect(connection.state()).toMatchObject({ phase: 'online', epoch: 2, gaps: [{ reason: 'unauthorized' }] })
  })

  test('safety 39: checks sooner after failing requests, but not more often', async () => {
    const { goOnline, wait, connection, countRequests } = await connectScripted()
    await goOnline()
    const lost = new AppError({ kind: 'offline', message: 'gone', retryable: true })
    for (let n = 0; n < 1_000; n += 1) {
      connection.checkSoon(lost)
      await wait(10)
    }
    expect(countRequests('status.get')).toBeLessThanOrEqual(1 + 10_000 / 400 + 1)
    expect(connection.state()).toMatchObject({ phase: 'online', epoch: 1 })
  })

  test('safety 39: starts a new epoch after this machine slept', async () => {
    const { goOnline, wait, connection } = await connectScripted()
    await goOnline()
    await wait(2_000)
    const lastSeenAt = connection.state().lastSeenAt
    vi.setSystemTime(Date.now() + 3_600_000)
    await wait(1_000)
    expect(connection.state()).toMatchObject({
      phase: 'online',
      epoch: 2,
      gaps: [{ reason: 'app-suspended', from: lastSeenAt }],
    })
  })

  test('keeps its heartbeat if the clock is set back', async () => {
    const { goOnline, wait, connection, countRequests } = await connectScripted()
    await goOnline()
    vi.setSystemTime(Date.now() - 3_600_000)
    const before = countRequests('status.get')
    await wait(10_500)
    expect(countRequests('status.get') - before).toBe(10)
    expect(connection.state()).toMatchObject({ phase: 'online', epoch: 1, gaps: [] })
  })

  test('pauses as long as the host asks for', async () => {
    const { goOnline, wait, script, countRequests, connection } = await connectScripted()
    await goOnline()
    script.busySeconds = 20
    await wait(1_000)
    const before = countRequests('status.get')
    await wait(19_000)
    expect(countRequests('status.get')).toBe(before)
    expect(connection.state()).toMatchObject({ phase: 'offline', error: { code: 'SCAN_BUSY' } })
    script.busySeconds = 0
    await wait(2_000)
    expect(connection.state().phase).toBe('online')
  })

  test('rarely tries an absent host, and retries at any time for the user', async () => {
    // Jitter is off, because a very recent attempt would delay the next one on a stopped
    // clock.
    const jitter = vi.spyOn(Math, 'random').mockReturnValue(0.5)
    onTestFinished(() => jitter.mockRestore())
    const { wait, script, countRequests, connection, profile } = await connectScripted()
    script.isReachable = false
    void connection.connect(profile.id)
    await wait(120_000)
    const attemptCount = countRequests('status.get')
    expect(attemptCount).toBeLessThanOrEqual(24)
    expect(connection.state().nextTryAt).toBeGreaterThan(Date.now())
    script.isReachable = true
    const retried = connection.retry()
    await wait(10)
    expect(await retried).toMatchObject({ phase: 'online', gaps: [] })
    expect(countRequests('status.get')).toBe(attemptCount + 1)
  })

  test.each([
    ['no token', null, 'TOKEN_NONE'],
    ['a wrong token', `${TOKEN}x`, 'UNAUTHORIZED'],
  ])('is unauthorized with %s', async (_, token, code) => {
    const { connection, profile, wait } = await connectScripted(token)
    const connected = connection.connect(profile.id)
    await wait(10)
    expect(await connected).toMatchObject({ phase: 'unauthorized', error: { code, status: 401 }, gaps: [] })
  })

  test('safety 5: reports a locked token as locked', async () => {
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

  test('safety 4: starts again without the token if the address is edited', async () => {
    const { goOnline, wait, connection, profiles, profile, requests } = await connectScripted()
    await goOnline()
    profiles.save({ ...draft, id: profile.id, baseUrl: 'http://127.0.0.1:2' })
    connection.applyProfileEdit(profile.id)
    await wait(5_000)
    const requestsToNewAddress = requests.filter(({ target }) => target.baseUrl.includes(':2/'))
    expect(requestsToNewAddress.length).toBeGreaterThan(0)
    expect(requestsToNewAddress.every(({ target }) => target.token === null)).toBe(true)
    expect(connection.state()).toMatchObject({ phase: 'unauthorized', error: { code: 'TOKEN_NONE' }, gaps: [] })
  })

  test('applies a new name or lock at once, without an interruption', async () => {
    const { goOnline, connection, profiles, profile, requests } = await connectScripted()
    await goOnline()
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

  test('connects in spite of a full disk', async () => {
    const { goOnline, connection, dir, lines, wait } = await connectScripted()
    mkdirSync(path.join(dir, `profiles.json.${process.pid}.tmp`))
    await goOnline()
    await wait(3_000)
    expect(connection.state()).toMatchObject({ phase: 'online', epoch: 1 })
    expect(connection.disconnect().phase).toBe('none')
    expect(lines.join()).toContain('could not be recorded')
  })

  test('requests nothing after the program ends, whatever fails or is under way', async () => {
    const { goOnline, wait, connection, requests, script } = await connectScripted()
    await goOnline()
    script.latencyMs = 5_000
    await wait(2_000)
    const before = requests.length
    connection.dispose()
    for (const status of [undefined, 401]) {
      const error = new AppError({ kind: 'offline', message: 'gone', retryable: true, ...(status ? { status } : {}) })
      connection.checkSoon(error)
    }
    expect(vi.getTimerCount()).toBe(0)
    await wait(60_000)
    expect([requests.length, connection.state().phase]).toEqual([before, 'online'])
  })
})

describe('connection to a real host', () => {
  const { client } = createTestClient()

  test('finds a restarted host again, in a new epoch', async () => {
    const demo = await startDemoHost({ nodes: 10 })
    onTestFinished(() => demo.close())
    const { connection, profile } = await createConnectionTo(client, demo.baseUrl, demo.token)
    const first = await connection.connect(profile.id)
    expect(first).toMatchObject({ phase: 'online', epoch: 1, host: { app: 'Demo Notes' } })
    await demo.restart(10)
    const reconnected = await connection.retry()
    expect(reconnected).toMatchObject({ phase: 'online', epoch: 2, gaps: [{ reason: 'host-restarted' }] })
    expect(reconnected.host?.instanceNonce).not.toBe(first.host?.instanceNonce)
  })

  test('reads changed routes of a running host, and reports the change as an event', async () => {
    const createStatus = (apiFingerprint: string) =>
      respondJson({ bridgeApiVersion: '9', authorized: true, instanceNonce: 'n', apiFingerprint })
    const createListing = (path: string) => respondJson({ routes: [{ method: 'GET', path }] })
    const steps = behaveInTurn(
      createStatus('a'),
      createListing('/status'),
      createStatus('b'),
      createListing('/guide'),
      createStatus('b'),
    )
    const host = await startMisbehavingHost(steps)
    onTestFinished(() => host.close())
    const { connection, profile } = await createConnectionTo(client, host.baseUrl)
    expect(await connection.connect(profile.id)).toMatchObject({ epoch: 1, changes: [] })
    const { epoch, changes } = await connection.retry()
    expect(epoch).toBe(1)
    expect(changes).toEqual([
      { at: expect.any(Number), restarted: false, facts: [{ name: 'apiFingerprint', from: 'a', to: 'b' }] },
    ])
    expect(connection.capabilities()?.routes).toMatchObject([{ path: '/guide' }])
  })

  test('reads a host that updates itself while it runs, and reports no restart', async () => {
    const createStatus = (bridgeApiVersion: string) =>
      respondJson({ bridgeApiVersion, authorized: true, instanceNonce: 'n', apiFingerprint: 'f' })
    const createListing = (path: string) => respondJson({ routes: [{ method: 'GET', path }] })
    const host = await startMisbehavingHost(
      behaveInTurn(createStatus('8'), createListing('/status'), createStatus('9'), createListing('/guide')),
    )
    onTestFinished(() => host.close())
    const { connection, profile } = await createConnectionTo(client, host.baseUrl)
    await connection.connect(profile.id)
    const { epoch, gaps, changes } = await connection.retry()
    expect([epoch, gaps]).toEqual([1, []])
    expect(changes).toMatchObject([{ restarted: false, facts: [{ name: 'bridgeApiVersion', from: '8', to: '9' }] }])
    expect(connection.capabilities()?.routes).toMatchObject([{ path: '/guide' }])
  })

  test('asks no status again that was refused, and that the host does not list', async () => {
    const routes = ['/ui-state', '/library/study-sets', '/search'].map((path) => ({ method: 'GET', path }))
    const refused = respondHostError(423, { code: 'NO_SUCH_DOOR', message: 'm' })
    const listing = respondJson({ bridgeApiVersion: '9', routes })
    const host = await startMisbehavingHost(behaveInTurn(refused, listing, listing, refused))
    onTestFinished(() => host.close())
    const { connection, profile } = await createConnectionTo(client, host.baseUrl)
    await connection.connect(profile.id)
    expect(await connection.retry()).toMatchObject({ phase: 'online', host: { routeCount: 3 } })
  })

  test('uses the path of the card listing from the capabilities', async () => {
    const listing = '/bridge/v1/study-sets/{id}/cards'
    const routes = [{ method: 'GET', path: listing }]
    const status = respondJson({ bridgeApiVersion: '9', authorized: true, apiFingerprint: 'a' })
    const host = await startMisbehavingHost(behaveInTurn(status, respondJson({ routes }), status))
    onTestFinished(() => host.close())
    const { connection, profile } = await createConnectionTo(client, host.baseUrl)
    await connection.connect(profile.id)
    expect(connection.target().pathOverrides).toEqual({ 'studySets.tree': '/study-sets/{id}/cards' })
    expect(connection.getProfileTarget(profile.id).pathOverrides).not.toEqual({})
  })

  test.each([
    ['an empty object', {}],
    ['a list', []],
    ['members of unknown types', { app: 7, appVersion: null, bridgeApiVersion: ['x'] }],
  ])('is online, without any route known, with a host that returns %s for everything', async (_, value) => {
    const host = await startMisbehavingHost(respondJson(value))
    onTestFinished(() => host.close())
    const { connection, profile } = await createConnectionTo(client, host.baseUrl)
    expect(await connection.connect(profile.id)).toMatchObject({ phase: 'online', error: null })
    expect(connection.capabilities()?.routes).toEqual([])
  })

  test('rejects a program that returns a single value for everything', async () => {
    const host = await startMisbehavingHost(respondJson('unexpected'))
    onTestFinished(() => host.close())
    const { connection, profile } = await createConnectionTo(client, host.baseUrl)
    expect(await connection.connect(profile.id)).toMatchObject({
      phase: 'offline',
      error: { code: 'NOT_JSON' },
    })
  })

  test.each([
    ['null', null],
    ['a text', 'unexpected'],
    ['an object without routes', {}],
    ['a list of null as routes', { routes: [null] }],
    ['routes that are no list', { routes: 7 }],
  ])('connects in spite of capabilities that are %s if the status is valid', async (_, value) => {
    const status = respondJson({ app: 'Odd', bridgeApiVersion: '1', authorized: true })
    const host = await startMisbehavingHost(behaveInTurn(status, respondJson(value), status))
    onTestFinished(() => host.close())
    const { connection, profile } = await createConnectionTo(client, host.baseUrl)
    expect(await connection.connect(profile.id)).toMatchObject({ phase: 'online', host: { app: 'Odd' }, error: null })
    expect(connection.target().pathOverrides).toEqual({})
  })

  test('ignores one invalid member of the status', async () => {
    const value = {
      app: 'Odd',
      routeCount: 'many',
      authorized: true,
      instanceNonce: 'n',
      bridgeApiVersion: 'x'.repeat(9_000),
    }
    const host = await startMisbehavingHost(behaveInTurn(respondJson(value), respondJson({ routes: [] })))
    onTestFinished(() => host.close())
    const { connection, profile } = await createConnectionTo(client, host.baseUrl)
    const { host: summary } = await connection.connect(profile.id)
    expect(summary).toMatchObject({ app: 'Odd', routeCount: null, instanceNonce: 'n' })
    expect(summary?.bridgeApiVersion).toHaveLength(500)
  })

  test('safety 7: asks about a certificate before sending anything, only once, and connects once it is accepted', async () => {
    const host = await startMisbehavingHost(respondJson({ bridgeApiVersion: '1', authorized: true, routes: [] }), {
      certificate: await createCertificate(),
    })
    onTestFinished(() => host.close())
    const { connection, profile, profiles } = await createConnectionTo(client, host.baseUrl)
    const untrusted = await connection.connect(profile.id)
    expect(untrusted).toMatchObject({ phase: 'offline', error: { code: 'TLS_UNTRUSTED' }, nextTryAt: null })
    expect(host.getReceivedBytes()).toHaveLength(0)
    profiles.pinCertificate(profile.id, untrusted.certificate?.fingerprint ?? '')
    const trusted: Partial<Profile> = { tlsFingerprint: untrusted.certificate?.fingerprint ?? '' }
    expect(await connection.connect(profile.id)).toMatchObject({ phase: 'online', certificate: null, profile: trusted })
    host.useCertificate(await createCertificate())
    client.close()
    const bytes = host.getReceivedBytes().length
    expect(await connection.connect(profile.id)).toMatchObject({ phase: 'offline', error: { code: 'TLS_CHANGED' } })
    expect(host.getReceivedBytes()).toHaveLength(bytes)
  })
})
