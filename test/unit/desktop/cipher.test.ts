import { describe, expect, test } from 'vitest'
import { createKeyring, type KeyringStorage } from '../../../electron/desktop/keyring.ts'

/** The asynchronous calls on a cipher that only reverses, marked as Chromium marks its keys. */
const working = (mark: string, backend = 'gnome_libsecret'): KeyringStorage => ({
  isAsyncEncryptionAvailable: async () => true,
  encryptStringAsync: async (text) => Buffer.from(mark + [...text].reverse().join('')),
  decryptStringAsync: async (bytes) => ({
    result: [...bytes.toString().slice(mark.length)].reverse().join(''),
    shouldReEncrypt: false,
  }),
  getSelectedStorageBackend: () => backend as 'gnome_libsecret',
})
const fails = (): Promise<never> => Promise.reject(new Error('keyring locked'))

describe('the keyring', () => {
  test.each<[string, KeyringStorage, NodeJS.Platform, object]>([
    ['a Linux keyring', working('v11'), 'linux', { name: 'gnome_libsecret', grade: 'secure' }],
    ['basic_text', working('v10', 'basic_text'), 'linux', { name: 'basic_text', grade: 'weak' }],
    [
      'a keyring by name that fell back to the known key',
      working('v10', 'kwallet6'),
      'linux',
      { name: 'kwallet6', grade: 'weak' },
    ],
    ['an unknown backend', working('v11', 'unknown'), 'linux', { name: 'unknown', grade: 'weak' }],
    ['the macOS keychain', working('v10'), 'darwin', { name: 'keychain', grade: 'secure' }],
    ['Windows', working('v10'), 'win32', { name: 'dpapi', grade: 'secure' }],
    [
      'Electron without the asynchronous calls',
      { getSelectedStorageBackend: () => 'kwallet' },
      'linux',
      { name: 'unavailable', grade: 'none' },
    ],
    [
      'a keyring that says no',
      { ...working('v11'), isAsyncEncryptionAvailable: async () => false },
      'linux',
      { name: 'gnome_libsecret', grade: 'none' },
    ],
    [
      'a locked keyring',
      { ...working('v11'), encryptStringAsync: fails },
      'linux',
      { name: 'gnome_libsecret', grade: 'none' },
    ],
    [
      'a lost key',
      { ...working('v11'), decryptStringAsync: fails },
      'linux',
      { name: 'gnome_libsecret', grade: 'none' },
    ],
    [
      'a keychain that gives back something else',
      { ...working('v10'), decryptStringAsync: async () => ({ result: 'x', shouldReEncrypt: false }) },
      'darwin',
      { name: 'keychain', grade: 'none' },
    ],
  ])('safety 5: grades %s', async (_name, storage, platform, expected) => {
    expect(await createKeyring(storage, platform).backend()).toEqual(expected)
  })

  test('decrypts what it encrypted', async () => {
    const cipher = createKeyring(working('v11'), 'linux')
    const bytes = await cipher.encrypt('mnb0.token')
    expect(Buffer.from(bytes).toString()).not.toContain('mnb0.token')
    expect(await cipher.decrypt(bytes)).toBe('mnb0.token')
  })

  test('safety 5: throws if it is not available instead of storing a token in plain text', async () => {
    const cipher = createKeyring({}, 'linux')
    await expect((async () => cipher.encrypt('mnb0.token'))()).rejects.toThrow('no asynchronous safeStorage')
    await expect(cipher.decrypt(new Uint8Array(3))).rejects.toThrow('no asynchronous safeStorage')
  })
})
