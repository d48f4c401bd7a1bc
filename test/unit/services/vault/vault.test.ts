import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { TOKEN } from '../../../support/services/test-client.ts'
import { createFakeKeyring, type KeyringState } from '../../../support/services/ciphers.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { expectNoSecret } from '../../../support/data/secrets.ts'
import { listNoticeCodes, startStores } from '../../../support/services/service-environment.ts'

const ORIGIN = 'http://127.0.0.1:42340'
const OTHER_TOKEN = `${TOKEN}.other`
const getVaultFile = (dir: string): string => path.join(dir, 'vault.json')
const readEveryFile = (dir: string): string =>
  readdirSync(dir)
    .map((name) => readFileSync(path.join(dir, name), 'utf8'))
    .join('\n')

/** Creates a data directory with a remembered token, and the keyring that can decrypt it. */
async function createRemembered(grade: 'secure' | 'weak' = 'secure') {
  const dir = createTempDir()
  const keyring = createFakeKeyring(grade)
  const { vault } = await startStores(dir, keyring)
  await vault.setToken('p', TOKEN, ORIGIN, true)
  return { dir, keyring }
}

describe('token', () => {
  test('is stored only in memory by default', async () => {
    const dir = createTempDir()
    const { vault } = await startStores(dir, createFakeKeyring())
    expect(await vault.setToken('p', ` ${TOKEN}\n`, ORIGIN, false)).toEqual({
      state: 'memory',
      boundTo: ORIGIN,
      backend: null,
    })
    expect(vault.getToken('p', ORIGIN)?.reveal()).toBe(TOKEN)
    expect(existsSync(getVaultFile(dir))).toBe(false)
    expect((await startStores(dir, createFakeKeyring())).vault.status('p').state).toBe('none')
  })

  test('is encrypted and readable only by the user if it is remembered', async () => {
    const { dir, keyring } = await createRemembered()
    const { vault, lines } = await startStores(dir, keyring)
    expect(vault.status('p')).toEqual({ state: 'stored', boundTo: ORIGIN, backend: 'gnome_libsecret' })
    expect(vault.getToken('p', ORIGIN)?.reveal()).toBe(TOKEN)
    expectNoSecret(readEveryFile(dir) + lines.join(), TOKEN)
    const entry = (JSON.parse(readFileSync(getVaultFile(dir), 'utf8')) as { tokens: Record<string, object> }).tokens[
      'p'
    ]
    expect(Object.keys(entry ?? {}).sort()).toEqual(['backend', 'boundTo', 'ciphertext'])
    if (process.platform !== 'win32') {
      for (const name of readdirSync(dir)) expect(statSync(path.join(dir, name)).mode & 0o777).toBe(0o600)
    }
  })

  test.each([
    'https://127.0.0.1:42340',
    'http://127.0.0.1:42341',
    'http://127.0.0.1',
    'http://localhost:42340',
    'http://127.0.0.1:42340.evil.example',
    `${ORIGIN}/`,
    'null',
    '',
  ])('safety 4: is returned only for its own scheme, host and port, not for %j', async (origin) => {
    const { vault } = await startStores(createTempDir())
    await vault.setToken('p', TOKEN, ORIGIN, false)
    expect(vault.getToken('p', origin)).toBeNull()
    expect(vault.getToken('q', ORIGIN)).toBeNull()
    expect(vault.getToken('__proto__', ORIGIN)).toBeNull()
  })

  test('safety 4: is not sent elsewhere after an edit of the file', async () => {
    const { dir, keyring } = await createRemembered()
    writeFileSync(getVaultFile(dir), readFileSync(getVaultFile(dir), 'utf8').replaceAll(ORIGIN, 'http://evil.example'))
    const { vault } = await startStores(dir, keyring)
    expect(vault.status('p').state).toBe('locked')
    expect(vault.getToken('p', 'http://evil.example')).toBeNull()
  })

  test.each(['two words', 'line\nbreak', ''])('is locked and never sent if the keyring contains %j', async (token) => {
    const { dir, keyring } = await createRemembered()
    const bytes = await keyring.encrypt(JSON.stringify({ token, boundTo: ORIGIN }))
    const entry = { backend: 'x', ciphertext: Buffer.from(bytes).toString('base64'), boundTo: ORIGIN }
    writeFileSync(getVaultFile(dir), JSON.stringify({ tokens: { p: entry } }))
    const { vault } = await startStores(dir, keyring)
    expect(vault.status('p').state).toBe('locked')
    expect(vault.getToken('p', ORIGIN)).toBeNull()
  })

  test('is removed from memory, file and backup if it is forgotten, and does not come back', async () => {
    const { dir, keyring } = await createRemembered()
    const first = await startStores(dir, keyring)
    await first.vault.setToken('q', OTHER_TOKEN, ORIGIN, true)
    const { ciphertext } = (
      JSON.parse(readFileSync(getVaultFile(dir), 'utf8')) as { tokens: { p: { ciphertext: string } } }
    ).tokens.p
    first.vault.forgetToken('p')
    expect(first.vault.getToken('p', ORIGIN)).toBeNull()
    expect(readEveryFile(dir)).not.toContain(ciphertext)
    writeFileSync(getVaultFile(dir), '{')
    const second = await startStores(dir, keyring)
    expect(second.vault.status('p').state).toBe('none')
    expect(second.vault.getToken('q', ORIGIN)?.reveal()).toBe(OTHER_TOKEN)
  })

  test.each(['', '   ', 'two words', 'line\nbreak', 'caf\u00e9', '\u0000'])('is refused if it is %j', async (text) => {
    const { vault } = await startStores(createTempDir())
    await expect(vault.setToken('p', text, ORIGIN, false)).rejects.toMatchObject({ code: 'TOKEN_MALFORMED' })
    expect(vault.status('p').state).toBe('none')
  })

  test('is the later one of two overlapping saves, and none if it is forgotten in between', async () => {
    const dir = createTempDir()
    const keyring = createFakeKeyring()
    const { vault } = await startStores(dir, keyring)
    keyring.state = 'hangs'
    const slowSave = vault.setToken('p', TOKEN, ORIGIN, true)
    await vault.setToken('p', OTHER_TOKEN, ORIGIN, false)
    keyring.releaseHangingCalls()
    await slowSave
    expect(vault.getToken('p', ORIGIN)?.reveal()).toBe(OTHER_TOKEN)
    const lateSave = vault.setToken('q', TOKEN, ORIGIN, true)
    vault.forgetToken('q')
    expect((await lateSave).state).toBe('none')
    expect(existsSync(getVaultFile(dir))).toBe(false)
  })

  test('is not stored in part if it cannot be written', async () => {
    const { dir, keyring } = await createRemembered()
    const { vault } = await startStores(dir, keyring)
    mkdirSync(`${getVaultFile(dir)}.${process.pid}.tmp`)
    await expect(vault.setToken('p', OTHER_TOKEN, ORIGIN, true)).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect(vault.getToken('p', ORIGIN)?.reveal()).toBe(TOKEN)
    expect((await startStores(dir, keyring)).vault.getToken('p', ORIGIN)?.reveal()).toBe(TOKEN)
  })
})

