import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startDemoHost, type DemoHostOptions } from '../../../../electron/demo-host/server.ts'
import { createHostDiscovery } from '../../../../electron/services/discovery/host-discovery.ts'
import { findPortListener, type PortListener } from '../../../../electron/services/discovery/port-listener.ts'
import type { Cipher } from '../../../../electron/services/vault/cipher.ts'
import { discoveredHostSchema } from '../../../../shared/ipc/connection.ts'
import {
  respond,
  respondHostError,
  respondJson,
  neverRespond,
  type Behaviour,
} from '../../../support/hosts/behaviours.ts'
import { expectAppError, createTestClient, TOKEN } from '../../../support/services/test-client.ts'
import { createFakeKeyring } from '../../../support/services/ciphers.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { startMisbehavingHost, startMisbehavingHostOnKnownPort } from '../../../support/hosts/misbehaving-host.ts'
import { expectNoSecret } from '../../../support/data/secrets.ts'
import { startStores } from '../../../support/services/service-environment.ts'

const { client, exchanges } = createTestClient()
const never = new AbortController().signal

/**
 * Creates the discovery of a machine whose `bridge.json` announces this port, and that has a
 * token.
 */
async function createTestDiscovery(
  port: number,
  env: Record<string, string> = { MN_BRIDGE_TOKEN: TOKEN },
  cipher: Cipher | null = null,
  more: { announced?: unknown; listener?: (port: number) => PortListener; patienceMs?: number } = {},
) {
  const home = createTempDir()
  const announcedFile = path.join(home, 'bridge.json')
  writeFileSync(announcedFile, JSON.stringify(more.announced ?? { port }))
  const stores = await startStores(path.join(home, 'data'), cipher)
  const places = { home, env: { ...env, BRIDGE_INSPECTOR_BRIDGE_JSON: announcedFile } }
  const { listener = () => ourselves, patienceMs = 30_000 } = more
  const discovery = createHostDiscovery({
    ...stores,
    client,
    environment: places,
    findListener: listener,
    probeTimeoutMs: patienceMs,
  })
  const announceValue = (value: unknown): void => writeFileSync(announcedFile, JSON.stringify(value))
  return { ...stores, discovery, announce: announceValue, id: `local-${port}` }
}

const ourselves: PortListener = { user: 'same', name: 'me' }
const stranger: PortListener = { user: 'other', name: 'mallory' }

async function startDemo(options: DemoHostOptions = {}) {
  const host = await startDemoHost({ nodes: 10, token: TOKEN, ...options })
  onTestFinished(() => host.close())
  return host
}

async function startMisbehaving(behaviour: Behaviour) {
  const host = await startMisbehavingHost(behaviour)
  onTestFinished(() => host.close())
  return host
}

