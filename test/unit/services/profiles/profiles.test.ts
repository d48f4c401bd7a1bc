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
const getProfilesFile = (dir: string): string => path.join(dir, 'profiles.json')
const readStored = (dir: string) =>
  JSON.parse(readFileSync(getProfilesFile(dir), 'utf8')) as { profiles: Profile[]; lastUsed: unknown }

describe('profiles', () => {
  test('are the same at the next start', async () => {
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

  test('are named by their address without a name, and marked for plain HTTP to another machine', async () => {
    const { profiles } = await startStores(createTempDir())
    const view = profiles.save({ ...draft, name: '  ', baseUrl: '192.168.1.9:42340' })
    expect(view).toMatchObject({ profile: { name: '192.168.1.9:42340' }, plainRemote: true })
  })

  test('are refused if they are unknown', async () => {
    const { profiles } = await startStores(createTempDir())
    const refusal = expect.objectContaining({ code: 'PROFILE_UNKNOWN' }) as unknown
    for (const act of [profiles.get, profiles.view, profiles.remove, profiles.markConnected]) {
      expect(() => act('nobody')).toThrow(refusal as Error)
    }
    expect(() => profiles.save({ ...draft, id: '__proto__' })).toThrow(refusal as Error)
  })

  test('remember the last connection until the user disconnects', async () => {
    const dir = createTempDir()
    const { profiles } = await startStores(dir)
    const [a, b] = [profiles.save(draft).profile, profiles.save(draft).profile]
    profiles.markConnected(a.id)
    const connected = profiles.markConnected(b.id)
    expect(connected.lastConnectedAt).not.toBeNull()
    expect((await startStores(dir)).profiles.getLastUsed()?.profile).toEqual(connected)
    profiles.markDisconnected()
    expect((await startStores(dir)).profiles.getLastUsed()).toBeNull()
  })

  test('do not store the demo library or a temporary profile until the user saves it', async () => {
    const dir = createTempDir()
    const { profiles } = await startStores(dir)
    const demo = profiles.save(draft, { demo: true }).profile
    const temporary = profiles.save({ ...draft, name: 'Flag' }, { temporary: true }).profile
    profiles.markConnected(demo.id)
    profiles.markConnected(temporary.id)
    expect(profiles.list()).toHaveLength(2)
    expect((await startStores(dir)).profiles.list()).toEqual([])
    profiles.save({ ...draft, id: temporary.id, name: 'Kept' })
    expect(readStored(dir).profiles.map(({ name }) => name)).toEqual(['Kept'])
    const moved = profiles.save({ ...draft, id: demo.id, baseUrl: 'http://127.0.0.1:1' }).profile
    expect(moved.demo).toBe(false)
  })

  test('stay as they were if the disk is full', async () => {
    const dir = createTempDir()
    const { profiles, events } = await startStores(dir)
    const { profile } = profiles.save(draft)
    mkdirSync(`${getProfilesFile(dir)}.${process.pid}.tmp`)
    const before = {
      list: profiles.list(),
      eventCount: events.length,
      text: readFileSync(getProfilesFile(dir), 'utf8'),
    }
    for (const act of [
      () => profiles.save({ ...draft, id: profile.id, name: 'Other' }),
      () => profiles.save(draft),
      () => profiles.remove(profile.id),
      () => profiles.markConnected(profile.id),
    ]) {
      expect(act).toThrow(AppError)
      expect({
        list: profiles.list(),
        eventCount: events.length,
        text: readFileSync(getProfilesFile(dir), 'utf8'),
      }).toEqual(before)
    }
  })
})

describe('safety 4: profile with a new scheme, host or port', () => {
  const moves = [
    ['scheme', 'http://127.0.0.1:42340'],
    ['host', 'https://localhost:42340'],
    ['another machine', 'https://192.168.1.9:42340'],
    ['port', 'https://127.0.0.1:42341'],
    ['default port', 'https://127.0.0.1'],
    ['userless twin', 'https://127.0.0.2:42340'],
  ] as const

  async function createProfileWithToken() {
    const dir = createTempDir()
    const stores = await startStores(dir)
    const { profile } = stores.profiles.save(draft)
    await stores.vault.setToken(profile.id, TOKEN, originOf(profile.baseUrl), false)
    stores.profiles.pinCertificate(profile.id, PIN)
    return { dir, ...stores, profile }
  }

  test.each(moves)('loses its token and pinned certificate for good: %s', async (_, baseUrl) => {
    const { profiles, vault, profile } = await createProfileWithToken()
    const moved = profiles.save({ ...draft, id: profile.id, baseUrl })
    expect(moved.token.state).toBe('none')
    expect(moved.profile.tlsFingerprint).toBeNull()
    expect(vault.getToken(profile.id, originOf(moved.profile.baseUrl))).toBeNull()
    const movedBack = profiles.save({ ...draft, id: profile.id })
    expect(movedBack.token.state).toBe('none')
    expect(vault.getToken(profile.id, originOf(movedBack.profile.baseUrl))).toBeNull()
  })

  test.each(['https://127.0.0.1:42340/other', 'https://127.0.0.1:42340/bridge/v1', '127.0.0.1:42340'])(
    'keeps both only for the same origin: %s',
    async (baseUrl) => {
      const { profiles, vault, profile } = await createProfileWithToken()
      const { profile: saved, token } = profiles.save({
        ...draft,
        id: profile.id,
        baseUrl,
        name: 'Renamed',
        readOnly: true,
      })
      const hasSameOrigin = originOf(saved.baseUrl) === originOf(profile.baseUrl)
      expect(hasSameOrigin).toBe(baseUrl.startsWith('https'))
      expect(token.state).toBe(hasSameOrigin ? 'memory' : 'none')
      expect(saved.tlsFingerprint).toBe(hasSameOrigin ? PIN : null)
      expect(vault.getToken(profile.id, originOf(saved.baseUrl))?.reveal()).toBe(hasSameOrigin ? TOKEN : undefined)
    },
  )

  test('stays unchanged if the address is refused', async () => {
    const { profiles, profile } = await createProfileWithToken()
    expect(() => profiles.save({ ...draft, id: profile.id, baseUrl: 'ftp://evil' })).toThrow(AppError)
    expect(profiles.view(profile.id)).toMatchObject({ token: { state: 'memory' }, profile: { tlsFingerprint: PIN } })
  })

  test('safety 1: never puts the token into the file or an event', async () => {
    const { dir, profiles, profile, events } = await createProfileWithToken()
    profiles.publishChange()
    expectNoSecret(readFileSync(getProfilesFile(dir), 'utf8'), TOKEN)
    expectNoSecret(JSON.stringify([events, profiles.list(), profile]), TOKEN)
  })
})

describe('safety 44: damaged profiles file', () => {
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

  test('loses an invalid entry with a notice, and keeps it in the file', async () => {
    const dir = createTempDir()
    const invalidEntries = [
      7,
      null,
      { id: 'x' },
      { ...good, id: 'evil', baseUrl: 'javascript:alert(1)' },
      { ...good, name: 'twin' },
    ]
    writeFileSync(getProfilesFile(dir), JSON.stringify({ profiles: [good, ...invalidEntries] }))
    const app = await startStores(dir)
    expect(app.profiles.list().map(({ profile }) => profile)).toEqual([good])
    expect(listNoticeCodes(app)).toEqual(['PROFILES_DAMAGED'])
    app.profiles.save(draft)
    expect(readStored(dir).profiles).toEqual([good, expect.objectContaining({ name: 'Tablet' }), ...invalidEntries])
  })

  test('gets safe values in place of invalid members', async () => {
    const dir = createTempDir()
    const badProfile = {
      ...good,
      auth: { header: 'a b', scheme: 1 },
      readOnly: 'no',
      tlsFingerprint: 7,
      // This number is not a valid date.
      lastConnectedAt: 1e300,
      name: '',
      demo: 'yes',
    }
    writeFileSync(getProfilesFile(dir), JSON.stringify({ profiles: [badProfile] }))
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

  test('keeps members of a newer version', async () => {
    const dir = createTempDir()
    writeFileSync(getProfilesFile(dir), JSON.stringify({ profiles: [{ ...good, colour: 'red' }], lastUsed: 'good' }))
    const app = await startStores(dir)
    expect(listNoticeCodes(app)).toEqual([])
    app.profiles.save({ ...draft, id: 'good', name: 'Renamed' })
    expect(readStored(dir).profiles).toMatchObject([{ name: 'Renamed', colour: 'red' }])
  })

  test('is replaced by its backup if there is one', async () => {
    const dir = createTempDir()
    writeFileSync(getProfilesFile(dir), '{"profiles": [')
    writeFileSync(`${getProfilesFile(dir)}.bak`, JSON.stringify({ profiles: [good] }))
    const app = await startStores(dir)
    expect(app.profiles.list()).toHaveLength(1)
    expect(listNoticeCodes(app)).toEqual(['PROFILES_FROM_BACKUP'])
  })

  test('gives usable profiles at the start, whatever its bytes are', async () => {
    const dir = createTempDir()
    const bytes = Buffer.from(JSON.stringify({ profiles: [good, { ...good, id: 'two' }], lastUsed: 'two' }))
    const flips = fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(flips, fc.option(fc.nat(bytes.length), { freq: 4 }), async (changes, length) => {
        rmSync(dir, { recursive: true })
        mkdirSync(dir)
        const damaged = Uint8Array.from(bytes)
        for (const [index, value] of changes) damaged[index] = value
        writeFileSync(getProfilesFile(dir), damaged.subarray(0, length ?? bytes.length))
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
