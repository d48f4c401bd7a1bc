import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { createSigningKeys } from '../../../../electron/services/recordings/signing-key.ts'
import { checkSignature } from '../../../../electron/core/recordings/seal.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { createFakeKeyring } from '../../../support/services/ciphers.ts'
import { createServiceEnvironment } from '../../../support/services/service-environment.ts'

const { log } = createServiceEnvironment()

test('the key of recordings is made on first use, and stored encrypted', async () => {
  const dataDir = createTempDir()
  const cipher = createFakeKeyring()
  const key = await createSigningKeys({ dataDir, cipher, log }).get()
  expect(key.fingerprint).toMatch(/^([0-9a-f]{4} ?){8}$/)
  const statement = new TextEncoder().encode('statement')
  expect(await checkSignature(statement, key.sign(statement))).toBe(key.fingerprint)
  expect((await createSigningKeys({ dataDir, cipher, log }).get()).fingerprint).toBe(key.fingerprint)
  const file = readFileSync(path.join(dataDir, 'recording-key.json'), 'utf8')
  // PKCS #8 of an Ed25519 key begins with these bytes.
  expect(Buffer.from(file, 'base64').includes(Buffer.from('302e020100300506032b6570', 'hex'))).toBe(false)
  expect(file).not.toContain('MC4CAQAwBQYDK2Vw')
})

test('without a keyring the key ends with the run', async () => {
  const dataDir = createTempDir()
  const first = await createSigningKeys({ dataDir, cipher: null, log }).get()
  const second = await createSigningKeys({ dataDir, cipher: null, log }).get()
  expect(existsSync(path.join(dataDir, 'recording-key.json'))).toBe(false)
  expect(first.fingerprint).not.toBe(second.fingerprint)
})

test('a locked or damaged key stays where it is, and another one is used for the run', async () => {
  const dataDir = createTempDir()
  const cipher = createFakeKeyring()
  const { fingerprint } = await createSigningKeys({ dataDir, cipher, log }).get()
  cipher.state = 'locked'
  const temporary = await createSigningKeys({ dataDir, cipher, log }).get()
  expect(temporary.fingerprint).not.toBe(fingerprint)
  cipher.state = 'fine'
  expect((await createSigningKeys({ dataDir, cipher, log }).get()).fingerprint).toBe(fingerprint)
  writeFileSync(path.join(dataDir, 'recording-key.json'), '{')
  expect((await createSigningKeys({ dataDir, cipher, log }).get()).fingerprint).toBe(fingerprint)
})
