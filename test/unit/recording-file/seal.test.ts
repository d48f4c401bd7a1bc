import { generateKeyPairSync, sign as signBytes } from 'node:crypto'
import path from 'node:path'
import { describe, expect, it, test } from 'vitest'
import { openRecording } from '../../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { redactRecording } from '../../../electron/recording-file/redaction.ts'
import { createSigner, type SignSeal } from '../../../electron/recording-file/seal.ts'
import { verifyRecording } from '../../../electron/recording-file/verification.ts'
import { RecordingRedaction } from '../../../electron/services/recordings/redaction/recording-redaction.ts'
import { AppError } from '../../../shared/errors.ts'
import { DEFAULT_REDACTION, getPartOfEntry } from '../../../shared/recordings/recording.ts'
import {
  checkSignature,
  formatStatement,
  parseLeaf,
  parseSignature,
  parseStatement,
} from '../../../electron/core/recordings/seal.ts'
import {
  createRecordedExchange,
  createRecordingSource,
  forgeRecording,
  rewriteEntries,
} from '../../support/data/recordings.ts'
import { pickRunCount } from '../../support/data/run-count.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'

const { privateKey } = generateKeyPairSync('ed25519')
const sign = createSigner(privateKey)
const BODIES = ['{"title":"One","n":1}', '{"title":"Two"}', '{"title":"Three"}', Buffer.from([0, 255, 10, 13, 10])]
const step = (text: string) => ({ at: 1, text, exchange: 1, screenshot: null })

async function writeSample(file: string, mark: string, signSeal: SignSeal | null = sign): Promise<void> {
  const bodies = [...BODIES, JSON.stringify({ mark })]
  const exchanges = bodies.map((body, index) => createRecordedExchange(index + 1, body))
  const steps = ['First', 'Second', `Third ${mark}`].map(step)
  await writeRecording(file, createRecordingSource(bodies, { lines: { exchanges, steps } }), { sign: signSeal })
}

async function redactSample(source: string, target: string): Promise<void> {
  const recording = await openRecording(source)
  const redaction = new RecordingRedaction({ policy: DEFAULT_REDACTION, tokens: [] })
  await redactRecording(recording, target, redaction, { policy: DEFAULT_REDACTION, sign })
  await recording.close()
}