describe('scan', () => {
  test('finds the host that bridge.json announces, and connects to nothing', async () => {
    const host = await startDemo()
    const app = await createTestDiscovery(host.port)
    const hosts = await app.discovery.scan(never)
    expect(hosts.every((candidate) => discoveredHostSchema.safeParse(candidate).success)).toBe(true)
    expect(hosts.find(({ id }) => id === app.id)).toMatchObject({
      baseUrl: host.baseUrl,
      source: 'bridge.json',
      tokenSource: 'environment',
      summary: { app: 'Demo Notes', instanceNonce: host.state.getInstanceNonce() },
    })
    expect(app.profiles.list()).toEqual([])
    expect(app.events).toEqual([])
  })

  test('safety 4: sends no token, whatever is on this machine', async () => {
    const host = await startMisbehaving(respondJson({ app: 'Trap', bridgeApiVersion: '1' }))
    const app = await createTestDiscovery(host.port)
    const hosts = await app.discovery.scan(never)
    expect(hosts.map(({ summary }) => summary.app)).toContain('Trap')
    expect(host.requests.map(({ headers }) => headers.map(([name]) => name.toLowerCase())).flat()).not.toContain(
      'authorization',
    )
    expectNoSecret(host.getReceivedBytes().toString('latin1') + JSON.stringify([hosts, exchanges]), TOKEN)
  })

  test('finds a host that requires a token for every route', async () => {
    const host = await startMisbehaving((socket, request) =>
      (request.path.endsWith('/status')
        ? respondHostError(404, { code: 'ROUTE_NOT_FOUND', message: '' })
        : respondHostError(401, { code: 'UNAUTHORIZED', message: '' }))(socket, request),
    )
    const app = await createTestDiscovery(host.port)
    const hosts = await app.discovery.scan(never)
    expect(hosts.find(({ id }) => id === app.id)).toMatchObject({ summary: { app: null } })
    const { profile } = await app.discovery.adopt(app.id, false)
    expect(profile.name).toBe(`127.0.0.1:${host.port}`)
  })

  test.each<[string, Behaviour, number?]>([
    ['a web page', respond('<html>', { type: 'text/html' })],
    ['any JSON', respondJson({ hello: 'world' })],
    ['an error', respondHostError(500, { code: 'X', message: 'x' })],
    ['a 401 of another kind', respondJson({ message: 'login' }, { status: 401 })],
    ['nothing at all', neverRespond(), 200],
  ])('ignores a program that returns %s', async (_, behaviour, patienceMs) => {
    const host = await startMisbehaving(behaviour)
    const app = await createTestDiscovery(host.port, undefined, null, patienceMs === undefined ? {} : { patienceMs })
    const hosts = await app.discovery.scan(never)
    expect(hosts.map(({ id }) => id)).not.toContain(app.id)
  })

  test('sends nothing to a port where no program listens', async () => {
    const host = await startMisbehaving(respondJson({ app: 'gone' }))
    await host.close()
    const requestSpy = vi.spyOn(client, 'requestJson')
    onTestFinished(() => requestSpy.mockRestore())
    const app = await createTestDiscovery(host.port)
    expect((await app.discovery.scan(never)).map(({ id }) => id)).not.toContain(app.id)
    expect(requestSpy.mock.calls.map(([{ baseUrl }]) => baseUrl)).not.toContain(host.baseUrl)
  })

  test('sends one request to a program that listens', async () => {
    const host = await startMisbehaving(respondJson({ app: 'here' }))
    const requestSpy = vi.spyOn(client, 'requestJson')
    onTestFinished(() => requestSpy.mockRestore())
    const app = await createTestDiscovery(host.port)
    expect((await app.discovery.scan(never)).map(({ id }) => id)).toContain(app.id)
    expect(requestSpy.mock.calls.filter(([{ baseUrl }]) => baseUrl === host.baseUrl)).toHaveLength(1)
    expect(host.requests).toHaveLength(1)
  })

  test('ends with the call', async () => {
    const host = await startMisbehaving(neverRespond())
    const app = await createTestDiscovery(host.port)
    const abort = new AbortController()
    const scan = app.discovery.scan(abort.signal)
    abort.abort()
    expect((await scan).map(({ id }) => id)).not.toContain(app.id)
    await expect.poll(() => host.countConnections().open).toBe(0)
  })
})

describe('adopting a host', () => {
  test('creates a read-only profile, with the token of this machine on request', async () => {
    const host = await startDemo()
    const app = await createTestDiscovery(host.port)
    await app.discovery.scan(never)
    const withoutToken = await app.discovery.adopt(app.id, false)
    expect(withoutToken).toMatchObject({ profile: { name: 'Demo Notes', readOnly: true }, token: { state: 'none' } })
    const withToken = await app.discovery.adopt(app.id, true)
    expect(withToken).toMatchObject({ profile: { id: withoutToken.profile.id }, token: { state: 'memory' } })
    expect(app.profiles.list()).toHaveLength(1)
    expect(app.vault.getToken(withoutToken.profile.id, new URL(host.baseUrl).origin)?.reveal()).toBe(TOKEN)
    expectNoSecret(JSON.stringify([withoutToken, withToken, app.events]), TOKEN)
  })

  test('is refused for an unknown id', async () => {
    const app = await createTestDiscovery(1)
    for (const id of ['local-1', '__proto__', '']) {
      expect((await expectAppError(app.discovery.adopt(id, true))).code).toBe('FOUND_GONE')
    }
  })

  test('creates a profile without a token if this machine has none', async () => {
    const host = await startDemo()
    const app = await createTestDiscovery(host.port, {})
    await app.discovery.scan(never)
    expect((await app.discovery.adopt(app.id, true)).token.state).toBe('none')
  })
})

