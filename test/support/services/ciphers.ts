import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { Cipher } from '../../../electron/services/vault/cipher.ts'

/** States of an operating system's keyring. */
export type KeyringState = 'fine' | 'locked' | 'other key' | 'none' | 'backend throws' | 'throws' | 'hangs' | 'garbage'

export interface FakeKeyring extends Cipher {
  state: KeyringState
  /** Releases everything that hangs. */
  releaseHangingCalls(): void
}

/** A keyring with real encryption, whose state can change between two calls. */
export function createFakeKeyring(grade: 'secure' | 'weak' = 'secure'): FakeKeyring {
  const key = randomBytes(32)
  let wake: () => void = () => undefined
  const sleep = new Promise<void>((resolve) => (wake = resolve))
  const applyState = async (keyring: FakeKeyring): Promise<void> => {
    if (keyring.state === 'hangs') await sleep
    if (keyring.state === 'throws' || keyring.state === 'locked') throw new Error('the keyring is locked')
  }
  return {
    state: 'fine',
    releaseHangingCalls: () => wake(),
    async backend() {
      if (this.state === 'backend throws') throw new Error('no bus')
      if (this.state === 'none') return { name: 'none', grade: 'none' }
      return { name: grade === 'secure' ? 'gnome_libsecret' : 'basic_text', grade }
    },
    async encrypt(text) {
      await applyState(this)
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), body])
    },
    async decrypt(bytes) {
      await applyState(this)
      if (this.state === 'garbage') return 'not what was encrypted'
      const used = this.state === 'other key' ? randomBytes(32) : key
      const decipher = createDecipheriv('aes-256-gcm', used, bytes.subarray(0, 12))
      decipher.setAuthTag(bytes.subarray(12, 28))
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
    },
  }
}
