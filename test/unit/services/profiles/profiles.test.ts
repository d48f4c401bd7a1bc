import fc from 'fast-check'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { AppError } from '../../../../shared/errors.ts'
import { profileSchema, type Profile, type ProfileDraft } from '../../../../shared/ipc/profiles.ts'
import { originOf } from '../../../../electron/services/profiles/base-url.ts'
import { TOKEN } from '../../../support/services/test-client.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { expectNoSecret } from '../../../support/data/secrets.ts'
import { listNoticeCodes, startStores } from '../../../support/services/service-environment.ts'

const PIN = Array.from({ length: 32 }, () => 'AB').join(':')
const draft: ProfileDraft = {
  name: 'Tablet',
  baseUrl: 'https://127.0.0.1:42340',
  auth: { header: 'X-Token', scheme: '' },
  readOnly: false,
}
const fileIn = (dir: string): string => path.join(dir, 'profiles.json')
const stored = (dir: string) =>
  JSON.parse(readFileSync(fileIn(dir), 'utf8')) as { profiles: Profile[]; lastUsed: unknown }

describe('profiles', () => {
  test('are at the next start as saved', async () => {
    const dir = createTempDir()
    const first = await startStores(dir)
    const { profile } = first.profiles.save(draft)
    expect(profile).toMatchObject({ ...draft, baseUrl: 'https://127.0.0.1:42340/bridge/v1', demo: false })
    expect(first.events.at(-1)).toMatchObject({ topic: 'profiles.changed', payload: [{ profile }] })
    const second = await startStores(dir)
    expect(second.profiles.list()).toEqual([
      { profile, token: { state: 'none', boundTo: null, backend: null }, plainRemote: false },
    ])
    expect(listNoticeCodes(second)).toEqual([])
    second.profiles.remove(profile.id)
    expect((await startStores(dir)).profiles.list()).toEqual([])
  })

  test('one without a name is named by its address; a plain HTTP one to another machine is marked', async () => {
    const { profiles } = await startStores(createTempDir())
    const view = profiles.save({ ...draft, name: '  ', baseUrl: '192.168.1.9:42340' })
    expect(view).toMatchObject({ profile: { name: '192.168.1.9:42340' }, plainRemote: true })
  })

  test('an unknown one is refused', async () => {
    const { profiles } = await startStores(createTempDir())
    const refusal = expect.objectContaining({ code: 'PROFILE_UNKNOWN' }) as unknown
    for (const act of [profiles.get, profiles.view, profiles.remove, profiles.markConnected]) {
      expect(() => act('nobody')).toThrow(refusal as Error)
    }
    expect(() => profiles.save({ ...draft, id: '__proto__' })).toThrow(refusal as Error)
  })

  test('the last connected one is remembered until the user disconnects', async () => {
    const dir = createTempDir()
    const { profiles } = await startStores(dir)
    const [a, b] = [profiles.save(draft).profile, profiles.save(draft).profile]
    profiles.markConnected(a.id)
    const opened = profiles.markConnected(b.id)
    expect(opened.lastConnectedAt).not.toBeNull()
    expect((await startStores(dir)).profiles.getLastUsed()?.profile).toEqual(opened)
    profiles.markDisconnected()
    expect((await startStores(dir)).profiles.getLastUsed()).toBeNull()
  })

  test('neither the demo library nor a temporary one is stored until the user saves it', async () => {
    const dir = createTempDir()
    const { profiles } = await startStores(dir)
    const demo = profiles.save(draft, { demo: true }).profile
    const passing = profiles.save({ ...draft, name: 'Flag' }, { temporary: true }).profile
    profiles.markConnected(demo.id)
    profiles.markConnected(passing.id)
    expect(profiles.list()).toHaveLength(2)
    expect((await startStores(dir)).profiles.list()).toEqual([])
    profiles.save({ ...draft, id: passing.id, name: 'Kept' })
    expect(stored(dir).profiles.map(({ name }) => name)).toEqual(['Kept'])
    const moved = profiles.save({ ...draft, id: demo.id, baseUrl: 'http://127.0.0.1:1' }).profile
    expect(moved.demo).toBe(false)
  })

  test('a full disk leaves everything as it was', async () => {
    const dir = createTempDir()
    const { profiles, events } = await startStores(dir)
    const { profile } = profiles.save(draft)
    mkdirSync(`${fileIn(dir)}.${process.pid}.tmp`)
    const before = { list: profiles.list(), said: events.length, text: readFileSync(fileIn(dir), 'utf8') }
    for (const act of [
      () => profiles.save({ ...draft, id: profile.id, name: 'Other' }),
      () => profiles.save(draft),
      () => profiles.remove(profile.id),
      () => profiles.markConnected(profile.id),
    ]) {
      expect(act).toThrow(AppError)
      expect({ list: profiles.list(), said: events.length, text: readFileSync(fileIn(dir), 'utf8') }).toEqual(before)
    }
  })
})