describe('safety 48: token of this machine', () => {
  const trap = respondJson({ app: 'Trap', bridgeApiVersion: '1', instanceNonce: 'n' })
  const countTokens = (host: { requests: readonly { headers: readonly (readonly [string, string])[] }[] }): number =>
    host.requests.filter(({ headers }) => headers.some(([name]) => name.toLowerCase() === 'authorization')).length

  const doubtfulHosts = [
    { why: 'no bridge.json names its port', announced: { port: 1 }, listener: ourselves, asks: ['not-announced'] },
    { why: 'another user listens', listener: stranger, asks: ['other-user'] },
    {
      why: 'another user listens at a port of nobody',
      announced: { port: 1 },
      listener: stranger,
      asks: ['not-announced', 'other-user'],
    },
    {
      why: 'bridge.json was left behind',
      instanceNonce: 'of an earlier run',
      listener: ourselves,
      asks: ['other-instance'],
    },
  ]

  test.each(doubtfulHosts)(
    'is not sent without a decision if $why',
    async ({ announced, instanceNonce, listener, asks }) => {
      const host = await startMisbehavingHostOnKnownPort(trap)
      onTestFinished(() => host.close())
      const announcedValue = announced ?? { port: host.port, ...(instanceNonce ? { instanceNonce } : {}) }
      const app = await createTestDiscovery(host.port, undefined, null, {
        announced: announcedValue,
        listener: () => listener,
      })
      const hosts = await app.discovery.scan(never)
      expect(hosts.find(({ id }) => id === app.id)).toMatchObject({ listener, asks, tokenSource: 'environment' })
      expect((await expectAppError(app.discovery.adopt(app.id, true))).code).toBe('FOUND_ASKS')
      expect(app.profiles.list()).toEqual([])
      expect((await app.discovery.adopt(app.id, false)).token.state).toBe('none')
      expect(countTokens(host)).toBe(0)
      expectNoSecret(host.getReceivedBytes().toString('latin1'), TOKEN)
      expect((await app.discovery.adopt(app.id, true, true)).token.state).toBe('memory')
    },
  )

  test('is sent after a decision only to the host that was shown', async () => {
    const host = await startMisbehaving(trap)
    let listener: PortListener = ourselves
    const app = await createTestDiscovery(host.port, undefined, null, {
      announced: { port: 1 },
      listener: () => listener,
    })
    app.announce({ port: host.port, instanceNonce: 'another' })
    await app.discovery.scan(never)
    listener = stranger
    expect((await expectAppError(app.discovery.adopt(app.id, true, true))).code).toBe('FOUND_CHANGED')
    listener = ourselves
    app.announce({ port: 1 })
    expect((await expectAppError(app.discovery.adopt(app.id, true, true))).code).toBe('FOUND_CHANGED')
    expect(app.profiles.list()).toEqual([])
  })

  test('is not sent to another user who takes the port between scan and use', async () => {
    const host = await startMisbehaving(trap)
    let listener: PortListener = ourselves
    const app = await createTestDiscovery(host.port, undefined, null, { listener: () => listener })
    expect((await app.discovery.scan(never)).find(({ id }) => id === app.id)?.asks).toEqual([])
    listener = stranger
    expect((await expectAppError(app.discovery.adopt(app.id, true))).code).toBe('FOUND_ASKS')
    expect(app.profiles.list()).toEqual([])
  })

  test('is sent on the word of bridge.json if the system does not name the listener, and the page says so', async () => {
    const host = await startMisbehaving(trap)
    const listener: PortListener = { user: 'unknown', name: null }
    const app = await createTestDiscovery(host.port, undefined, null, {
      announced: { port: host.port, instanceNonce: 'n' },
      listener: () => listener,
    })
    const hosts = await app.discovery.scan(never)
    expect(hosts.find(({ id }) => id === app.id)).toMatchObject({ listener, asks: [] })
    expect((await app.discovery.adopt(app.id, true)).token.state).toBe('memory')
  })

  test.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
    'is protected from a program that really runs as another user',
    async () => {
      const script = `process.setuid(65533)
        const server = require('node:net').createServer().listen(0, '127.0.0.1', () => console.log(server.address().port))`
      const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
      onTestFinished(() => void child.kill('SIGKILL'))
      const port = await new Promise<number>((resolve) =>
        child.stdout.once('data', (data: Buffer) => resolve(Number(data.toString()))),
      )
      expect(findPortListener(port)).toEqual({ user: 'other', name: 'uid 65533' })
    },
  )
})

