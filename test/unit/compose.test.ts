import { spawn } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startDemoHost } from '../../electron/demo-host/server.ts'
import { neverRespond } from '../support/hosts/behaviours.ts'
import { expectAppError, TOKEN } from '../support/services/test-client.ts'
import { createFakeKeyring } from '../support/services/ciphers.ts'
import { readAllFiles, startComposedApp, type ComposedApp } from '../support/program/composed-app.ts'
import { createTempDir } from '../support/data/temp-dir.ts'
import { startMisbehavingHost } from '../support/hosts/misbehaving-host.ts'

const demoFlags = ['--demo', '--demo-nodes', '100']
const auth = { header: 'X-Mine', scheme: '' }

async function demoHost() {
  const host = await startDemoHost({ nodes: 10, token: TOKEN })
  onTestFinished(() => host.close())
  return host
}

const phase = async (app: ComposedApp): Promise<string> => (await app.call('connection.get', {})).phase
const online = (app: ComposedApp): Promise<void> => expect.poll(() => phase(app)).toBe('online')

describe('startup', () => {
  test('without flags creates no connection and no demo host, and reports nothing', async () => {
    const app = await startComposedApp(createTempDir())
    expect(await app.call('connection.get', {})).toMatchObject({ phase: 'none', profile: null })
    expect(await app.call('profiles.list', {})).toEqual([])
    expect(await app.call('app.info', {})).toMatchObject({
      name: 'Bridge Inspector',
      version: '1.2.3',
      mode: 'browser',
      dataDir: app.dataDir,
      demoRunning: false,
      opensPanel: false,
      notices: [],
    })
  })

  test('with --demo connects to a read-only demo library that is not stored for the next start', async () => {
    const dir = createTempDir()
    const app = await startComposedApp(dir, demoFlags)
    await online(app)
    const { profile } = await app.call('connection.get', {})
    expect(profile).toMatchObject({ name: 'Demo library', demo: true, readOnly: true })
    expect((await app.call('app.info', {})).demoRunning).toBe(true)
    const { meta } = await app.call('bridge.read', { endpoint: 'studySets.list', params: {}, query: {} })
    expect(meta.status).toBe(200)
    await app.dispose()
    const restarted = await startComposedApp(dir)
    expect(await restarted.call('profiles.list', {})).toEqual([])
    expect(await phase(restarted)).toBe('none')
  })

  test('keeps that the user unlocked the demo library for good, until it is locked again', async () => {
    const dir = createTempDir()
    const restart = async () => {
      const app = await startComposedApp(dir, demoFlags)
      await online(app)
      const { profile } = await app.call('connection.get', {})
      if (!profile) throw new Error('The demo library is not connected.')
      const unlock = (scope: 'session' | 'profile' | 'lock') =>
        app.call('operations.unlock', { profileId: profile.id, scope })
      return { app, unlock, isReadOnly: profile.readOnly }
    }
    const first = await restart()
    expect(first.isReadOnly).toBe(true)
    await first.unlock('session')
    await first.app.dispose()
    const second = await restart()
    expect(second.isReadOnly).toBe(true)
    await second.unlock('profile')
    await second.app.dispose()
    const third = await restart()
    expect(third.isReadOnly).toBe(false)
    await third.unlock('lock')
    await third.app.dispose()
    const fourth = await restart()
    expect(fourth.isReadOnly).toBe(true)
    await fourth.app.dispose()
  })

  test('allows starting the demo library later, twice at once, and after its profile was removed', async () => {
    const app = await startComposedApp(createTempDir(), ['--demo-nodes', '100'])
    const results = await Promise.all([app.call('app.startDemo', {}), app.call('app.startDemo', {})])
    expect(results[0]).toEqual(results[1])
    expect(await phase(app)).toBe('none')
    expect(await app.call('connection.connect', results[0])).toMatchObject({ phase: 'online' })
    await app.call('profiles.remove', results[0])
    expect(await phase(app)).toBe('none')
    const later = await app.call('app.startDemo', {})
    expect(later.profileId).not.toBe(results[0].profileId)
    expect(await app.call('connection.connect', later)).toMatchObject({ phase: 'online' })
    expect(await app.call('profiles.list', {})).toHaveLength(1)
  })

  test('with --base-url connects with the token of the environment through a temporary profile', async () => {
    const host = await demoHost()
    const dir = createTempDir()
    const app = await startComposedApp(dir, ['--base-url', `127.0.0.1:${host.port}`], { env: { BRIDGE_TOKEN: TOKEN } })
    await online(app)
    expect(await app.call('profiles.list', {})).toMatchObject([
      { profile: { baseUrl: host.baseUrl, readOnly: true }, token: { state: 'memory' } },
    ])
    await app.dispose()
    expect(await (await startComposedApp(dir)).call('profiles.list', {})).toEqual([])
  })

  test.skipIf(process.platform === 'win32')(
    'safety 55: shows problems with data directory and token file on the page, and refuses a shared directory',
    async () => {
      const dir = createTempDir()
      const file = path.join(createTempDir(), 'token')
      writeFileSync(file, TOKEN)
      chmodSync(file, 0o644)
      chmodSync(dir, 0o770)
      const app = await startComposedApp(dir, ['--token-file', file])
      const { notices } = await app.call('app.info', {})
      expect(notices.map(({ code }) => code).sort()).toEqual(['DATA_DIR_GROUP', 'TOKEN_FILE_READABLE'])
      await app.dispose()
      chmodSync(dir, 0o777)
      const before = readAllFiles(dir)
      expect((await expectAppError(startComposedApp(dir))).code).toBe('DATA_DIR_SHARED')
      expect(readAllFiles(dir)).toBe(before)
    },
  )

  test('with the --base-url of a saved profile uses that profile unchanged', async () => {
    const host = await demoHost()
    const dir = createTempDir()
    const first = await startComposedApp(dir)
    const draft = { name: 'Mine', baseUrl: host.baseUrl, auth, readOnly: false }
    const { profile } = await first.call('profiles.save', draft)
    await first.dispose()
    const saved = readFileSync(path.join(dir, 'profiles.json'), 'utf8')
    const app = await startComposedApp(dir, ['--base-url', host.baseUrl])
    expect(await app.call('profiles.list', {})).toMatchObject([{ profile }])
    await app.dispose()
    const token = path.join(dir, 'token')
    writeFileSync(token, TOKEN)
    const other = await startComposedApp(dir, ['--base-url', host.baseUrl, '--token-file', token])
    expect(await other.call('profiles.list', {})).toMatchObject([
      { profile, token: { state: 'none' } },
      { profile: { auth, readOnly: true }, token: { state: 'memory' } },
    ])
    await other.dispose()
    expect(readFileSync(path.join(dir, 'profiles.json'), 'utf8')).toBe(saved)
  })

  test('connects to the last profile if its token is stored', async () => {
    const host = await demoHost()
    const dir = createTempDir()
    const ports = { cipher: createFakeKeyring() }
    const first = await startComposedApp(dir, [], { ports })
    const draft = {
      name: 'Mine',
      baseUrl: host.baseUrl,
      auth: { header: 'Authorization', scheme: 'Bearer' },
      readOnly: true,
    }
    const { profile } = await first.call('profiles.save', draft)
    await first.call('vault.set', { profileId: profile.id, token: TOKEN, remember: true })
    await first.call('connection.connect', { profileId: profile.id })
    await first.dispose()
    const second = await startComposedApp(dir, [], { ports })
    await online(second)
    await second.call('connection.disconnect', {})
    await second.dispose()
    const third = await startComposedApp(dir, [], { ports })
    expect(await phase(third)).toBe('none')
    await third.call('connection.connect', { profileId: profile.id })
    await third.dispose()
    const keyless = await startComposedApp(dir)
    expect(await phase(keyless)).toBe('none')
    expect(await keyless.call('profiles.list', {})).toMatchObject([{ token: { state: 'locked' } }])
  })

  test('fails with one line for a token that cannot be sent, and releases the data directory', async () => {
    const dir = createTempDir()
    const bad = startComposedApp(dir, ['--base-url', '127.0.0.1:1'], { env: { BRIDGE_TOKEN: 'two words' } })
    expect((await expectAppError(bad)).code).toBe('TOKEN_MALFORMED')
    expect(existsSync(path.join(dir, 'lock.json'))).toBe(false)
  })

  test('safety 29: fails for a data directory in use, and does not affect the other program', async () => {
    const dir = createTempDir()
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
    onTestFinished(() => void other.kill('SIGKILL'))
    const lock = JSON.stringify({ pid: other.pid })
    writeFileSync(path.join(dir, 'lock.json'), lock)
    const failure = await expectAppError(startComposedApp(dir, demoFlags))
    expect(failure.code).toBe('DATA_DIR_IN_USE')
    for (const part of [String(other.pid), dir, '--data-dir']) expect(failure.message).toContain(part)
    expect(readFileSync(path.join(dir, 'lock.json'), 'utf8')).toBe(lock)
    other.kill('SIGKILL')
    await new Promise((resolve) => other.once('exit', resolve))
    expect(await phase(await startComposedApp(dir))).toBe('none')
  })

  test('safety 44: succeeds with every data file damaged, and reports what happened', async () => {
    const dir = createTempDir()
    for (const name of ['settings', 'profiles', 'vault', 'lock']) writeFileSync(path.join(dir, `${name}.json`), '{"x')
    const app = await startComposedApp(dir)
    const { notices } = await app.call('app.info', {})
    expect(notices.map(({ code }) => code).sort()).toEqual(['PROFILES_DAMAGED', 'SETTINGS_LOST', 'VAULT_DAMAGED'])
    await app.call('app.dismissNotice', { id: notices[0]?.id ?? '' })
    expect((await app.call('app.info', {})).notices).toHaveLength(2)
    expect((await app.call('settings.update', { theme: 'dark' })).theme).toBe('dark')
  })
})