describe('safety 5: keyring', () => {
  test.each([
    ['secure', createFakeKeyring('secure'), { grade: 'secure', backend: 'gnome_libsecret' }],
    ['weak', createFakeKeyring('weak'), { grade: 'weak', backend: 'basic_text' }],
    ['absent', null, { grade: 'none', backend: 'memory' }],
  ] as const)('reports its grade and backend: %s', async (_, keyring, storage) => {
    expect(await (await startStores(createTempDir(), keyring)).vault.storage()).toEqual(storage)
  })

  test('weak: stores a token only on explicit request', async () => {
    const { dir, keyring } = await createRemembered('weak')
    const { vault } = await startStores(dir, keyring)
    expect(vault.status('p')).toMatchObject({ state: 'stored', backend: 'basic_text' })
    await vault.setToken('p', OTHER_TOKEN, ORIGIN, false)
    expect(vault.status('p').state).toBe('memory')
    expect((await startStores(dir, keyring)).vault.status('p').state).toBe('none')
  })

  const failingMoods: KeyringState[] = ['locked', 'other key', 'throws', 'hangs', 'garbage']
  test.each(failingMoods)(
    '%s at the start: locks the token, keeps its encrypted form, and lets the program start',
    async (mood) => {
      const { dir, keyring } = await createRemembered()
      const blob = readFileSync(getVaultFile(dir), 'utf8')
      keyring.state = mood
      const { vault, lines } = await startStores(dir, keyring)
      expect(vault.status('p')).toEqual({ state: 'locked', boundTo: ORIGIN, backend: 'gnome_libsecret' })
      expect(vault.getToken('p', ORIGIN)).toBeNull()
      await vault.setToken('q', OTHER_TOKEN, ORIGIN, false)
      vault.forgetToken('nobody')
      expect(readFileSync(getVaultFile(dir), 'utf8')).toBe(blob)
      expectNoSecret(lines.join('\n'), TOKEN)
      expect(lines.join()).toContain('could not be decrypted')
      keyring.state = 'fine'
      expect((await startStores(dir, keyring)).vault.getToken('p', ORIGIN)?.reveal()).toBe(TOKEN)
    },
  )

  test('absent at the start: locks the token, and a new token can be stored in memory', async () => {
    const { dir, keyring } = await createRemembered()
    const { vault } = await startStores(dir, null)
    expect(vault.status('p').state).toBe('locked')
    expect((await vault.unlock('p')).state).toBe('locked')
    expect((await startStores(dir, keyring)).vault.status('p').state).toBe('stored')
  })

  test.each(['none', 'backend throws', 'throws', 'locked', 'hangs'] as const)(
    '%s when a token is saved: refuses it, and stores nothing',
    async (mood) => {
      const dir = createTempDir()
      const keyring = createFakeKeyring()
      const { vault } = await startStores(dir, keyring)
      keyring.state = mood
      await expect(vault.setToken('p', TOKEN, ORIGIN, true)).rejects.toMatchObject({
        kind: 'refused',
        code: 'VAULT_UNAVAILABLE',
      })
      expect(vault.status('p').state).toBe('none')
      expect(readdirSync(dir)).toEqual([])
      expect((await vault.setToken('p', TOKEN, ORIGIN, false)).state).toBe('memory')
    },
  )

  test('unlocked later: returns the token at the next request', async () => {
    const { dir, keyring } = await createRemembered()
    keyring.state = 'locked'
    const { vault } = await startStores(dir, keyring)
    keyring.state = 'fine'
    expect((await vault.unlock('p')).state).toBe('stored')
    expect(vault.getToken('p', ORIGIN)?.reveal()).toBe(TOKEN)
    expect((await vault.unlock('nobody')).state).toBe('none')
  })

  test('responds late: unlocks the token then, unless it was forgotten meanwhile', async () => {
    const { dir, keyring } = await createRemembered()
    await (await startStores(dir, keyring)).vault.setToken('q', OTHER_TOKEN, ORIGIN, true)
    keyring.state = 'hangs'
    const { vault } = await startStores(dir, keyring)
    vault.forgetToken('q')
    keyring.state = 'fine'
    keyring.releaseHangingCalls()
    await expect.poll(() => vault.status('p').state).toBe('stored')
    expect(vault.status('q').state).toBe('none')
    expect(vault.getToken('q', ORIGIN)).toBeNull()
  })
})

