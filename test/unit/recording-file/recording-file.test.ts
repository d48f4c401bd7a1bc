import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { openRecording } from '../../../electron/recording-file/recording-file.ts'
import { verifyRecording } from '../../../electron/recording-file/verification.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { collect } from '../../support/data/collect.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { createRecordedExchange, createRecordingSource, getBodyName } from '../../support/data/recordings.ts'

const BODIES = ['{"title":"One","n":1}', '{"title":"Two"}', randomBytes(200_000), '']

it('reads back what was written', async () => {
  const file = path.join(createTempDir(), 'a.birec')
  const source = createRecordingSource(BODIES, {
    screenshots: new Map([['0001.png', () => Promise.resolve(Buffer.from('picture'))]]),
    lines: {
      exchanges: BODIES.map((body, index) => createRecordedExchange(index + 1, body)),
      steps: [{ at: 1, text: 'I pressed the button', exchange: 1, screenshot: '0001.png' }],
    },
  })
  const manifest = await writeRecording(file, source)
  const recording = await openRecording(file)
  expect(recording.manifest).toEqual(manifest)
  const exchanges = await collect(recording.readExchanges())
  const names = ['000001', '000002', '000003', '000004']
  expect(exchanges).toEqual(
    BODIES.map((body, index) => ({ ...createRecordedExchange(index + 1, body), responseBody: names[index] })),
  )
  expect(await collect(recording.readLines('steps'))).toEqual(source.lines.steps)
  expect(await collect(recording.readLines('findings'))).toEqual([])
  for (const [index, body] of BODIES.entries()) {
    const name = names[index] ?? ''
    expect(Buffer.from(await recording.readBody(name))).toEqual(Buffer.from(body))
    expect(Buffer.concat(await collect<Buffer>(recording.openBody(name)))).toEqual(Buffer.from(body))
  }
  expect(recording.screenshots).toEqual(['0001.png'])
  expect(await recording.readReport()).toContain('> I pressed the button')
  await recording.close()
})

it('writes lines in segments and a body once', async () => {
  const file = path.join(createTempDir(), 'a.birec')
  const body = '{"a":1}'
  const exchanges = Array.from({ length: 5_001 }, (_, index) => createRecordedExchange(index + 1, body))
  const { parts } = await writeRecording(file, createRecordingSource([body], { lines: { exchanges } }))
  expect(parts).toEqual({
    exchanges: { entries: 2, lines: 5_001 },
    bodies: { entries: 1, lines: null },
    report: { entries: 1, lines: null },
  })
  const recording = await openRecording(file)
  expect((await collect(recording.readExchanges())).map(({ row }) => row.seq)).toEqual(
    exchanges.map(({ row }) => row.seq),
  )
  await recording.close()
})

it('names no body that is gone', async () => {
  const file = path.join(createTempDir(), 'a.birec')
  await writeRecording(file, createRecordingSource(['{}'], { loadBody: () => Promise.resolve(null) }))
  const recording = await openRecording(file)
  expect(await collect(recording.readExchanges())).toMatchObject([{ responseBody: null }])
  await expect(recording.readBody(getBodyName('{}'))).rejects.toMatchObject({ code: 'RECORDING_BODY_MISSING' })
  await recording.close()
})

it('leaves no file if it is cancelled, or the source fails', async () => {
  const dir = createTempDir()
  const file = path.join(dir, 'a.birec')
  const cancellation = new AbortController()
  const source = createRecordingSource(BODIES)
  const loadBody = (name: string): ReturnType<typeof source.loadBody> => {
    cancellation.abort()
    return source.loadBody(name)
  }
  await expect(writeRecording(file, { ...source, loadBody }, { signal: cancellation.signal })).rejects.toMatchObject({
    code: 'CANCELLED',
  })
  const failure = new Error('the store is gone')
  await expect(writeRecording(file, { ...source, loadBody: () => Promise.reject(failure) })).rejects.toBe(failure)
  async function* fail(): AsyncGenerator<Uint8Array> {
    yield Buffer.alloc(40_000_000)
    throw failure
  }
  await expect(writeRecording(file, { ...source, loadBody: async () => fail() })).rejects.toBe(failure)
  expect(readdirSync(dir)).toEqual([])
  await expect(writeRecording(path.join(dir, 'none/a.birec'), source)).rejects.toMatchObject({ code: 'SAVE_FAILED' })
  expect(existsSync(file)).toBe(false)
})

it('passes a large body on in pieces', async () => {
  const file = path.join(createTempDir(), 'a.birec')
  const piece = Buffer.alloc(1_000_000, 'text')
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (let index = 0; index < 40; index += 1) yield piece
  }
  const body = Buffer.concat(Array.from({ length: 40 }, () => piece))
  let bytes = 0
  const source = { ...createRecordingSource([body]), loadBody: async () => pieces() }
  await writeRecording(file, source, {
    onProgress: (progress) => {
      bytes = progress.bytes
    },
  })
  expect(bytes).toBe(body.length)
  const recording = await openRecording(file)
  expect(Buffer.from(await recording.readBody('000001')).equals(body)).toBe(true)
  await recording.close()
})

it.each([2])('opens the recording of version %i, and finds it intact', async (version) => {
  const recording = await openRecording(path.join(import.meta.dirname, `../../fixtures/recording-${version}.birec`))
  expect((await collect(recording.readExchanges())).map(({ row }) => row.id)).toEqual(['exchange-1', 'exchange-2'])
  expect(await collect(recording.readLines('findings'))).toMatchObject([{ rule: 'read-burst' }])
  expect(await collect(recording.readLines('console'))).toMatchObject([{ text: 'It fails' }])
  expect(await collect(recording.readLines('steps'))).toMatchObject([{ screenshot: '0001.png' }])
  expect(await recording.readReport()).toMatch(/^# Recording `A panel that fails`\n/)
  expect(await verifyRecording(recording)).toMatchObject({ verdict: 'intact', problems: [] })
  await recording.close()
})

it('refuses a recording of version 1 with the reason', async () => {
  const file = path.join(import.meta.dirname, '../../fixtures/recording-1.birec')
  await expect(openRecording(file)).rejects.toMatchObject({ code: 'RECORDING_OLDER' })
})
