import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { TOKEN } from '../../../support/services/test-client.ts'
import { createFakeKeyring, type KeyringState } from '../../../support/services/ciphers.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { expectNoSecret } from '../../../support/data/secrets.ts'
import { listNoticeCodes, startStores } from '../../../support/services/service-environment.ts'

const ORIGIN = 'http://127.0.0.1:42340'
const OTHER = `${TOKEN}.other`
const fileIn = (dir: string): string => path.join(dir, 'vault.json')
const everyFile = (dir: string): string =>
  readdirSync(dir)
    .map((name) => readFileSync(path.join(dir, name), 'utf8'))
    .join('\n')

/** A data directory with a remembered token, and the keyring that can decrypt it. */
async function remembered(grade: 'secure' | 'weak' = 'secure') {
  const dir = createTempDir()
  const keyring = createFakeKeyring(grade)
  const { vault } = await startStores(dir, keyring)
  await vault.setToken('p', TOKEN, ORIGIN, true)
  return { dir, keyring }
}

describe('a token', () => {
  test('is kept only in memory unless it is to be remembered', async () => {
    const dir = createTempDir()
    const { vault } = await startStores(dir, createFakeKeyring())
    expect(await vault.setToken('p', ` ${TOKEN}\n`, ORIGIN, false)).toEqual({
      state: 'memory',
      boundTo: ORIGIN,
      backend: null,
    })
    expect(vault.getToken('p', ORIGIN)?.reveal()).toBe(TOKEN)
    expect(existsSync(fileIn(dir))).toBe(false)
    expect((await startStores(dir, createFakeKeyring())).vault.status('p').state).toBe('none')
  })

  test('that is remembered is there at the next start, encrypted, only for the user', async () => {
    const { dir, keyring } = await remembered()
    const { vault, lines } = await startStores(dir, keyring)
    expect(vault.status('p')).toEqual({ state: 'stored', boundTo: ORIGIN, backend: 'gnome_libsecret' })
    expect(vault.getToken('p', ORIGIN)?.reveal()).toBe(TOKEN)
    expectNoSecret(everyFile(dir) + lines.join(), TOKEN)
    const entry = (JSON.parse(readFileSync(fileIn(dir), 'utf8')) as { tokens: Record<string, object> }).tokens['p']
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
  ])('safety 4: is given out for its own scheme, host and port, not for %j', async (origin) => {
    const { vault } = await startStores(createTempDir())
    await vault.setToken('p', TOKEN, ORIGIN, false)
    expect(vault.getToken('p', origin)).toBeNull()
    expect(vault.getToken('q', ORIGIN)).toBeNull()
    expect(vault.getToken('__proto__', ORIGIN)).toBeNull()
  })

  test('safety 4: an edit of the file does not send it elsewhere', async () => {
    const { dir, keyring } = await remembered()
    writeFileSync(fileIn(dir), readFileSync(fileIn(dir), 'utf8').replaceAll(ORIGIN, 'http://evil.example'))
    const { vault } = await startStores(dir, keyring)
    expect(vault.status('p').state).toBe('locked')
    expect(vault.getToken('p', 'http://evil.example')).toBeNull()
  })

  test.each(['two words', 'line\nbreak', ''])('%j in the keyring is not a token: locked, never sent', async (token) => {
    const { dir, keyring } = await remembered()
    const bytes = await keyring.encrypt(JSON.stringify({ token, boundTo: ORIGIN }))
    const entry = { backend: 'x', ciphertext: Buffer.from(bytes).toString('base64'), boundTo: ORIGIN }
    writeFileSync(fileIn(dir), JSON.stringify({ tokens: { p: entry } }))
    const { vault } = await startStores(dir, keyring)
    expect(vault.status('p').state).toBe('locked')
    expect(vault.getToken('p', ORIGIN)).toBeNull()
  })

  test('that is forgotten is gone from memory, file and backup, and does not come back', async () => {
    const { dir, keyring } = await remembered()
    const first = await startStores(dir, keyring)
    await first.vault.setToken('q', OTHER, ORIGIN, true)
    const { ciphertext } = (JSON.parse(readFileSync(fileIn(dir), 'utf8')) as { tokens: { p: { ciphertext: string } } })
      .tokens.p
    first.vault.forgetToken('p')
    expect(first.vault.getToken('p', ORIGIN)).toBeNull()
    expect(everyFile(dir)).not.toContain(ciphertext)
    writeFileSync(fileIn(dir), '{')
    const second = await startStores(dir, keyring)
    expect(second.vault.status('p').state).toBe('none')
    expect(second.vault.getToken('q', ORIGIN)?.reveal()).toBe(OTHER)
  })

  test.each(['', '   ', 'two words', 'line\nbreak', 'caf\u00e9', '\u0000'])('%j is refused', async (text) => {
    const { vault } = await startStores(createTempDir())
    await expect(vault.setToken('p', text, ORIGIN, false)).rejects.toMatchObject({ code: 'TOKEN_MALFORMED' })
    expect(vault.status('p').state).toBe('none')
  })

  test('of two overlapping saves the later counts, and a forget in between wins', async () => {
    const dir = createTempDir()
    const keyring = createFakeKeyring()
    const { vault } = await startStores(dir, keyring)
    keyring.state = 'hangs'
    const slow = vault.setToken('p', TOKEN, ORIGIN, true)
    await vault.setToken('p', OTHER, ORIGIN, false)
    keyring.releaseHangingCalls()
    await slow
    expect(vault.getToken('p', ORIGIN)?.reveal()).toBe(OTHER)
    const late = vault.setToken('q', TOKEN, ORIGIN, true)
    vault.forgetToken('q')
    expect((await late).state).toBe('none')
    expect(existsSync(fileIn(dir))).toBe(false)
  })

  test('that cannot be written is not half stored', async () => {
    const { dir, keyring } = await remembered()
    const { vault } = await startStores(dir, keyring)
    mkdirSync(`${fileIn(dir)}.${process.pid}.tmp`)
    await expect(vault.setToken('p', OTHER, ORIGIN, true)).rejects.toMatchObject({ code: 'STORE_FAILED' })
    expect(vault.getToken('p', ORIGIN)?.reveal()).toBe(TOKEN)
    expect((await startStores(dir, keyring)).vault.getToken('p', ORIGIN)?.reveal()).toBe(TOKEN)
  })
})