describe('safety 4: a new scheme, host or port', () => {
  const moves = [
    ['scheme', 'http://127.0.0.1:42340'],
    ['host', 'https://localhost:42340'],
    ['another machine', 'https://192.168.1.9:42340'],
    ['port', 'https://127.0.0.1:42341'],
    ['default port', 'https://127.0.0.1'],
    ['userless twin', 'https://127.0.0.2:42340'],
  ] as const

  async function withToken() {
    const dir = createTempDir()
    const stores = await startStores(dir)
    const { profile } = stores.profiles.save(draft)
    await stores.vault.setToken(profile.id, TOKEN, originOf(profile.baseUrl), false)
    stores.profiles.pinCertificate(profile.id, PIN)
    return { dir, ...stores, profile }
  }

  test.each(moves)('%s: drops token and pinned certificate, for good', async (_, baseUrl) => {
    const { profiles, vault, profile } = await withToken()
    const moved = profiles.save({ ...draft, id: profile.id, baseUrl })
    expect(moved.token.state).toBe('none')
    expect(moved.profile.tlsFingerprint).toBeNull()
    expect(vault.getToken(profile.id, originOf(moved.profile.baseUrl))).toBeNull()
    const back = profiles.save({ ...draft, id: profile.id })
    expect(back.token.state).toBe('none')
    expect(vault.getToken(profile.id, originOf(back.profile.baseUrl))).toBeNull()
  })

  test.each(['https://127.0.0.1:42340/other', 'https://127.0.0.1:42340/bridge/v1', '127.0.0.1:42340'])(
    'the same origin keeps both, another does not: %s',
    async (baseUrl) => {
      const { profiles, vault, profile } = await withToken()
      const { profile: now, token } = profiles.save({
        ...draft,
        id: profile.id,
        baseUrl,
        name: 'Renamed',
        readOnly: true,
      })
      const same = originOf(now.baseUrl) === originOf(profile.baseUrl)
      expect(same).toBe(baseUrl.startsWith('https'))
      expect(token.state).toBe(same ? 'memory' : 'none')
      expect(now.tlsFingerprint).toBe(same ? PIN : null)
      expect(vault.getToken(profile.id, originOf(now.baseUrl))?.reveal()).toBe(same ? TOKEN : undefined)
    },
  )

  test('a refused address changes nothing', async () => {
    const { profiles, profile } = await withToken()
    expect(() => profiles.save({ ...draft, id: profile.id, baseUrl: 'ftp://evil' })).toThrow(AppError)
    expect(profiles.view(profile.id)).toMatchObject({ token: { state: 'memory' }, profile: { tlsFingerprint: PIN } })
  })

  test('safety 1: neither the file nor a push contains the token', async () => {
    const { dir, profiles, profile, events } = await withToken()
    profiles.publishChange()
    expectNoSecret(readFileSync(fileIn(dir), 'utf8'), TOKEN)
    expectNoSecret(JSON.stringify([events, profiles.list(), profile]), TOKEN)
  })
})

