import type { SafeStorage } from 'electron'
import type { Cipher } from '../services/vault/cipher.ts'

/** Missing in Electron before 45; the synchronous methods are removed in 46. */
type AsyncStorage = Pick<SafeStorage, 'isAsyncEncryptionAvailable' | 'encryptStringAsync' | 'decryptStringAsync'>

export type KeyringStorage = Partial<AsyncStorage> & Partial<Pick<SafeStorage, 'getSelectedStorageBackend'>>

const PROBE = 'bridge-inspector probe'

/**
 * Creates a cipher with the operating system's keyring. Its grade is found by encrypting a probe,
 * because "available" proves nothing on Linux: Chromium falls back to a key that every program
 * knows, and marks what it encrypts with that key `v10`.
 */
export function createKeyring(storage: KeyringStorage, platform: NodeJS.Platform): Cipher {
  const asyncStorage = findAsyncStorage(storage)
  return {
    async backend() {
      if (!asyncStorage) return { name: 'unavailable', grade: 'none' }
      const name = getBackendName(storage, platform)
      try {
        if (!(await asyncStorage.isAsyncEncryptionAvailable())) return { name, grade: 'none' }
        const bytes = await asyncStorage.encryptStringAsync(PROBE)
        if ((await asyncStorage.decryptStringAsync(bytes)).result !== PROBE) return { name, grade: 'none' }
        return { name, grade: platform === 'linux' && usesKnownKey(name, bytes) ? 'weak' : 'secure' }
      } catch {
        return { name, grade: 'none' }
      }
    },
    encrypt: (text) => requireAsyncStorage(asyncStorage).encryptStringAsync(text),
    async decrypt(bytes) {
      return (await requireAsyncStorage(asyncStorage).decryptStringAsync(Buffer.from(bytes))).result
    },
  }
}

function findAsyncStorage(storage: KeyringStorage): AsyncStorage | null {
  const { isAsyncEncryptionAvailable, encryptStringAsync, decryptStringAsync } = storage
  return isAsyncEncryptionAvailable && encryptStringAsync && decryptStringAsync ? (storage as AsyncStorage) : null
}

function requireAsyncStorage(asyncStorage: AsyncStorage | null): AsyncStorage {
  if (!asyncStorage) throw new Error('This Electron has no asynchronous safeStorage.')
  return asyncStorage
}

const usesKnownKey = (name: string, bytes: Uint8Array): boolean =>
  name === 'basic_text' || name === 'unknown' || Buffer.from(bytes.subarray(0, 3)).toString('latin1') === 'v10'

function getBackendName(storage: KeyringStorage, platform: NodeJS.Platform): string {
  if (platform === 'darwin') return 'keychain'
  if (platform === 'win32') return 'dpapi'
  return storage.getSelectedStorageBackend?.() ?? 'unknown'
}