describe('safety 5: the keyring', () => {
  test.each([
    ['secure', createFakeKeyring('secure'), { grade: 'secure', backend: 'gnome_libsecret' }],
    ['weak', createFakeKeyring('weak'), { grade: 'weak', backend: 'basic_text' }],
    ['absent', null, { grade: 'none', backend: 'memory' }],
  ] as const)('%s: says what it is', async (_, keyring, storage) => {
    expect(await (await startStores(createTempDir(), keyring)).vault.storage()).toEqual(storage)
  })

  test('weak: keeps a token only on explicit request', async () => {
    const { dir, keyring } = await remembered('weak')
    const { vault } = await startStores(dir, keyring)
    expect(vault.status('p')).toMatchObject({ state: 'stored', backend: 'basic_text' })
    await vault.setToken('p', OTHER, ORIGIN, false)
    expect(vault.status('p').state).toBe('memory')
    expect((await startStores(dir, keyring)).vault.status('p').state).toBe('none')
  })

  const troubles: KeyringState[] = ['locked', 'other key', 'throws', 'hangs', 'garbage']
  test.each(troubles)('%s at the start: the program starts, the token is locked, its blob stays', async (mood) => {
    const { dir, keyring } = await remembered()
    const blob = readFileSync(fileIn(dir), 'utf8')
    keyring.state = mood
    const { vault, lines } = await startStores(dir, keyring)
    expect(vault.status('p')).toEqual({ state: 'locked', boundTo: ORIGIN, backend: 'gnome_libsecret' })
    expect(vault.getToken('p', ORIGIN)).toBeNull()
    await vault.setToken('q', OTHER, ORIGIN, false)
    vault.forgetToken('nobody')
    expect(readFileSync(fileIn(dir), 'utf8')).toBe(blob)
    expectNoSecret(lines.join('\n'), TOKEN)
    expect(lines.join()).toContain('could not be decrypted')
    keyring.state = 'fine'
    expect((await startStores(dir, keyring)).vault.getToken('p', ORIGIN)?.reveal()).toBe(TOKEN)
  })

  test('absent at the start: locked, and a new token can be kept in memory', async () => {
    const { dir, keyring } = await remembered()
    const { vault } = await startStores(dir, null)
    expect(vault.status('p').state).toBe('locked')
    expect((await vault.unlock('p')).state).toBe('locked')
    expect((await startStores(dir, keyring)).vault.status('p').state).toBe('stored')
  })

  test.each(['none', 'backend throws', 'throws', 'locked', 'hangs'] as const)(
    '%s when a token is to be remembered: refused, and nothing is kept',
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

  test('unlocked later: the token is there when it is asked for again', async () => {
    const { dir, keyring } = await remembered()
    keyring.state = 'locked'
    const { vault } = await startStores(dir, keyring)
    keyring.state = 'fine'
    expect((await vault.unlock('p')).state).toBe('stored')
    expect(vault.getToken('p', ORIGIN)?.reveal()).toBe(TOKEN)
    expect((await vault.unlock('nobody')).state).toBe('none')
  })

  test('that responds late unlocks the token then, unless it was forgotten meanwhile', async () => {
    const { dir, keyring } = await remembered()
    await (await startStores(dir, keyring)).vault.setToken('q', OTHER, ORIGIN, true)
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

describe('safety 44: a damaged vault file', () => {
  test.each(['', '{', '[]', '{"tokens":[]}'])('%j is set aside with a notice, and the program starts', async (text) => {
    const dir = createTempDir()
    writeFileSync(fileIn(dir), text)
    const app = await startStores(dir, createFakeKeyring())
    expect(listNoticeCodes(app)).toEqual(['VAULT_DAMAGED'])
    expect(readdirSync(dir).filter((name) => name.includes('.corrupt-'))).toHaveLength(1)
  })

  test('the backup holds the same tokens', async () => {
    const { dir, keyring } = await remembered()
    writeFileSync(fileIn(dir), '{')
    const app = await startStores(dir, keyring)
    expect(app.vault.status('p').state).toBe('stored')
    expect(listNoticeCodes(app)).toEqual([])
  })

  test('an unknown entry counts as locked and is written back unchanged', async () => {
    const { dir, keyring } = await remembered()
    const tokens = (JSON.parse(readFileSync(fileIn(dir), 'utf8')) as { tokens: object }).tokens
    const newer = { scheme: 2, parts: ['x'] }
    writeFileSync(fileIn(dir), JSON.stringify({ tokens: { ...tokens, n: newer } }))
    const { vault } = await startStores(dir, keyring)
    expect(vault.status('n')).toEqual({ state: 'locked', boundTo: null, backend: null })
    await vault.setToken('q', OTHER, ORIGIN, true)
    expect(JSON.parse(readFileSync(fileIn(dir), 'utf8'))).toMatchObject({ tokens: { n: newer } })
    await vault.setToken('n', OTHER, ORIGIN, true)
    expect(vault.status('n').state).toBe('stored')
    vault.forgetToken('n')
    expect((await startStores(dir, keyring)).vault.status('n').state).toBe('none')
  })
})