describe('pairing', () => {
  const input = { name: 'Tablet', deviceName: 'Test', code: '123456' }

  test('puts the token into the vault and nowhere else', async () => {
    const host = await startDemo({ pairingCode: '123456' })
    const app = await createTestDiscovery(host.port)
    const view = await app.discovery.pair({ ...input, baseUrl: `127.0.0.1:${host.port}` }, never)
    expect(view).toMatchObject({ profile: { name: 'Tablet', baseUrl: host.baseUrl }, token: { state: 'memory' } })
    const token = app.vault.getToken(view.profile.id, new URL(host.baseUrl).origin)?.reveal() ?? ''
    expect(token).toMatch(/^mnb0\./)
    expectNoSecret(JSON.stringify([view, app.events, app.lines, exchanges]), token)
  })

  test('stores the token if there is a keyring, and keeps it for this run if that fails', async () => {
    const pair = respondJson({ token: TOKEN })
    const host = await startMisbehaving(pair)
    const keyring = createFakeKeyring()
    const app = await createTestDiscovery(host.port, {}, keyring)
    const first = await app.discovery.pair({ ...input, baseUrl: host.baseUrl }, never)
    expect(first.token.state).toBe('stored')
    keyring.state = 'throws'
    const second = await app.discovery.pair({ ...input, baseUrl: host.baseUrl }, never)
    expect(second).toMatchObject({ profile: { id: first.profile.id }, token: { state: 'memory' } })
  })

  test('fails with the refusal of the host, and leaves nothing behind', async () => {
    const host = await startDemo({ pairingCode: '654321' })
    const app = await createTestDiscovery(host.port)
    const failure = await expectAppError(app.discovery.pair({ ...input, baseUrl: host.baseUrl }, never))
    expect(failure.wire).toMatchObject({ kind: 'host', code: 'PAIRING_FAILED' })
    expect(app.profiles.list()).toEqual([])
    expect(host.log.filter(({ endpoint }) => endpoint === 'pair.post')).toHaveLength(1)
  })

  test.each([{}, { token: '' }, { token: 7 }, { token: 'a b' }, { token: 'a\nb' }])(
    'rejects %j as a token',
    async (value) => {
      const host = await startMisbehaving(respondJson(value))
      const app = await createTestDiscovery(host.port)
      const failure = await expectAppError(app.discovery.pair({ ...input, baseUrl: host.baseUrl }, never))
      expect(failure.code).toBe('PAIRING_EMPTY')
      expect(app.profiles.list()).toEqual([])
    },
  )

  test.each(['file:///x', 'http://user@host', 'ftp://host'])('sends nothing to %s', async (baseUrl) => {
    const app = await createTestDiscovery(1)
    expect((await expectAppError(app.discovery.pair({ ...input, baseUrl }, never))).kind).toBe('refused')
  })

  test('safety 4: sends no other token', async () => {
    const host = await startMisbehaving(respondJson({ token: `${TOKEN}.new` }))
    const app = await createTestDiscovery(host.port)
    await app.discovery.pair({ ...input, baseUrl: host.baseUrl }, never)
    expectNoSecret(host.getReceivedBytes().toString('latin1'), TOKEN)
    expect(JSON.parse(host.requests[0]?.body.toString() ?? '')).toEqual({ code: '123456', deviceName: 'Test' })
  })
})
