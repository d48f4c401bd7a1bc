import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { deriveSalts, hashLeaf } from '../../../electron/recording-file/document-digest.ts'
import { openRecording, type RecordingFile } from '../../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { redactRecording, type RecordingTransform } from '../../../electron/recording-file/redaction.ts'
import { createSigner } from '../../../electron/recording-file/seal.ts'
import { readLeafRecords } from '../../../electron/recording-file/seal-reader.ts'
import { verifyRecording } from '../../../electron/recording-file/verification.ts'
import type { RecordingVerification } from '../../../shared/recordings/verification.ts'
import { collect } from '../../support/data/collect.ts'
import { createRecordingSource, getBodyName } from '../../support/data/recordings.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'

const sign = createSigner(generateKeyPairSync('ed25519').privateKey)
const signRedaction = createSigner(generateKeyPairSync('ed25519').privateKey)

/** Replaces texts wherever they stand in a JSON body. */
function createTransform(changed: Partial<RecordingTransform> = {}): RecordingTransform {
  return {
    policy: { texts: 'placeholder', ids: 'keep', pictures: 'keep' },
    learnExchange: () => undefined,
    transformBody: (bytes) => ({
      bytes: Buffer.from(
        Buffer.from(bytes)
          .toString()
          .replaceAll(/secret[^"]*/g, 'xxx'),
      ),
      mediaType: null,
    }),
    transformExchange: (exchange) => exchange,
    transformLine: (_, line) => line,
    transformManifest: (manifest) => ({ ...manifest, title: 'xxx' }),
    transformScreenshot: (bytes) => bytes,
    transformReport: (text) => text,
    listLeftOut: () => [],
    ...changed,
  }
}

async function withRecording<T>(file: string, work: (recording: RecordingFile) => Promise<T>): Promise<T> {
  const recording = await openRecording(file)
  try {
    return await work(recording)
  } finally {
    await recording.close()
  }
}

/** Writes a recording of these bodies, and redacts it. */
async function redactBodies(
  bodies: readonly string[],
  transform: RecordingTransform,
): Promise<{ file: string; before: string; verification: RecordingVerification }> {
  const dir = createTempDir()
  const before = path.join(dir, 'before.birec')
  const file = path.join(dir, 'after.birec')
  await writeRecording(before, createRecordingSource(bodies, { report: '# Report' }), { sign })
  await withRecording(before, (recording) => redactRecording(recording, file, transform, { sign: signRedaction }))
  return { file, before, verification: await withRecording(file, (recording) => verifyRecording(recording)) }
}

test('a signed recording is intact, and names the key', async () => {
  const file = path.join(createTempDir(), 'a.birec')
  await writeRecording(file, createRecordingSource(['{"a":1}']), { sign })
  const { isIntact, seals } = await withRecording(file, (recording) => verifyRecording(recording))
  expect(isIntact).toBe(true)
  expect(seals).toMatchObject([{ number: 1, isSignatureValid: true, fingerprint: sign(Buffer.alloc(0)).fingerprint }])
})

describe('a redaction', () => {
  const bodies = ['{"title":"secret one","n":1,"list":[true,"secret two"]}', '{"title":"public"}']

  it('leaves the signature valid, and lists exactly what was removed', async () => {
    const { verification } = await redactBodies(bodies, createTransform())
    expect(verification).toMatchObject({ isIntact: true, problems: [] })
    const [first, second] = verification.seals
    expect(first).toMatchObject({ isSignatureValid: true, removedValues: 3 })
    expect(first?.removed.map(({ pointer }) => pointer).sort()).toEqual(['/list/1', '/title', '/title'])
    expect(first?.entries.find(({ entry }) => entry.startsWith('exchanges/'))).toMatchObject({ state: 'intact' })
    expect(second?.entries.every(({ state }) => state === 'intact')).toBe(true)
    expect(second?.fingerprint).not.toBe(first?.fingerprint)
  })

  it('can follow another redaction', async () => {
    const { file } = await redactBodies(bodies, createTransform())
    const secondFile = `${file}.again.birec`
    const transform = createTransform({
      transformBody: (bytes) => ({
        bytes: Buffer.from(Buffer.from(bytes).toString().replace('public', 'yyy')),
        mediaType: null,
      }),
    })
    await withRecording(file, (recording) => redactRecording(recording, secondFile, transform, { sign }))
    const { isIntact, seals } = await withRecording(secondFile, (recording) => verifyRecording(recording))
    expect(isIntact).toBe(true)
    expect(seals.map(({ removedValues }) => removedValues)).toEqual([4, 1, 0])
  })

  it('keeps what can be checked when bodies become equal, or are dropped', async () => {
    const drop = createTransform({
      transformBody: (bytes) =>
        bytes.includes('public')
          ? null
          : { bytes: Buffer.from('{"title":"","n":1,"list":[true,""]}'), mediaType: null },
    })
    const { file, verification } = await redactBodies([...bodies, '{"title":"secret 3","n":1,"list":[true,"x"]}'], drop)
    expect(verification.isIntact).toBe(true)
    const states = Object.fromEntries(verification.seals[0]?.entries.map(({ entry, state }) => [entry, state]) ?? [])
    expect(states).toMatchObject({ bodies: 'removed', 'exchanges/0001.ndjson': 'redacted', 'report.md': 'intact' })
    const lines = await withRecording(file, (recording) => collect(recording.readExchanges()))
    expect(new Set(lines.map(({ responseBody }) => responseBody)).size).toBe(2)
    const secondFile = `${file}.again.birec`
    await withRecording(file, (recording) => redactRecording(recording, secondFile, createTransform(), { sign }))
    expect(await withRecording(secondFile, (recording) => verifyRecording(recording))).toMatchObject({ isIntact: true })
  })

  it('replaces a document whose structure changes, which vouches for nothing in it', async () => {
    const restructure = createTransform({
      transformBody: () => ({ bytes: Buffer.from('{"other":[]}'), mediaType: null }),
    })
    const { verification } = await redactBodies(bodies.slice(0, 1), restructure)
    expect(verification.isIntact).toBe(true)
    expect(verification.seals[0]?.entries.find(({ entry }) => entry.startsWith('bodies/'))).toMatchObject({
      state: 'redacted',
      replaced: 1,
      removedValues: 0,
    })
  })

  it('leaves what it does not change as it was sealed', async () => {
    const keep = createTransform({
      transformBody: (bytes) => ({ bytes, mediaType: null }),
      transformManifest: (manifest) => manifest,
    })
    const { verification } = await redactBodies(bodies, keep)
    expect(verification.seals[0]?.entries.every(({ state }) => state === 'intact')).toBe(true)
  })

  it('leaves nothing by which a removed text could be guessed', async () => {
    const { file, before } = await redactBodies(['{"answer":"secret yes"}'], createTransform())
    const guess = Buffer.from('"secret yes"')
    const salts = await withRecording(file, async (recording) => {
      const records = [
        ...(await collect(readLeafRecords(recording.zip, 1))),
        ...(await collect(readLeafRecords(recording.zip, 2))),
      ]
      return records.flatMap(({ salts: base64, seed }) => [
        ...(base64 === undefined ? [] : (Buffer.from(base64, 'base64').toString('hex').match(/.{32}/g) ?? [])),
        ...(seed === undefined
          ? []
          : (deriveSalts(Buffer.from(seed, 'hex'), 100).toString('hex').match(/.{32}/g) ?? [])),
      ])
    })
    const hashes = await withRecording(file, async (recording) =>
      (await collect(readLeafRecords(recording.zip, 1))).flatMap(({ removed }) => removed ?? []),
    )
    expect(hashes.length).toBeGreaterThan(0)
    const guesses = salts.map((salt) => hashLeaf(Buffer.from(salt, 'hex'), guess).toString('hex'))
    expect(hashes.filter(([, hash]) => guesses.includes(hash))).toEqual([])
    // The name of the old body is the hash of its text, and is in no entry either.
    const name = getBodyName('{"answer":"secret yes"}')
    expect(readFileSync(before).includes(name)).toBe(true)
    await withRecording(file, async ({ zip }) => {
      for (const entry of zip.entries.keys())
        expect(`${entry} ${Buffer.concat(await collect(zip.read(entry))).toString('latin1')}`).not.toContain(name)
    })
  })

  it('of any values lists exactly these', async () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.string(), { maxLength: 3 }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), value, { minKeys: 1, maxKeys: 8 }),
        fc.nat(),
        async (object, seed) => {
          const names = Object.keys(object).filter(
            (name, index) => typeof object[name] === 'string' && ((seed >> index) & 1) === 1,
          )
          const redacted = { ...object, ...Object.fromEntries(names.map((name) => [name, null])) }
          const transform = createTransform({
            transformBody: () => ({ bytes: Buffer.from(JSON.stringify(redacted)), mediaType: null }),
            transformManifest: (manifest) => manifest,
          })
          const { verification } = await redactBodies([JSON.stringify(object)], transform)
          expect(verification.isIntact).toBe(true)
          const pointers = names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
          expect(verification.seals[0]?.removed.map(({ pointer }) => pointer).sort()).toEqual(pointers.sort())
        },
      ),
      { numRuns: 8 },
    )
  })
})

describe('a seal', () => {
  it('is not valid for other hashes', async () => {
    const file = path.join(createTempDir(), 'a.birec')
    const wrong = { ...sign(Buffer.from('other')) }
    await writeRecording(file, createRecordingSource(['{"a":1}']), { sign: () => wrong })
    const { isIntact, seals } = await withRecording(file, (recording) => verifyRecording(recording))
    expect({ isIntact, isSignatureValid: seals[0]?.isSignatureValid }).toEqual({
      isIntact: false,
      isSignatureValid: false,
    })
  })
})