describe('shutdown', () => {
  test('stops the demo host and running requests, and releases the data directory', async () => {
    const dir = createTempDir()
    const app = await startComposedApp(dir, demoFlags)
    await online(app)
    const { profile } = await app.call('connection.get', {})
    await app.dispose()
    expect(existsSync(path.join(dir, 'lock.json'))).toBe(false)
    await expect(fetch(`${profile?.baseUrl ?? ''}/status`)).rejects.toThrow()
  })

  test('does not wait for a silent host', async () => {
    const host = await startMisbehavingHost(neverRespond())
    onTestFinished(() => host.close())
    const app = await startComposedApp(createTempDir(), ['--base-url', host.baseUrl], { env: { BRIDGE_TOKEN: TOKEN } })
    await expect.poll(() => host.requests.length).toBe(1)
    const reading = app.callExpectingError('bridge.read', { endpoint: 'studySets.list', params: {}, query: {} })
    await expect.poll(() => host.requests.length).toBe(2)
    await app.dispose()
    expect((await reading).kind).toBe('cancelled')
    await expect.poll(() => host.countConnections().open).toBe(0)
  })

  test('does not wait for a demo host that is still starting', async () => {
    const never = new URL('data:text/javascript,setInterval(() => {}, 1000)')
    const app = await startComposedApp(createTempDir(), [], { ports: { demoWorker: never } })
    const starting = app.callExpectingError('app.startDemo', {})
    await app.dispose()
    void starting.catch(() => undefined)
    expect(existsSync(path.join(app.dataDir, 'lock.json'))).toBe(false)
  })

  test('a demo host that dies is not reported as running', async () => {
    const broken = new URL('data:text/javascript,process.exit(1)')
    const app = await startComposedApp(createTempDir(), [], { ports: { demoWorker: broken } })
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect((await app.callExpectingError('app.startDemo', {})).kind).toBe('internal')
    expect((await app.call('app.info', {})).demoRunning).toBe(false)
  })
})