describe('safety 44: damaged vault file', () => {
  test.each(['', '{', '[]', '{"tokens":[]}'])(
    'is moved aside with a notice if it is %j, and the program starts',
    async (text) => {
      const dir = createTempDir()
      writeFileSync(getVaultFile(dir), text)
      const app = await startStores(dir, createFakeKeyring())
      expect(listNoticeCodes(app)).toEqual(['VAULT_DAMAGED'])
      expect(readdirSync(dir).filter((name) => name.includes('.corrupt-'))).toHaveLength(1)
    },
  )

  test('has a backup with the same tokens', async () => {
    const { dir, keyring } = await createRemembered()
    writeFileSync(getVaultFile(dir), '{')
    const app = await startStores(dir, keyring)
    expect(app.vault.status('p').state).toBe('stored')
    expect(listNoticeCodes(app)).toEqual([])
  })

  test('locks an unknown entry and writes it back unchanged', async () => {
    const { dir, keyring } = await createRemembered()
    const tokens = (JSON.parse(readFileSync(getVaultFile(dir), 'utf8')) as { tokens: object }).tokens
    const newer = { scheme: 2, parts: ['x'] }
    writeFileSync(getVaultFile(dir), JSON.stringify({ tokens: { ...tokens, n: newer } }))
    const { vault } = await startStores(dir, keyring)
    expect(vault.status('n')).toEqual({ state: 'locked', boundTo: null, backend: null })
    await vault.setToken('q', OTHER_TOKEN, ORIGIN, true)
    expect(JSON.parse(readFileSync(getVaultFile(dir), 'utf8'))).toMatchObject({ tokens: { n: newer } })
    await vault.setToken('n', OTHER_TOKEN, ORIGIN, true)
    expect(vault.status('n').state).toBe('stored')
    vault.forgetToken('n')
    expect((await startStores(dir, keyring)).vault.status('n').state).toBe('none')
  })
})
