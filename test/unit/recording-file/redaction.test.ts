import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { deriveSalts, getByteContents, hashLeaf } from '../../../electron/recording-file/document-digest.ts'
import { openRecording, type RecordingFile } from '../../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { redactRecording, type RecordingTransform } from '../../../electron/recording-file/redaction.ts'
import { createSigner } from '../../../electron/recording-file/seal.ts'
import { readLeafRecords } from '../../../electron/recording-file/seal-reader.ts'
import { verifyRecording } from '../../../electron/recording-file/verification.ts'
import type { RecordingVerification } from '../../../shared/recordings/verification.ts'
import { collect } from '../../support/data/collect.ts'
import {
  createManifestFacts,
  createRecordingSource,
  forgeRecording,
  getBodyName,
} from '../../support/data/recordings.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'

const sign = createSigner(generateKeyPairSync('ed25519').privateKey)
const signRedaction = createSigner(generateKeyPairSync('ed25519').privateKey)
const policy = { texts: 'placeholder', ids: 'keep', pictures: 'keep' } as const
const TITLE = createManifestFacts().title

type RewriteBody = (text: string) => string | null
const hideSecrets: RewriteBody = (text) => text.replaceAll(/secret[^"]*/g, 'xxx')

/** Rewrites the response bodies, and the title. */
function createTransform(recording: RecordingFile, rewriteBody: RewriteBody, title: string): RecordingTransform {
  const bodies = new Map<string, Buffer>()
  return {
    learn: () => Promise.resolve(),
    async redactExchange(exchange) {
      const { responseBody } = exchange
      if (responseBody === null) return exchange
      const text = rewriteBody(Buffer.from(await recording.readBody(responseBody)).toString())
      if (text === null) return { ...exchange, responseBody: null }
      bodies.set(getBodyName(text), Buffer.from(text))
      return { ...exchange, responseBody: getBodyName(text) }
    },
    redactLine: (_, line) => line,
    loadBody: async (name) => bodies.get(name) ?? null,
    redactScreenshot: (bytes) => bytes,
    redactManifest: (manifest) => ({ ...manifest, title }),
    listLeftOut: () => [],
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

const verifyFile = (file: string): Promise<RecordingVerification> =>
  withRecording(file, (recording) => verifyRecording(recording))

async function redactFile(before: string, after: string, rewriteBody: RewriteBody, title = 'xxx'): Promise<void> {
  await withRecording(before, async (recording) => {
    const transform = createTransform(recording, rewriteBody, title)
    await redactRecording(recording, after, transform, { policy, sign: signRedaction })
  })
}

/** Writes a recording of these bodies, and redacts it. */
async function redactBodies(
  bodies: readonly string[],
  rewriteBody: RewriteBody = hideSecrets,
  title?: string,
): Promise<{ file: string; before: string; verification: RecordingVerification }> {
  const dir = createTempDir()
  const before = path.join(dir, 'before.birec')
  const file = path.join(dir, 'after.birec')
  await writeRecording(before, createRecordingSource(bodies), { sign })
  await redactFile(before, file, rewriteBody, title)
  return { file, before, verification: await verifyFile(file) }
}

describe('a seal', () => {
  it('of a signed recording is valid, and names the key', async () => {
    const file = path.join(createTempDir(), 'a.birec')
    await writeRecording(file, createRecordingSource(['{"a":1}']), { sign })
    const { isIntact, seals } = await verifyFile(file)
    expect(isIntact).toBe(true)
    expect(seals).toMatchObject([{ isSignatureValid: true, fingerprint: sign(Buffer.alloc(0)).fingerprint }])
  })

  it('does not cover what somebody put beside it', async () => {
    const { file } = await redactBodies(['{"title":"secret"}'])
    const forged = path.join(createTempDir(), 'b.birec')
    for (const entry of ['integrity/0001/note.md', 'integrity/note.md', 'integrity/0002/leaves-0003.ndjson']) {
      await forgeRecording(file, forged, { [entry]: () => 'trust me' })
      const { isIntact, seals } = await verifyFile(forged)
      expect([
        isIntact,
        seals
          .at(-1)
          ?.entries.filter(({ state }) => state === 'added')
          .map((added) => added.entry),
      ]).toEqual([false, [entry]])
    }
    expect((await verifyFile(file)).isIntact).toBe(true)
  })

  it('is not valid with a signature of other hashes', async () => {
    const file = path.join(createTempDir(), 'a.birec')
    const signOther = Object.assign(() => sign(Buffer.from('other')), { fingerprint: sign.fingerprint })
    await writeRecording(file, createRecordingSource(['{"a":1}']), { sign: signOther })
    expect(await verifyFile(file)).toMatchObject({ isIntact: false, seals: [{ isSignatureValid: false }] })
  })
})

describe('a redaction', () => {
  const bodies = ['{"title":"secret one","n":1,"list":[true,"secret two"]}', '{"title":"public"}']

  it('leaves the signature valid, and lists exactly what was removed', async () => {
    const { verification } = await redactBodies(bodies)
    expect(verification).toMatchObject({ isIntact: true, problems: [] })
    const [first, second] = verification.seals
    expect(first).toMatchObject({ isSignatureValid: true, removedValues: 3 })
    expect(first?.removed.map(({ pointer }) => pointer).sort()).toEqual(['/list/1', '/title', '/title'])
    expect(first?.entries.find(({ entry }) => entry.startsWith('exchanges/'))).toMatchObject({ state: 'intact' })
    expect(second?.entries.every(({ state }) => state === 'intact')).toBe(true)
    expect(second?.fingerprint).not.toBe(first?.fingerprint)
  })

  it('can follow another redaction', async () => {
    const { file } = await redactBodies(bodies)
    const secondFile = `${file}.second.birec`
    await redactFile(file, secondFile, (text) => text.replace('public', 'yyy'))
    const { isIntact, seals } = await verifyFile(secondFile)
    expect(isIntact).toBe(true)
    expect(seals.map(({ removedValues }) => removedValues)).toEqual([4, 1, 0])
  })

  it('keeps what can be checked when bodies become equal, or are dropped', async () => {
    const drop: RewriteBody = (text) => (text.includes('public') ? null : '{"title":"","n":1,"list":[true,""]}')
    const { file, verification } = await redactBodies([...bodies, '{"title":"secret 3","n":1,"list":[true,"x"]}'], drop)
    expect(verification.isIntact).toBe(true)
    const states = Object.fromEntries(verification.seals[0]?.entries.map(({ entry, state }) => [entry, state]) ?? [])
    expect(states).toMatchObject({ bodies: 'removed', 'exchanges/0001.ndjson': 'redacted' })
    const lines = await withRecording(file, (recording) => collect(recording.readExchanges()))
    expect(new Set(lines.map(({ responseBody }) => responseBody)).size).toBe(2)
    const secondFile = `${file}.second.birec`
    await redactFile(file, secondFile, hideSecrets)
    expect(await verifyFile(secondFile)).toMatchObject({ isIntact: true })
  })

  it('replaces a document whose structure changes, and then vouches for nothing in it', async () => {
    const { verification } = await redactBodies(bodies.slice(0, 1), () => '{"other":[]}')
    expect(verification.isIntact).toBe(true)
    const body = verification.seals[0]?.entries.find(({ entry }) => entry.startsWith('bodies/'))
    expect(body).toMatchObject({ state: 'redacted', replaced: 1, removedValues: 0 })
  })

  it('leaves what it does not change as it was sealed', async () => {
    const { verification } = await redactBodies(bodies, String, TITLE)
    // A report says by whom the file was made.
    const entries = verification.seals[0]?.entries.filter(({ entry }) => entry !== 'report.md')
    expect(entries?.every(({ state }) => state === 'intact')).toBe(true)
  })

  it('leaves nothing by which a removed text could be guessed', async () => {
    const body = '{"answer":"secret yes"}'
    const { file, before } = await redactBodies([body])
    const records = await withRecording(file, async ({ zip }) => [
      ...(await collect(readLeafRecords(zip, 1))),
      ...(await collect(readLeafRecords(zip, 2))),
    ])
    const hashes = records.flatMap(({ removed }) => (removed ?? []).map(([, hash]) => hash))
    const salts = records.flatMap((record) => {
      const bytes = record.seed === undefined ? record.salts : deriveSalts(Buffer.from(record.seed, 'hex'), 100)
      const all = typeof bytes === 'string' ? Buffer.from(bytes, 'base64') : (bytes ?? Buffer.alloc(0))
      return Array.from({ length: all.length / 16 }, (_, index) => all.subarray(index * 16, index * 16 + 16))
    })
    expect(hashes.length).toBeGreaterThan(0)
    const secret = getByteContents(Buffer.from('"secret yes"'))
    const guesses = new Set(salts.map((salt) => hashLeaf(salt, 0, secret, 0).toString('hex')))
    expect(hashes.filter((hash) => guesses.has(hash))).toEqual([])
    // The name of the old body is the hash of its text, and is in no entry either.
    expect(readFileSync(before).includes(getBodyName(body))).toBe(true)
    await withRecording(file, async ({ zip }) => {
      for (const entry of zip.entries.keys())
        expect(entry + Buffer.concat(await collect(zip.read(entry))).toString('latin1')).not.toContain(
          getBodyName(body),
        )
    })
  })

  test('of any values lists exactly these', async () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()))
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), value, { minKeys: 1, maxKeys: 8 }),
        fc.nat(),
        async (object, bits) => {
          const names = Object.keys(object).filter(
            (name, index) => typeof object[name] === 'string' && ((bits >> index) & 1) === 1,
          )
          const redacted = { ...object, ...Object.fromEntries(names.map((name) => [name, null])) }
          const { verification } = await redactBodies([JSON.stringify(object)], () => JSON.stringify(redacted), TITLE)
          expect(verification.isIntact).toBe(true)
          const pointers = names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
          expect(verification.seals[0]?.removed.map(({ pointer }) => pointer).sort()).toEqual(pointers.sort())
        },
      ),
      { numRuns: 6 },
    )
  })
})
