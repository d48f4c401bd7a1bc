import { generateKeyPairSync } from 'node:crypto'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { openRecording, type RecordingFile } from '../../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { redactRecording, type RecordingTransform } from '../../../electron/recording-file/redaction.ts'
import { createSigner, hashLeaf, type SignSeal } from '../../../electron/recording-file/seal.ts'
import { verifyRecording } from '../../../electron/recording-file/verification.ts'
import type { RecordingVerification } from '../../../shared/recordings/verification.ts'
import { collect } from '../../support/data/collect.ts'
import {
  createManifestFacts,
  createRecordingSource,
  rewriteEntries,
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

async function redactFile(
  before: string,
  after: string,
  rewriteBody: RewriteBody,
  { title = 'xxx', sign: signAgain = signRedaction }: { title?: string; sign?: SignSeal | null } = {},
): Promise<void> {
  await withRecording(before, async (recording) => {
    const transform = createTransform(recording, rewriteBody, title)
    await redactRecording(recording, after, transform, { policy, sign: signAgain })
  })
}

/** Writes a recording of these bodies, and redacts it. */
async function redactBodies(
  bodies: readonly string[],
  rewriteBody: RewriteBody = hideSecrets,
  options: Parameters<typeof redactFile>[3] = {},
): Promise<{ file: string; before: string; verification: RecordingVerification }> {
  const dir = createTempDir()
  const before = path.join(dir, 'before.birec')
  const file = path.join(dir, 'after.birec')
  await writeRecording(before, createRecordingSource(bodies), { sign })
  await redactFile(before, file, rewriteBody, options)
  return { file, before, verification: await verifyFile(file) }
}

describe('a redaction', () => {
  const bodies = ['{"title":"secret one","list":["secret two"]}', '{"title":"public"}']

  it('leaves the signature valid, and says who vouches for what', async () => {
    const { verification } = await redactBodies(bodies)
    expect(verification).toMatchObject({
      verdict: 'redacted',
      total: { lines: 2, entries: 4 },
      problems: [],
      seals: [
        { number: 1, fingerprint: sign.fingerprint, vouched: { lines: 2, entries: 1 } },
        { number: 2, fingerprint: signRedaction.fingerprint, vouched: { lines: 0, entries: 3 } },
      ],
      removed: [],
    })
    expect(verification.replaced).toEqual(
      ['bodies/000001', 'report.md', 'manifest.json'].map((entry) => ({ entry, count: 1 })),
    )
  })

  it('can follow another redaction', async () => {
    const { file } = await redactBodies(bodies)
    const secondFile = `${file}.second.birec`
    await redactFile(file, secondFile, (text) => text.replace('public', 'yyy'))
    const { verdict, seals } = await verifyFile(secondFile)
    expect(verdict).toBe('redacted')
    expect(seals.map(({ vouched }) => vouched.entries)).toEqual([0, 1, 3])
  })

  it('keeps the lines whose bodies become equal, and takes out bodies that are dropped', async () => {
    const drop: RewriteBody = (text) => (text.includes('public') ? null : '{"title":""}')
    const { file, verification } = await redactBodies([...bodies, '{"title":"secret 3"}'], drop)
    expect(verification).toMatchObject({ verdict: 'redacted', removed: ['bodies/000002'] })
    expect(verification.seals[0]?.vouched.lines).toBe(2)
    const lines = await withRecording(file, (recording) => collect(recording.readExchanges()))
    expect(lines.map(({ responseBody }) => responseBody)).toEqual(['000001', null, '000003'])
  })

  it('leaves what it does not change as it was sealed', async () => {
    const { verification } = await redactBodies(bodies, String, { title: TITLE })
    // The manifest says what was redacted, and the report by whom the file was made.
    expect(verification.replaced.map(({ entry }) => entry)).toEqual(['report.md', 'manifest.json'])
  })

  it('does not heal a file that was changed before', async () => {
    const { before } = await redactBodies(bodies)
    const [forged, redacted] = [`${before}.forged.birec`, `${before}.redacted.birec`]
    const other = Buffer.from('{"title":"secret, and forged"}')
    await rewriteEntries(before, forged, (entries) => entries.set('bodies/000001', other))
    await redactFile(forged, redacted, hideSecrets)
    expect(await verifyFile(redacted)).toMatchObject({
      verdict: 'changed',
      problems: [{ entry: 'bodies/000001' }],
    })
  })

  it('leaves nothing by which a removed text could be guessed', async () => {
    const body = '{"answer":"secret yes"}'
    const { file } = await redactBodies([body])
    const texts = await withRecording(file, async ({ zip }) => {
      const contents: string[] = []
      for (const name of zip.entries.keys())
        contents.push(name + Buffer.concat(await collect(zip.read(name))).toString('latin1'))
      return contents
    })
    const leaves = texts.join('\n').match(/^(?:salt|hash) .*$/gm) ?? []
    const hashes = leaves.flatMap((leaf) => (leaf.startsWith('hash ') ? [leaf.slice(5)] : []))
    const salts = leaves.flatMap((leaf) => (leaf.startsWith('salt ') ? [leaf.slice(5)] : []))
    expect(hashes.length).toBeGreaterThan(0)
    const guesses = salts.map((salt) =>
      hashLeaf('bodies/000001', 0, Buffer.from(salt, 'hex'), Buffer.from(body)).toString('hex'),
    )
    expect(hashes.filter((hash) => guesses.includes(hash))).toEqual([])
    expect(texts.filter((text) => text.includes(getBodyName(body)))).toEqual([])
  })
})

describe('safety 72: content that nobody signed', () => {
  const bodies = ['{"title":"secret"}', '{"title":"public"}']

  it('is said to be so', async () => {
    const { verification } = await redactBodies(bodies, hideSecrets, { sign: null })
    expect(verification).toMatchObject({
      verdict: 'unsigned',
      problems: [],
      seals: [
        { fingerprint: sign.fingerprint, vouched: { lines: 2 } },
        { fingerprint: null, vouched: { lines: 0, entries: 3 } },
      ],
    })
  })

  it('is not intact where all that was signed is marked as replaced', async () => {
    const { verification } = await redactBodies(bodies, () => '{"title":"forged"}', { sign: null })
    expect(verification).toMatchObject({
      verdict: 'unsigned',
      seals: [{ vouched: { entries: 0 } }, { fingerprint: null, vouched: { entries: 4 } }],
    })
  })

  it('is that of whoever redacted, if only the redaction is signed', async () => {
    const dir = createTempDir()
    const [before, file] = [path.join(dir, 'before.birec'), path.join(dir, 'after.birec')]
    await writeRecording(before, createRecordingSource(bodies))
    await redactFile(before, file, hideSecrets)
    const { verdict, seals, replaced } = await verifyFile(file)
    expect([verdict, seals.map(({ vouched }) => vouched.lines)]).toEqual(['redacted', [0, 2]])
    expect(replaced.map(({ entry }) => entry)).toEqual(['bodies/000001', 'report.md', 'manifest.json'])
  })

  it('is a change if the manifest says that nothing was removed', async () => {
    const dir = createTempDir()
    const [before, file] = [path.join(dir, 'before.birec'), path.join(dir, 'after.birec')]
    await writeRecording(before, createRecordingSource(bodies), { sign })
    await withRecording(before, (recording) =>
      redactRecording(recording, file, createTransform(recording, hideSecrets, TITLE), {
        policy: { texts: 'keep', ids: 'keep', pictures: 'keep' },
        sign,
      }),
    )
    expect(await verifyFile(file)).toMatchObject({
      verdict: 'changed',
      hasOnlyTokensClaim: true,
      madeOf: null,
      problems: [{ entry: 'manifest.json', reason: expect.stringContaining('nothing was removed') as string }],
    })
  })
})