describe('editing the connected profile', () => {
  test('safety 4: does not send the token to a new address, uses a new token at once, and is Unauthorized without one', async () => {
    const host = await demoHost()
    const trap = await startMisbehavingHost(neverRespond())
    onTestFinished(() => trap.close())
    const app = await startComposedApp(createTempDir(), ['--base-url', host.baseUrl], { env: { BRIDGE_TOKEN: TOKEN } })
    await online(app)
    const { profile } = await app.call('connection.get', {})
    const { id = '', name = '' } = profile ?? {}
    await app.call('vault.forget', { profileId: id })
    await expect.poll(() => phase(app)).toBe('unauthorized')
    await app.call('vault.set', { profileId: id, token: TOKEN, remember: false })
    await expect.poll(() => phase(app)).toBe('online')
    const draft = { id, name, auth: { header: 'Authorization', scheme: 'Bearer' }, readOnly: true }
    await app.call('profiles.save', { ...draft, baseUrl: trap.baseUrl })
    await expect.poll(() => trap.requests.length).toBe(1)
    expect(trap.getReceivedBytes().toString()).not.toContain('uthorization')
  })

  test('accepts a certificate only while the host presents it', async () => {
    const app = await startComposedApp(createTempDir(), demoFlags)
    await online(app)
    const { profile } = await app.call('connection.get', {})
    const failure = await app.callExpectingError('connection.trustCertificate', {
      profileId: profile?.id,
      fingerprint: 'AA:BB',
    })
    expect(failure.code).toBe('CERTIFICATE_UNSEEN')
    expect((await app.call('profiles.list', {}))[0]?.profile.tlsFingerprint).toBeNull()
  })
})
