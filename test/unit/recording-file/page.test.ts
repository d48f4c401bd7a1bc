import { generateKeyPairSync } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { PAGE_DATA_MARK, writeRecordingPage } from '../../../electron/recording-file/page-writer.ts'
import { openRecording } from '../../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { createSigner } from '../../../electron/recording-file/seal.ts'
import { verifyRecording } from '../../../electron/recording-file/verification.ts'
import { openEmbeddedRecording } from '../../../electron/recording-page/embedded-recording.ts'
import { PageBuffer } from '../../../electron/recording-page/page-buffer.ts'
import { verdictNames } from '../../../shared/recordings/verification.ts'
import { createRecordingSource, forgeRecording } from '../../support/data/recordings.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'

const sign = createSigner(generateKeyPairSync('ed25519').privateKey)
const bodies = ['{"title":"One"}', 'x'.repeat(300_000), '']

async function createRecording(): Promise<{ dir: string; file: string; template: string }> {
  const dir = createTempDir()
  const [file, template] = [path.join(dir, 'bug.birec'), path.join(dir, 'template.html')]
  await writeRecording(file, createRecordingSource(bodies), { sign })
  writeFileSync(template, `<p>before</p>${PAGE_DATA_MARK}<p>after</p>`)
  return { dir, file, template }
}

const readBytes = (file: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(file))

test('a page holds the recording byte for byte, as base64 in the place of the mark', async () => {
  const { dir, file, template } = await createRecording()
  const page = path.join(dir, 'bug.html')
  expect(await writeRecordingPage(file, template, page)).toBe(readFileSync(page).length)
  const [, data = ''] = /^<p>before<\/p>([A-Za-z0-9+/=]*)<p>after<\/p>$/.exec(readFileSync(page, 'utf8')) ?? []
  expect(Buffer.from(data, 'base64')).toEqual(readFileSync(file))
})

test('a page that is cancelled while it is written is not there', async () => {
  const { dir, file, template } = await createRecording()
  const writing = writeRecordingPage(file, template, path.join(dir, 'bug.html'), AbortSignal.abort())
  await expect(writing).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(readdirSync(dir).sort()).toEqual(['bug.birec', 'template.html'])
})

test('a recording that is too large, or none, leaves no page behind', async () => {
  const { dir, file, template } = await createRecording()
  const page = path.join(dir, 'bug.html')
  const large = path.join(dir, 'large.birec')
  writeFileSync(large, Buffer.alloc(50_000_001))
  await expect(writeRecordingPage(large, template, page)).rejects.toMatchObject({
    code: 'RECORDING_TOO_LARGE_FOR_PAGE',
    wire: { params: { limit: 50, size: 51 } },
  })
  writeFileSync(file, 'no zip')
  await expect(writeRecordingPage(file, template, page)).rejects.toMatchObject({ code: 'RECORDING_NOT_A_RECORDING' })
  expect(existsSync(page)).toBe(false)
  expect(readdirSync(dir).sort()).toEqual(['bug.birec', 'large.birec', 'template.html'])
})

test('the reader of a page and that of a file see the same', async () => {
  const { file } = await createRecording()
  const embedded = await openEmbeddedRecording(readBytes(file))
  const recording = await openRecording(file)
  expect(embedded.manifest).toEqual(recording.manifest)
  expect(await embedded.listLines('exchanges')).toEqual(await recording.listLines('exchanges'))
  const [, { responseBody = null } = {}] = await embedded.listLines('exchanges')
  expect(Buffer.from(await embedded.readBody(responseBody ?? '')).toString()).toBe(bodies[1])
  const verification = await verifyRecording(recording)
  expect(verification).toMatchObject({ verdict: 'intact', seals: [{ fingerprint: sign.fingerprint }] })
  expect(await verifyRecording(embedded)).toEqual(verification)
  await recording.close()
})

test('the reader of a page finds every change that the reader of a file finds', async () => {
  const { dir, file } = await createRecording()
  const forged = path.join(dir, 'forged.birec')
  await forgeRecording(file, forged, {
    'exchanges/0001.ndjson': (text) => text.replace('"status":200', '"status":500'),
  })
  const verification = await verifyRecording(await openEmbeddedRecording(readBytes(forged)))
  expect(verification).toMatchObject({ verdict: 'changed', problems: [{ entry: 'exchanges/0001.ndjson' }] })

  const original = readBytes(file)
  const expected = await openRecording(file)
  const names = [...expected.zip.entries.values()]
  for (const { name, headerOffset } of names) {
    const bytes = original.slice()
    const offset = headerOffset + 30 + name.length + 2
    bytes[offset] = (bytes[offset] ?? 0) ^ 1
    const verdict = await openEmbeddedRecording(bytes).then(
      async (reader) => (await verifyRecording(reader)).verdict,
      () => 'changed',
    )
    expect([name, verdict]).toEqual([name, 'changed'])
  }
  await expected.close()
})

test('the class that stands for Buffer in a page does what Buffer does', () => {
  const bytes = [0x41, 0xe4, 0xbd, 0xa0, 0xff, 0x00, 0x80, 0x7f, 0x31, 0x32]
  const [mine, theirs] = [PageBuffer.concat([Uint8Array.from(bytes)]), Buffer.from(bytes)]
  expect(mine.toString()).toBe(theirs.toString())
  expect(mine.toString('latin1', 1, 8)).toBe(theirs.toString('latin1', 1, 8))
  expect([mine.readUInt16LE(1), mine.readUInt32LE(2)]).toEqual([theirs.readUInt16LE(1), theirs.readUInt32LE(2)])
  expect(mine.readBigUInt64LE(2)).toBe(theirs.readBigUInt64LE(2))
  expect(mine.subarray(3).readUInt16LE(1)).toBe(theirs.subarray(3).readUInt16LE(1))
  for (const buffer of [mine, theirs]) {
    buffer.writeUInt16LE(0xabcd, 0)
    buffer.writeUInt32LE(0xfedcba98, 2)
    buffer.write('zy', 8)
  }
  expect(mine.equals(theirs)).toBe(true)
  mine.writeBigUInt64LE(2n ** 60n + 1n, 1)
  expect(mine.equals(theirs)).toBe(false)
  theirs.writeBigUInt64LE(2n ** 60n + 1n, 1)
  expect(mine.equals(theirs)).toBe(true)
  expect(PageBuffer.fromText('你').equals(Buffer.from('你'))).toBe(true)
})

test('the page and the command line name a verdict alike', () => {
  const texts = path.join(import.meta.dirname, '../../../renderer/i18n/locales/en/recordings.json')
  const english = JSON.parse(readFileSync(texts, 'utf8')) as { recordings: { verdictName: unknown } }
  expect(english.recordings.verdictName).toEqual(verdictNames)
})
