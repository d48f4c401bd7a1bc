import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { ZipFile } from 'yazl'
import { describe, expect, it, test } from 'vitest'
import { looksLikeArchive, openArchive } from '../../../electron/recording-file/archive-reader.ts'
import { openRecording } from '../../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { verifyRecording } from '../../../electron/recording-file/verification.ts'
import { openZip } from '../../../electron/recording-file/zip-file.ts'
import { getEnd } from '../../../electron/recording-file/zip-records.ts'
import { AppError } from '../../../shared/errors.ts'
import { lineParts, type RecordingManifest } from '../../../shared/recordings/recording.ts'
import { collect } from '../../support/data/collect.ts'
import { pickRunCount } from '../../support/data/run-count.ts'
import { startServedRecording } from '../../../electron/demo-host/recorded/recorded-host.ts'
import { runCommandLine } from '../../support/program/command-line.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { createManifestFacts, createRecordedExchange, createRecordingSource } from '../../support/data/recordings.ts'

const BODIES = ['{"title":"One","n":1,"list":["a","b",null,true]}', '{"title":"Two"}', randomBytes(50)]

/** Reads everything in a recording as the program does. @returns what stops it, or null */
async function readEverything(file: string): Promise<AppError | null> {
  try {
    const recording = await openRecording(file)
    try {
      for (const part of lineParts) await collect(recording.readLines(part))
      for await (const { requestBody, responseBody } of recording.readExchanges())
        for (const name of [requestBody, responseBody]) if (name !== null) await recording.readBody(name)
      for (const name of recording.screenshots) await recording.readScreenshot(name)
      await recording.readReport()
    } finally {
      await recording.close()
    }
    return null
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

/** @returns names of what is not as it was written; empty if nothing was noticed */
async function verifyFile(file: string): Promise<string[]> {
  try {
    const recording = await openRecording(file)
    try {
      const { verdict, problems } = await verifyRecording(recording)
      expect(verdict === 'changed').toBe(problems.length > 0)
      return problems.map(({ entry }) => entry)
    } finally {
      await recording.close()
    }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return [String(error.wire.params?.['entry'] ?? 'the file')]
  }
}

/** The entry that each byte of a file belongs to; empty for the directory, which is at its end. */
async function listOwners(file: string): Promise<string[]> {
  const { entries, directoryStart, platform, close } = await openZip(file)
  const owners = new Array<string>(platform.fileBytes).fill('')
  const sorted = [...entries.values()].sort((first, second) => first.headerOffset - second.headerOffset)
  for (const [index, { name, headerOffset }] of sorted.entries())
    owners.fill(name, headerOffset, sorted[index + 1]?.headerOffset ?? directoryStart)
  await close()
  return owners
}

const DESCRIPTOR_SIGNATURE = 0x08074b50

async function writeSample(): Promise<string> {
  const file = path.join(createTempDir(), 'a.birec')
  await writeRecording(
    file,
    createRecordingSource(BODIES, { screenshots: new Map([['0001.png', () => Promise.resolve(randomBytes(30))]]) }),
  )
  return file
}

test('a recording that nobody touched is intact', async () => {
  const file = await writeSample()
  expect(await verifyFile(file)).toEqual([])
  expect(await readEverything(file)).toBeNull()
})

describe('safety 70: one changed byte', () => {
  it('is named by its entry, wherever it is in the file', { tags: ['long'] }, async () => {
    const file = await writeSample()
    const bytes = readFileSync(file)
    const owners = await listOwners(file)
    const unnamed: [offset: number, owner: string, names: string[]][] = []
    const step = pickRunCount(101, 1)
    for (const [offset, owner] of owners.entries()) {
      // The last byte of an entry has bits that no reader looks at.
      const isLast = offset + 5 <= bytes.length && bytes.readUInt32LE(offset + 1) === DESCRIPTOR_SIGNATURE
      if (offset % step !== 0 && !isLast) continue
      const changed = Buffer.from(bytes)
      changed[offset] = (changed[offset] ?? 0) ^ (isLast ? 0x80 : 1 << (offset % 8))
      writeFileSync(file, changed)
      const names = await verifyFile(file)
      // A record of the directory has the name that it was changed to, or none that can be read.
      if (owner === '' ? names.length === 0 : !names.includes(owner)) unnamed.push([offset, owner, names])
    }
    expect(unnamed).toEqual([])
  })
})

describe('safety 70: what is no whole recording of this version', () => {
  it('is refused if its end is missing, at any length', { tags: ['long'] }, async () => {
    const file = await writeSample()
    const bytes = readFileSync(file)
    const step = pickRunCount(211, 1)
    const lengths = Array.from({ length: bytes.length }, (_, length) => length).filter(
      (length) => length % step === 0 || length < 5 || bytes.length - length < 30,
    )
    for (const length of lengths) {
      writeFileSync(file, bytes.subarray(0, length))
      const code = (await readEverything(file))?.code
      expect(code, `${length} bytes`).toBe(length < 4 ? 'RECORDING_NOT_A_RECORDING' : 'RECORDING_TRUNCATED')
    }
  })

  it.each([
    ['no zip', 'hello', 'RECORDING_NOT_A_RECORDING'],
    ['a zip of something else', { 'readme.txt': 'hello' }, 'RECORDING_NOT_A_RECORDING'],
    ['another format', { 'manifest.json': '{"format":"other"}' }, 'RECORDING_NOT_A_RECORDING'],
    ['a manifest that is no JSON', { 'manifest.json': '{' }, 'RECORDING_ENTRY_INVALID'],
    ['a newer version', { 'manifest.json': JSON.stringify(createManifest({ version: 3 })) }, 'RECORDING_NEWER'],
    ['the first version', { 'manifest.json': JSON.stringify(createManifest({ version: 1 })) }, 'RECORDING_OLDER'],
    [
      'an unknown part that is required',
      { 'manifest.json': JSON.stringify(createManifest({ requiredParts: ['exchanges', 'waves'] })) },
      'RECORDING_PART_UNKNOWN',
    ],
    [
      'a segment that is missing',
      { 'manifest.json': JSON.stringify(createManifest({ parts: { exchanges: { entries: 1, lines: 1 } } })) },
      'RECORDING_ENTRY_MISSING',
    ],
    [
      'an entry that is not listed',
      { 'manifest.json': JSON.stringify(createManifest({})), 'waves/0001.bin': 'x' },
      'RECORDING_ENTRY_NAME',
    ],
    [
      'an entry named like what each object has',
      { 'manifest.json': JSON.stringify(createManifest({})), 'constructor/0001.bin': 'x' },
      'RECORDING_ENTRY_NAME',
    ],
    [
      'a line that does not fit',
      {
        'manifest.json': JSON.stringify(createManifest({ parts: { exchanges: { entries: 1, lines: 1 } } })),
        'exchanges/0001.ndjson': '{"row":null}\n',
      },
      'RECORDING_ENTRY_INVALID',
    ],
    [
      'a time that no date has',
      {
        'manifest.json': JSON.stringify(createManifest({ parts: { steps: { entries: 1, lines: 1 } } })),
        'steps/0001.ndjson': '{"at":1e300,"text":"a","exchange":null,"screenshot":null}\n',
      },
      'RECORDING_ENTRY_INVALID',
    ],
  ])('is refused: %s', async (_, content, code) => {
    const file = path.join(createTempDir(), 'a.birec')
    writeFileSync(file, typeof content === 'string' ? content : await zipFiles(content))
    expect(await readEverything(file)).toMatchObject({ code, message: expect.stringMatching(/\w/) as string })
  })
})

describe('safety 78: what is no file', () => {
  const kinds: Readonly<Record<string, (file: string) => void>> = {
    'a FIFO': (file) => execFileSync('mkfifo', [file]),
    'a directory': (file) => mkdirSync(file),
    'a device': (file) => symlinkSync('/dev/zero', file),
  }

  it.skipIf(process.platform === 'win32').each(Object.keys(kinds))('is refused at once: %s', async (kind) => {
    const file = path.join(createTempDir(), 'a.birec')
    kinds[kind]?.(file)
    const refusal = { code: 'RECORDING_NOT_A_RECORDING' }
    expect(await readEverything(file)).toMatchObject(refusal)
    await expect(looksLikeArchive(file)).rejects.toMatchObject(refusal)
    await expect(openArchive(file)).rejects.toMatchObject(refusal)
  })

  it.skipIf(process.platform === 'win32')('is refused at once: a socket', async () => {
    const file = path.join(createTempDir(), 'a.birec')
    const server = createServer().listen(file)
    await once(server, 'listening')
    expect(await readEverything(file)).toMatchObject({ code: 'RECORDING_NOT_A_RECORDING' })
    server.close()
  })
})

describe('safety 73: numbers of a manifest', () => {
  const line = `${JSON.stringify({ ...createRecordedExchange(1, ''), responseBody: null })}\n`

  it.each([1e8, 2 ** 32, 2 ** 53 - 1, -1, 0.5, 2])('are compared with the file: %d entries', async (entries) => {
    const parts = { exchanges: { entries, lines: 1 } }
    expect(await openForged(parts)).toMatch(/^RECORDING_ENTRY_(?:MISSING|INVALID)$/)
  })

  it.each([
    [1e8, 'RECORDING_TOO_LARGE'],
    [2 ** 53 - 1, 'RECORDING_TOO_LARGE'],
    [100_001, 'RECORDING_TOO_LARGE'],
    [5_001, 'RECORDING_ENTRY_INVALID'],
    [null, 'RECORDING_ENTRY_INVALID'],
    [0, 'RECORDING_ENTRY_INVALID'],
    [1, null],
  ])('are compared with the file: %d lines', async (lines, code) => {
    expect(await openForged({ exchanges: { entries: 1, lines } })).toBe(code)
  })

  async function openForged(parts: RecordingManifest['parts']): Promise<string | null> {
    const file = path.join(createTempDir(), 'a.birec')
    const manifest = JSON.stringify(createManifest({ parts }))
    writeFileSync(file, await zipFiles({ 'manifest.json': manifest, 'exchanges/0001.ndjson': line }))
    return (await readEverything(file))?.code ?? null
  }

  it.each([
    ['entries', 10, 2],
    ['bytes of its directory', 12, 4],
    ['place of its directory', 16, 4],
  ])('and those at the end of a file are compared with it: %s', async (_, place, bytes) => {
    const content = await zipFiles({ 'manifest.json': JSON.stringify(createManifest({})) })
    const end = content.indexOf('PK\x05\x06')
    for (const number of [0, 2, 2 ** (8 * bytes) - 2, 2 ** (8 * bytes) - 1]) {
      const forged = Buffer.from(content)
      forged.writeUIntLE(number, end + place, bytes)
      expect(await findRefusal(forged)).toMatch(/^RECORDING_(?:NOT_A_RECORDING|TRUNCATED|ENTRY_DAMAGED)$/)
    }
  })

  it.each([
    ['entries', 32],
    ['bytes of its directory', 40],
    ['place of its directory', 48],
  ])('and so are the large ones: %s', async (_, place) => {
    const content = await zipFiles({ 'manifest.json': JSON.stringify(createManifest({})) })
    const end = content.indexOf('PK\x05\x06')
    const plain = getEnd({
      ...{ count: 0xffff, directoryEnd: end },
      directoryStart: content.indexOf('PK\x01\x02'),
    })
    const large = Buffer.concat([content.subarray(0, end), plain])
    large.writeBigUInt64LE(1n, end + 32)
    expect(await findRefusal(large)).toBeNull()
    for (const number of [0n, 2n, 2n ** 32n, 2n ** 53n, 2n ** 64n - 1n]) {
      large.writeBigUInt64LE(1n, end + 32)
      large.writeBigUInt64LE(BigInt(end - content.indexOf('PK\x01\x02')), end + 40)
      large.writeBigUInt64LE(BigInt(content.indexOf('PK\x01\x02')), end + 48)
      large.writeBigUInt64LE(number, end + place)
      expect(await findRefusal(large)).toMatch(/^RECORDING_(?:NOT_A_RECORDING|TRUNCATED|ENTRY_DAMAGED)$/)
    }
  })

  async function findRefusal(content: Buffer): Promise<string | null> {
    const file = path.join(createTempDir(), 'a.birec')
    writeFileSync(file, content)
    return (await readEverything(file))?.code ?? null
  }

  it('and sizes that a directory declares are added up before anything is read', async () => {
    const file = path.join(createTempDir(), 'a.birec')
    const contents = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`bodies/${100_000 + index}`, 'body']))
    const bytes = await zipFiles(contents)
    // Each entry declares to have 190 MB, which for itself is not too much.
    for (let offset = bytes.indexOf('PK\x01\x02'); offset >= 0; offset = bytes.indexOf('PK\x01\x02', offset + 4)) {
      bytes.writeUInt16LE(8, offset + 10)
      bytes.writeUInt32LE(190_000_000, offset + 24)
    }
    writeFileSync(file, bytes)
    expect(await readEverything(file)).toMatchObject({
      code: 'RECORDING_TOO_LARGE',
      message: expect.stringContaining('bytes') as string,
    })
  })
})