describe('safety 44: a damaged profiles file', () => {
  const good = {
    id: 'good',
    name: 'Good',
    baseUrl: 'http://127.0.0.1:1/bridge/v1',
    auth: draft.auth,
    readOnly: false,
    tlsFingerprint: PIN,
    demo: false,
    lastConnectedAt: 5,
  }

  test('an invalid entry is skipped with a notice, and left in the file', async () => {
    const dir = createTempDir()
    const odd = [
      7,
      null,
      { id: 'x' },
      { ...good, id: 'evil', baseUrl: 'javascript:alert(1)' },
      { ...good, name: 'twin' },
    ]
    writeFileSync(fileIn(dir), JSON.stringify({ profiles: [good, ...odd] }))
    const app = await startStores(dir)
    expect(app.profiles.list().map(({ profile }) => profile)).toEqual([good])
    expect(listNoticeCodes(app)).toEqual(['PROFILES_DAMAGED'])
    app.profiles.save(draft)
    expect(stored(dir).profiles).toEqual([good, expect.objectContaining({ name: 'Tablet' }), ...odd])
  })

  test('a bad member falls back to what is safe', async () => {
    const dir = createTempDir()
    const bad = {
      ...good,
      auth: { header: 'a b', scheme: 1 },
      readOnly: 'no',
      tlsFingerprint: 7,
      // Not a valid date.
      lastConnectedAt: 1e300,
      name: '',
      demo: 'yes',
    }
    writeFileSync(fileIn(dir), JSON.stringify({ profiles: [bad] }))
    const app = await startStores(dir)
    expect(app.profiles.get('good')).toEqual({
      ...good,
      name: '127.0.0.1:1',
      auth: { header: 'Authorization', scheme: 'Bearer' },
      readOnly: true,
      tlsFingerprint: null,
      lastConnectedAt: null,
    })
    expect(listNoticeCodes(app)).toEqual(['PROFILES_DAMAGED'])
  })

  test('what a newer version added survives', async () => {
    const dir = createTempDir()
    writeFileSync(fileIn(dir), JSON.stringify({ profiles: [{ ...good, colour: 'red' }], lastUsed: 'good' }))
    const app = await startStores(dir)
    expect(listNoticeCodes(app)).toEqual([])
    app.profiles.save({ ...draft, id: 'good', name: 'Renamed' })
    expect(stored(dir).profiles).toMatchObject([{ name: 'Renamed', colour: 'red' }])
  })

  test('the backup is used if there is one', async () => {
    const dir = createTempDir()
    writeFileSync(fileIn(dir), '{"profiles": [')
    writeFileSync(`${fileIn(dir)}.bak`, JSON.stringify({ profiles: [good] }))
    const app = await startStores(dir)
    expect(app.profiles.list()).toHaveLength(1)
    expect(listNoticeCodes(app)).toEqual(['PROFILES_FROM_BACKUP'])
  })

  test('whatever the bytes are, the program starts with usable profiles', async () => {
    const dir = createTempDir()
    const bytes = Buffer.from(JSON.stringify({ profiles: [good, { ...good, id: 'two' }], lastUsed: 'two' }))
    const flips = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(flips, fc.option(fc.nat(bytes.length), { freq: 4 }), async (changes, length) => {
        rmSync(dir, { recursive: true })
        mkdirSync(dir)
        const damaged = Uint8Array.from(bytes)
        for (const [at, value] of changes) damaged[at] = value
        writeFileSync(fileIn(dir), damaged.subarray(0, length ?? bytes.length))
        const { profiles } = await startStores(dir)
        for (const { profile } of profiles.list()) expect(profileSchema.safeParse(profile).success).toBe(true)
        profiles.getLastUsed()
        profiles.save(draft)
        expect((await startStores(dir)).profiles.list()).toEqual(profiles.list())
      }),
      { numRuns: 200 },
    )
  })
})