/** Returns the verdict and the entries in it; a file that is refused counts as changed. */
async function judge(file: string): Promise<{ verdict: string; entries: string[] }> {
  try {
    const recording = await openRecording(file)
    try {
      const { verdict, problems } = await verifyRecording(recording)
      return { verdict, entries: problems.map(({ entry }) => entry) }
    } finally {
      await recording.close()
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return { verdict: 'changed', entries: [String(error.wire.params?.['entry'])] }
  }
}

type Change = (entries: Map<string, Buffer>) => Map<string, Buffer>

type NamedChange = readonly [entry: string, label: string, change: Change]

/** Changes one entry, which stays where it is. */
const changeEntry =
  (name: string, change: (bytes: Buffer) => Buffer): Change =>
  (all) =>
    all.set(name, change(Buffer.from(all.get(name) ?? '')))

async function readEntries(file: string): Promise<Map<string, Buffer>> {
  let entries = new Map<string, Buffer>()
  await rewriteEntries(file, `${file}.copy`, (all) => (entries = all))
  return entries
}

async function createSample(kind: 'saved' | 'redacted', mark = 'a') {
  const dir = createTempDir()
  const [saved, file, forged] = ['a', 'b', 'c'].map((name) => path.join(dir, `${name}.birec`)) as [
    string,
    string,
    string,
  ]
  await writeSample(kind === 'saved' ? file : saved, mark)
  if (kind === 'redacted') await redactSample(saved, file)

  /** Makes each change, and lists those that are not found. */
  async function listUnnoticed(changes: Iterable<NamedChange>): Promise<string[]> {
    const unnoticed: string[] = []
    for (const [entry, label, change] of changes) {
      await rewriteEntries(file, forged, change)
      const { verdict, entries: problems } = await judge(forged)
      // What is changed in a seal shows at the entries that it speaks of; of bodies that are
      // missing the manifest has only the number.
      const isNamed = problems.some(
        (name) =>
          /^integrity|^manifest/.test(entry) || name.startsWith(getPartOfEntry(entry)) || name === 'manifest.json',
      )
      if (verdict !== 'changed' || !isNamed) unnoticed.push(`${entry}: ${label} is ${verdict}`)
    }
    return unnoticed
  }

  return { file, forged, entries: await readEntries(file), listUnnoticed }
}

describe.each(['saved', 'redacted'] as const)('safety 71: a %s recording', (kind) => {
  it('that nobody changed is as it was sealed', async () => {
    const { file, forged } = await createSample(kind)
    expect(await judge(file)).toEqual({ verdict: kind === 'saved' ? 'intact' : 'redacted', entries: [] })
    await rewriteEntries(file, forged, (all) => all)
    expect((await judge(forged)).verdict).not.toBe('changed')
  })

  it('is changed by each bit of each byte of each entry', { tags: ['long'] }, async () => {
    const { entries, listUnnoticed } = await createSample(kind)
    const interval = pickRunCount(211, 1)
    function* listChanges() {
      let count = 0
      for (const [name, bytes] of entries)
        for (let offset = 0; offset < bytes.length; offset += 1) {
          count += 1
          if (count % interval !== 0) continue
          const flip = (copy: Buffer): Buffer => {
            copy[offset] = (copy[offset] ?? 0) ^ (1 << (offset % 8))
            return copy
          }
          yield [name, `byte ${offset}`, changeEntry(name, flip)] as const
        }
    }
    expect(await listUnnoticed(listChanges())).toEqual([])
  })

  it('is changed by bytes and lines that are cut, doubled, moved or exchanged', async () => {
    const { entries, listUnnoticed } = await createSample(kind)
    function* listChanges() {
      for (const [name, bytes] of entries) {
        yield [name, 'longer', changeEntry(name, (copy) => Buffer.concat([copy, Buffer.from('\n')]))] as const
        yield [name, 'shorter', changeEntry(name, (copy) => copy.subarray(0, -1))] as const
        const lines = bytes.toString('latin1').split('\n').slice(0, -1)
        if (lines.length < 2) continue
        const join = (list: readonly string[]): Buffer => Buffer.from(`${list.join('\n')}\n`, 'latin1')
        const [first = '', second = '', ...rest] = lines
        const changes = {
          cut: [second, ...rest],
          doubled: [first, ...lines],
          exchanged: [second, first, ...rest],
          moved: [second, ...rest, first],
        }
        for (const [label, list] of Object.entries(changes)) {
          const changed = join(list)
          if (!changed.equals(bytes)) yield [name, `a line ${label}`, changeEntry(name, () => changed)] as const
        }
      }
    }
    expect(await listUnnoticed(listChanges())).toEqual([])
  })

  it('is changed by entries that are exchanged, renamed, taken out, added or moved', async () => {
    const { entries, listUnnoticed } = await createSample(kind)
    function* listChanges() {
      const names = [...entries.keys()]
      for (const [index, name] of names.entries()) {
        const next = names[(index + 1) % names.length] ?? ''
        const exchange: Change = (all) => {
          const [bytes = Buffer.of(), other = Buffer.of()] = [all.get(name), all.get(next)]
          return all.set(name, other).set(next, bytes)
        }
        yield [next.startsWith('integrity/') ? next : name, `exchanged with ${next}`, exchange] as const
        const rename = (target: string): Change => {
          return (all) => new Map(Array.from(all, ([other, bytes]) => [other === name ? target : other, bytes]))
        }
        yield [name, 'renamed', rename(`${name}x`)] as const
        yield [name, 'renamed to another number', rename(name.replace('0001', '0009'))] as const
        const remove: Change = (all) => new Map([...all].filter(([other]) => other !== name))
        if (name !== 'integrity/0002/signature.json' && name !== 'integrity/0001/signature.json')
          yield [name, 'taken out', remove] as const
        const move: Change = (all) => new Map([...remove(new Map(all)), [name, all.get(name) ?? Buffer.of()]])
        if (!name.startsWith('integrity/') && name !== 'manifest.json') yield [name, 'moved to the end', move] as const
      }
      for (const name of ['integrity/0001/note.md', 'integrity/note.md', 'integrity/0009/leaves', 'bodies/000009'])
        yield [name, 'added', (all: Map<string, Buffer>) => all.set(name, Buffer.from('trust me'))] as const
    }
    const changes = [...listChanges()].filter(
      ([name, label]) => label !== 'renamed to another number' || /0001/.test(name),
    )
    expect(await listUnnoticed(changes)).toEqual([])
  })

  it('is changed by base64 that is lengthened, shortened or swapped', async () => {
    const { entries, listUnnoticed } = await createSample(kind)
    const swap = (text: string): string => text.replace(/(.)(?!\1)(.)/, '$2$1')
    const changeText: readonly (readonly [string, (text: string) => string])[] = [
      ['lengthened', (text) => `${text}AAAA`],
      ['lengthened inside', (text) => text.replace('=', 'A=')],
      ['shortened', (text) => text.slice(4)],
      ['swapped', swap],
      [
        'with bits that mean nothing',
        (text) => text.replace(/.(?===)/, (char) => (char === 'A' ? 'B' : String.fromCharCode(char.charCodeAt(0) + 1))),
      ],
    ]
    const changes = [...entries.keys()]
      .filter((name) => name.endsWith('signature.json'))
      .flatMap((name) =>
        changeText.flatMap(([label, change]) =>
          (['signature', 'publicKey'] as const).map((member) => {
            const forge = (bytes: Buffer): Buffer => {
              const value = JSON.parse(bytes.toString()) as Record<string, string>
              const pem = /(?<=KEY-----\n).*(?=\n)/
              const text = value[member] ?? ''
              const changed = member === 'publicKey' ? text.replace(pem, change) : change(text)
              return Buffer.from(`${JSON.stringify({ ...value, [member]: changed }, null, 2)}\n`)
            }
            return [name, `${member} ${label}`, changeEntry(name, forge)] as const
          }),
        ),
      )
      .filter(
        ([name, , change]) =>
          !change(new Map(entries))
            .get(name)
            ?.equals(entries.get(name) ?? Buffer.of()),
      )
    expect(changes.length).toBeGreaterThan(4)
    expect(await listUnnoticed(changes)).toEqual([])
  })

  it('is changed by any part of a seal of another file', async () => {
    const { listUnnoticed } = await createSample(kind)
    const { entries: others } = await createSample(kind, 'b')
    const sealed = [...others].filter(([name]) => name.startsWith('integrity/'))
    const changes = sealed.map(
      ([name, bytes]) => [name, 'of another file', (all: Map<string, Buffer>) => all.set(name, bytes)] as const,
    )
    const all = [
      'integrity',
      'all seals of another file',
      (map: Map<string, Buffer>) => new Map([...map, ...sealed]),
    ] as const
    expect(await listUnnoticed([...changes, all])).toEqual([])
  })
})

describe('a signature', () => {
  it('that is taken away leaves nobody who vouches', async () => {
    const dir = createTempDir()
    const [file, forged] = [path.join(dir, 'a.birec'), path.join(dir, 'b.birec')]
    await writeSample(file, 'a')
    await rewriteEntries(file, forged, (all) => {
      all.delete('integrity/0001/signature.json')
      return all
    })
    expect(await judge(forged)).toEqual({ verdict: 'unsigned', entries: [] })
  })

  it('is checked by Web Crypto as by node:crypto, and of other bytes is not valid', async () => {
    const statement = new TextEncoder().encode('statement')
    const signature = sign(statement)
    expect(signature.signature).toBe(signBytes(null, statement, privateKey).toString('base64'))
    expect(await checkSignature(statement, signature)).toBe(sign.fingerprint)
    expect(await checkSignature(new TextEncoder().encode('statements'), signature)).toBeNull()
    const other = createSigner(generateKeyPairSync('ed25519').privateKey)(statement)
    expect(await checkSignature(statement, { ...signature, publicKey: other.publicKey })).toBeNull()
    expect(parseSignature(JSON.stringify(signature))).toBeNull()
  })
})

test('safety 73: a statement with impossible numbers is none', () => {
  const hash = 'a'.repeat(64)
  const head = { createdAt: 0, program: 'Bridge Inspector 1.0.0', earlier: [] }
  const format = (name: string, count: number): string => formatStatement({ ...head, entries: [{ name, count, hash }] })
  expect(parseStatement(format('exchanges/0001.ndjson', 5_000))?.entries).toHaveLength(1)
  for (const count of [5_001, 1e8, 2 ** 32, -1, Number.NaN, 1.5])
    expect(parseStatement(format('exchanges/0001.ndjson', count)), String(count)).toBeNull()
  expect(parseStatement(format('bodies/000001', 2))).toBeNull()
  expect(parseStatement(format('bodies/000001', 1).replace('salts 16', 'salts 8'))).toBeNull()
  for (const text of ['salt ab', `salt ${'a'.repeat(34)}`, `hash ${'a'.repeat(62)}`, `salt ${'A'.repeat(32)}`])
    expect(parseLeaf(text), text).toBeNull()
})

test('safety 73: leaves that are missing or too many are found', async () => {
  const dir = createTempDir()
  const [file, forged] = [path.join(dir, 'a.birec'), path.join(dir, 'b.birec')]
  await writeSample(file, 'a')
  for (const change of [(text: string) => text.slice(38), (text: string) => text + text.slice(0, 38)]) {
    await forgeRecording(file, forged, { 'integrity/0001/leaves': change })
    expect((await judge(forged)).entries).toContain('integrity/0001/leaves')
  }
})