describe('safety 70: an entry', () => {
  it.each(['..%manifest.json', '%etc%passwd', 'bodies%..%..%x'])('is refused by its name: %s', async (name) => {
    const target = name.replaceAll('%', '/')
    const plain = target.replaceAll(/[^a-z0-9/]/g, 'x').replaceAll(/^\/|(?<=\/)\//g, 'x')
    const bytes = await zipFiles({ 'manifest.json': JSON.stringify(createManifest({})), [plain]: 'x' })
    const file = path.join(createTempDir(), 'a.birec')
    // yazl writes no such names, so that they are put into the finished file.
    writeFileSync(file, Buffer.from(bytes.toString('latin1').replaceAll(plain, target), 'latin1'))
    expect(await readEverything(file)).toMatchObject({
      code: 'RECORDING_ENTRY_NAME',
      message: expect.stringContaining(JSON.stringify(target)) as string,
    })
  })

  it('is refused if there are two of its name', async () => {
    const bytes = await zipFiles({ 'manifest.json': JSON.stringify(createManifest({})), 'manifest.jsox': '{}' })
    const file = path.join(createTempDir(), 'a.birec')
    writeFileSync(file, Buffer.from(bytes.toString('latin1').replaceAll('manifest.jsox', 'manifest.json'), 'latin1'))
    expect(await readEverything(file)).toMatchObject({ code: 'RECORDING_ENTRY_NAME' })
  })

  it('is read no further than its declared size', async () => {
    const body = Buffer.alloc(3_000_000)
    const file = path.join(createTempDir(), 'a.birec')
    await writeRecording(file, createRecordingSource([body]))
    const bytes = readFileSync(file)
    const size = Buffer.alloc(4)
    size.writeUInt32LE(body.length)
    const small = Buffer.alloc(4)
    small.writeUInt32LE(1_000)
    for (let offset = bytes.indexOf(size); offset >= 0; offset = bytes.indexOf(size)) small.copy(bytes, offset)
    writeFileSync(file, bytes)
    expect(await readEverything(file)).toMatchObject({
      code: 'RECORDING_ENTRY_TOO_LARGE',
      message: expect.stringMatching(/^bodies\//) as string,
    })
  })

  it('is found where a recording is described or served, if it has more bytes than it declares', async () => {
    const body = Buffer.alloc(30_000_000)
    const file = path.join(createTempDir(), 'a.birec')
    await writeRecording(file, createRecordingSource([body]))
    const bytes = readFileSync(file)
    const [size, small] = [Buffer.alloc(4), Buffer.alloc(4)]
    size.writeUInt32LE(body.length)
    small.writeUInt32LE(1_000)
    for (let offset = bytes.indexOf(size); offset >= 0; offset = bytes.indexOf(size)) small.copy(bytes, offset)
    writeFileSync(file, bytes)
    const info = await runCommandLine(['recording', 'info', file])
    expect([info.code === 0, info.stdout.toString(), info.stderr]).toEqual([
      false,
      '',
      expect.stringContaining('RECORDING_ENTRY_TOO_LARGE'),
    ])
    const failure = await startServedRecording(file).catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'RECORDING_ENTRY_TOO_LARGE' })
  })

  it('is refused if it expands as a bomb does, before a byte of it is read', async () => {
    const file = path.join(createTempDir(), 'a.birec')
    await writeRecording(file, createRecordingSource([Buffer.alloc(1_000_000)]))
    const bytes = readFileSync(file)
    const size = Buffer.alloc(4)
    size.writeUInt32LE(1_000_000)
    const large = Buffer.alloc(4)
    large.writeUInt32LE(4_000_000_000)
    for (let offset = bytes.indexOf(size); offset >= 0; offset = bytes.indexOf(size)) large.copy(bytes, offset)
    writeFileSync(file, bytes)
    expect(await readEverything(file)).toMatchObject({ code: 'RECORDING_ENTRY_TOO_LARGE' })
  })

  it('is refused if it shares bytes with another one', async () => {
    const file = await writeSample()
    const bytes = readFileSync(file)
    // Both records of the directory lead to the first entry.
    const signature = Buffer.from([0x50, 0x4b, 1, 2])
    const first = bytes.indexOf(signature)
    const second = bytes.indexOf(signature, first + 4)
    bytes.copy(bytes, second + 42, first + 42, first + 46)
    writeFileSync(file, bytes)
    expect(await readEverything(file)).toMatchObject({ code: 'RECORDING_ENTRY_DAMAGED' })
  })
})

function createManifest(changed: Partial<RecordingManifest>): RecordingManifest {
  const manifest = {
    format: 'bridge-inspector-recording' as const,
    version: 2,
    requiredParts: ['exchanges'],
    parts: {},
  }
  return { ...manifest, ...createManifestFacts(), ...changed }
}

async function zipFiles(contents: Readonly<Record<string, string>>): Promise<Buffer> {
  const zip = new ZipFile()
  for (const [name, text] of Object.entries(contents)) zip.addBuffer(Buffer.from(text), name)
  zip.end()
  return Buffer.concat((await collect(zip.outputStream)) as Buffer[])
}
