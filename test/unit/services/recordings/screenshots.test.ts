import path from 'node:path'
import { expect, test } from 'vitest'
import { openRecording } from '../../../../electron/recording-file/recording-file.ts'
import { writeRecording, type Screenshots } from '../../../../electron/recording-file/recording-writer.ts'
import { redactRecording } from '../../../../electron/recording-file/redaction.ts'
import { verifyRecording } from '../../../../electron/recording-file/verification.ts'
import { RecordingRedaction } from '../../../../electron/services/recordings/redaction/recording-redaction.ts'
import type { RecordedStep, RedactionPolicy } from '../../../../shared/recordings/recording.ts'
import { collect } from '../../../support/data/collect.ts'
import { createJpegWithText } from '../../../support/data/pictures.ts'
import { createPngWithText } from '../../../support/data/planted-recording.ts'
import { createRecordingSource } from '../../../support/data/recordings.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'

const keepAll: RedactionPolicy = { texts: 'keep', ids: 'keep', pictures: 'keep' }
const grey: RedactionPolicy = { ...keepAll, texts: 'placeholder', pictures: 'grey' }
const toStep = (screenshot: string): RecordedStep => ({ at: null, text: screenshot, exchange: null, screenshot })

/** The first of three pictures is none, so that a redaction drops it. */
const screenshots: Screenshots = new Map([
  ['0001.png', () => Promise.resolve(Buffer.from('no picture'))],
  ['0002.png', () => Promise.resolve(createPngWithText('A private text'))],
  ['0003.jpg', () => Promise.resolve(createJpegWithText('A private text'))],
])
const source = createRecordingSource([], {
  screenshots,
  lines: { exchanges: [], steps: [...screenshots.keys()].map(toStep) },
})

async function readFile(file: string) {
  const recording = await openRecording(file)
  const steps = await collect(recording.readLines('steps'))
  const pictures = await Promise.all(recording.screenshots.map((name) => recording.readScreenshot(name)))
  const { leftOut } = recording.manifest
  const { verdict } = await verifyRecording(recording)
  const names = steps.map(({ screenshot }) => screenshot)
  const texts = await recording.readReport()
  await recording.close()
  return {
    names,
    entries: recording.screenshots,
    bytes: Buffer.concat(pictures).toString('latin1'),
    leftOut,
    verdict,
    texts,
  }
}

async function saveRedacted(policy: RedactionPolicy) {
  const file = path.join(createTempDir(), 'a.birec')
  await writeRecording(file, await new RecordingRedaction({ policy, tokens: [] }).redactSource(source, () => []))
  return readFile(file)
}

async function redactFile(policy: RedactionPolicy) {
  const file = path.join(createTempDir(), 'a.birec')
  await writeRecording(file, source)
  const recording = await openRecording(file)
  await redactRecording(recording, `${file}.2`, new RecordingRedaction({ policy, tokens: [] }), { policy })
  await recording.close()
  return readFile(`${file}.2`)
}

test.each([
  ['that is saved', saveRedacted],
  ['that is redacted again', redactFile],
])('in a recording %s, a dropped picture leaves the names of the others, and no step names it', async (_, redact) => {
  const { names, entries, bytes, leftOut, verdict } = await redact(keepAll)
  expect(names).toEqual([null, '0002.png', '0003.jpg'])
  expect(entries).toEqual(['0002.png', '0003.jpg'])
  expect(leftOut).toContainEqual({ what: 'screenshots', count: 1, why: 'redacted' })
  // The metadata of pictures that stay go.
  expect(bytes).not.toContain('A private text')
  expect(verdict).toBe('unsigned')
})

test.each([
  ['that is saved', saveRedacted],
  ['that is redacted again', redactFile],
])('in a recording %s, the name of a picture says what a redaction made of it', async (_, redact) => {
  const { names, entries, texts, verdict } = await redact(grey)
  expect(names).toEqual([null, '0002.png', '0003.png'])
  expect(entries).toEqual(['0002.png', '0003.png'])
  expect(texts).toContain('screenshot `0003.png`')
  expect(verdict).toBe('unsigned')
})

test('no step names a picture of a recording that leaves out pictures', async () => {
  const { names, entries } = await redactFile({ ...keepAll, pictures: 'drop' })
  expect([names, entries]).toEqual([[null, null, null], []])
})
