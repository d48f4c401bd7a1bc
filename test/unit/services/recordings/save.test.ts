/** @module-tag slow */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { composeApp, type Ports } from '../../../../electron/app-composition.ts'
import { PAGE_DATA_MARK } from '../../../../electron/recording-file/page-writer.ts'
import { openRecording } from '../../../../electron/recording-file/recording-file.ts'
import type { RecordingSelectionInput } from '../../../../shared/ipc/recordings.ts'
import { DEFAULT_REDACTION, type RedactionPolicy } from '../../../../shared/recordings/recording.ts'
import { collect } from '../../../support/data/collect.ts'
import { createJpegWithText } from '../../../support/data/pictures.ts'
import { createPngWithText } from '../../../support/data/planted-recording.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { startComposedApp } from '../../../support/program/composed-app.ts'
import { buildTitleDraft, startWritableApp } from '../../../support/program/writable-app.ts'

const keepAll: RedactionPolicy = { texts: 'keep', ids: 'keep', pictures: 'keep' }
const all: RecordingSelectionInput = { kind: 'filter', filter: {} }

test('an operation is saved with its exchanges and what it changed, and the file opens', async () => {
  const { app, set, card, sendDraft } = await startWritableApp()
  await app.call('snapshots.take', { topicid: set.topicid })
  const operation = await sendDraft(buildTitleDraft(card.noteid, 'A new title'))
  const selection = { kind: 'operation', id: operation.summary.id } as const
  const preview = await app.call('recordings.preview', { selection, redaction: keepAll })
  const steps = 'I renamed a card.'
  const { entry } = await app.call('recordings.save', {
    ...{ selection, redaction: keepAll, jobId: 'j', name: 'Renamed: a/b', steps },
  })
  expect(entry).toMatchObject({ name: 'Renamed: a/b', isRemoved: false, isInDataDir: true, redaction: null })
  expect(path.basename(entry?.file ?? '')).toBe('Renamed_ a_b.birec')
  const file = await openRecording(entry?.file ?? '')
  const exchanges = await collect(file.readExchanges())
  const operations = await collect(file.readLines('operations'))
  expect(operations.map(({ summary }) => summary.id)).toEqual([operation.summary.id])
  expect(exchanges.some(({ row }) => row.method === operation.method && row.path === operation.path)).toBe(true)
  expect(exchanges.filter(({ context }) => context).map(({ row }) => row.endpoint)).toContain('capabilities.get')
  expect(await collect(file.readLines('steps'))).toMatchObject([{ text: steps }])
  expect(file.manifest.selection).toEqual(selection)
  expect(file.manifest.host.name).not.toBeNull()
  expect(Object.keys(preview.counts)).toContain('snapshots')
  expect(entry?.counts['exchanges']).toBe(preview.counts['exchanges'])
  await file.close()
  const { recordings } = await app.call('recordings.list', {})
  expect(recordings).toEqual([entry])
})

test('cancelling leaves neither a file nor an entry, and what was left by a killed program is removed', async () => {
  const { app } = await startWritableApp()
  const input = { selection: all, redaction: keepAll, jobId: 'j', name: 'Session', steps: '' }
  const stop = app.app.dispatcher.subscribe(({ topic }) => {
    if (topic === 'recordings.progress') app.app.dispatcher.removeCaller('page')
  })
  expect(await app.callExpectingError('recordings.save', input)).toMatchObject({ code: 'CANCELLED' })
  stop()
  await expect.poll(() => listFiles(app.dataDir)).toEqual([])
  expect((await app.call('recordings.list', {})).recordings).toEqual([])
  const { entry } = await app.call('recordings.save', input)
  expect(listFiles(app.dataDir)).toEqual(['Session.birec'])
  await app.call('recordings.forget', { id: entry?.id ?? '', removesFile: true })
  await app.dispose()
  writeFileSync(path.join(app.dataDir, 'recordings', 'Session.birec.999999999-1.tmp'), 'PK')
  const next = await startComposedApp(app.dataDir)
  expect(listFiles(next.dataDir)).toEqual([])
})

/** An app with a page of its own, which need not be built. */
async function startPageApp({ template = PAGE_DATA_MARK, ...ports }: { template?: string } & Partial<Ports> = {}) {
  const folder = createTempDir()
  const page = path.join(folder, 'out', 'page')
  mkdirSync(page, { recursive: true })
  writeFileSync(path.join(page, 'recording-page.html'), template)
  const resources = pathToFileURL(`${path.join(folder, 'resources')}/`)
  const { app } = await startWritableApp({
    compose: (config, others) => composeApp(config, { ...others, ...ports, resources }),
  })
  return app
}
const pageInput = { selection: all, redaction: keepAll, jobId: 'j', name: 'Bug: a', steps: 'I waited.' } as const

test('a page holds the recording that it is saved in place of, and nothing but the page is left', async () => {
  const app = await startPageApp()
  const { entry, report } = await app.call('recordings.save', { ...pageInput, format: 'page' })
  const id = entry?.id ?? ''
  expect(entry).toMatchObject({ name: 'Bug: a', bytes: expect.any(Number) as number })
  expect(report).toMatchObject({ text: expect.stringContaining('I waited.') as string, isCut: false })
  expect(listFiles(app.dataDir)).toEqual([path.basename(entry?.file ?? '')])
  expect((await app.call('recordings.list', {})).recordings).toEqual([])
  const slice = { id, start: 0, end: 10_000_000, exported: 'page' } as const
  const { meta, bytes } = await app.call('recordings.slice', slice)
  expect(meta.total).toBe(entry?.bytes)
  const recordingFile = path.join(createTempDir(), 'saved-out.birec')
  writeFileSync(recordingFile, Buffer.from(Buffer.from(bytes).toString(), 'base64'))
  const file = await openRecording(recordingFile)
  expect(await collect(file.readLines('steps'))).toMatchObject([{ text: 'I waited.' }])
  expect(file.manifest.title).toBe('Bug: a')
  await file.close()
})

test('the desktop app asks for the place of a page by its extension, and shows the page there', async () => {
  const revealed: string[] = []
  const names: string[] = []
  const target = path.join(createTempDir(), 'chosen.html')
  const app = await startPageApp({
    mode: 'desktop',
    revealFile: (file) => void revealed.push(file),
    chooseFile: (name) => Promise.resolve(names.push(name) === 1 ? target : null),
  })
  const { entry } = await app.call('recordings.save', { ...pageInput, format: 'page' })
  expect(names).toEqual(['Bug_ a.html'])
  expect(entry).toMatchObject({ file: target, bytes: readFileSync(target).length })
  await app.call('recordings.reveal', { id: entry?.id ?? '' })
  expect(revealed).toEqual([target])
  expect(await app.call('recordings.save', { ...pageInput, format: 'page' })).toEqual({ entry: null })
  expect(listFiles(app.dataDir)).toEqual([])
})

test.each([
  { what: 'the page cannot be written', template: PAGE_DATA_MARK, code: 'SAVE_FAILED' },
  { what: 'the built page is damaged', template: 'no mark', code: 'INTERNAL' },
])('if $what, neither a page nor a recording is left', async ({ template, code }) => {
  const target = path.join(createTempDir(), 'missing', 'page.html')
  const app = await startPageApp({ template, mode: 'desktop', chooseFile: () => Promise.resolve(target) })
  const error = await app.callExpectingError('recordings.save', { ...pageInput, format: 'page' })
  expect(error.code).toBe(code)
  expect(existsSync(target)).toBe(false)
  expect(listFiles(app.dataDir)).toEqual([])
  expect((await app.call('recordings.list', {})).recordings).toEqual([])
})

test('a page that is cancelled while its recording is written leaves nothing', async () => {
  const app = await startPageApp()
  const stop = app.app.dispatcher.subscribe(({ topic }) => {
    if (topic === 'recordings.progress') app.app.dispatcher.removeCaller('page')
  })
  const error = await app.callExpectingError('recordings.save', { ...pageInput, format: 'page' })
  stop()
  expect(error.code).toBe('CANCELLED')
  await expect.poll(() => listFiles(app.dataDir)).toEqual([])
  expect((await app.call('recordings.list', {})).recordings).toEqual([])
})

test('a second file of the same name gets a number, and a forgotten one can be deleted', async () => {
  const { app } = await startWritableApp()
  const save = async () => {
    const input = { selection: all, redaction: keepAll, jobId: 'j', name: 'Session', steps: '' }
    return (await app.call('recordings.save', input)).entry
  }
  const [first, second] = [await save(), await save()]
  expect(listFiles(app.dataDir)).toEqual(['Session 2.birec', 'Session.birec'])
  expect(first?.fingerprint).toBe(second?.fingerprint)
  await app.call('recordings.forget', { id: first?.id ?? '', removesFile: true })
  await app.call('recordings.forget', { id: second?.id ?? '', removesFile: false })
  expect(listFiles(app.dataDir)).toEqual(['Session 2.birec'])
  expect((await app.call('recordings.list', {})).recordings).toEqual([])
})

test('two files of one name that are saved at once, and two servers of one file, are not mixed up', async () => {
  const { app } = await startWritableApp()
  const save = async (jobId: string) => {
    const input = { selection: all, redaction: keepAll, jobId, name: 'Session', steps: '' }
    return (await app.call('recordings.save', input)).entry
  }
  const entries = await Promise.all([save('i'), save('j')])
  expect(new Set(entries.map((entry) => entry?.file)).size).toBe(2)
  for (const entry of entries)
    expect((await app.call('recordings.verify', { id: entry?.id ?? '', jobId: 'k' })).verdict).toBe('intact')
  const id = entries[0]?.id ?? ''
  const served = await Promise.all([app.call('recordings.serve', { id }), app.call('recordings.serve', { id })])
  expect(served[0].served).toEqual(served[1].served)
})

test('by default no text of the library is in the file, and the preview shows what becomes of it', async () => {
  const { app, set, card } = await startWritableApp()
  await app.call('bridge.read', { endpoint: 'studySets.tree', params: { topicid: set.topicid }, query: {} })
  const choice = { selection: all, redaction: DEFAULT_REDACTION }
  const preview = await app.call('recordings.preview', choice)
  expect(preview.redacted.texts.titles.samples.map(({ before }) => before)).toContain(card.title)
  const { entry } = await app.call('recordings.save', { ...choice, jobId: 'j', name: 'Session', steps: card.title })
  const file = await openRecording(entry?.file ?? '')
  const exchanges = await collect(file.readExchanges())
  const tree = exchanges.find(({ row }) => row.endpoint === 'studySets.tree')
  const body = Buffer.from(await file.readBody(tree?.responseBody ?? '')).toString()
  expect(body).toContain(card.noteid)
  expect(body).not.toContain(card.title)
  expect(file.manifest.redaction).toEqual(DEFAULT_REDACTION)
  // The user wrote the steps for whoever gets the file.
  expect(await collect(file.readLines('steps'))).toMatchObject([{ text: card.title }])
  await file.close()
})

test('a sample names the exchange in which it stands', async () => {
  const { app, set } = await startWritableApp()
  await app.call('bridge.read', { endpoint: 'studySets.tree', params: { topicid: set.topicid }, query: {} })
  const { redacted } = await app.call('recordings.preview', { selection: all, redaction: DEFAULT_REDACTION })
  const places = redacted.texts.titles.samples.map(({ place }) => place)
  expect(places.some((place) => place.includes('/tree'))).toBe(true)
  expect(places.filter((place) => place.startsWith('GET /capabilities'))).toEqual([])
})

test('a recording is redacted into a further one, in which the first seal still holds', async () => {
  const { app, set, card } = await startWritableApp()
  await app.call('bridge.read', { endpoint: 'studySets.tree', params: { topicid: set.topicid }, query: {} })
  const token = `mnb0.${'k'.repeat(32)}`
  const input = { selection: all, redaction: keepAll, jobId: 'j', name: 'Session', steps: `${card.title} ${token}` }
  const { entry: first } = await app.call('recordings.save', input)
  const { entry } = await app.call('recordings.redact', {
    ...{ source: { from: 'list', id: first?.id ?? '' }, redaction: DEFAULT_REDACTION, jobId: 'k' },
  })
  expect(entry).toMatchObject({ name: 'Session redacted', redaction: DEFAULT_REDACTION })
  expect(listFiles(app.dataDir)).toEqual(['Session redacted.birec', 'Session.birec'])
  const file = await openRecording(entry?.file ?? '')
  const exchanges = await collect(file.readExchanges())
  const tree = exchanges.find(({ row }) => row.endpoint === 'studySets.tree')
  const body = Buffer.from(await file.readBody(tree?.responseBody ?? '')).toString()
  expect(body).toContain(card.noteid)
  const text = body + JSON.stringify([exchanges, await collect(file.readLines('steps')), file.manifest])
  expect(text).not.toContain(card.title)
  expect(text).not.toContain(token)
  await file.close()
  const { verdict, seals } = await app.call('recordings.verify', { id: entry?.id ?? '', jobId: 'l' })
  expect(verdict).toBe('redacted')
  const { fingerprint = null } = seals[0] ?? {}
  expect(fingerprint).not.toBeNull()
  expect(seals).toMatchObject([{ fingerprint }, { fingerprint }])
  expect(seals[1]?.vouched.entries).toBeGreaterThan(0)
})

test('a token in the words of the person is masked, in the name of the file as well', async () => {
  const { app } = await startWritableApp()
  const token = `mnb0.${'k'.repeat(32)}`
  const { entry } = await app.call('recordings.save', {
    ...{ selection: all, redaction: keepAll, jobId: 'j', name: `Seen ${token}`, steps: `With ${token}` },
  })
  const file = await openRecording(entry?.file ?? '')
  const texts = [entry, file.manifest, await file.readReport(), await collect(file.readLines('steps'))]
  await file.close()
  expect(JSON.stringify(texts)).not.toContain(token)
  expect(file.manifest.title).toMatch(/^Seen \*{37}$/)
})

test('pictures that the person adds are steps of the file, and the policy of pictures alone decides about them', async () => {
  const { app } = await startWritableApp()
  const upload = async (bytes: Buffer) => {
    const { uploadId } = await app.call('uploads.begin', { size: bytes.length })
    await app.call('uploads.add', { uploadId, offset: 0, data: bytes.toString('base64') })
    return uploadId
  }
  const pictures = [await upload(createPngWithText('A private text')), await upload(createJpegWithText('Another'))]
  const save = async (redaction: RedactionPolicy) => {
    const choice = { selection: all, redaction, pictures }
    const { counts, leftOut } = await app.call('recordings.preview', choice)
    const { entry } = await app.call('recordings.save', { ...choice, jobId: 'j', name: 'Session', steps: 'I looked.' })
    const file = await openRecording(entry?.file ?? '')
    const names = (await collect(file.readLines('steps'))).map(({ screenshot }) => screenshot)
    const bytes = await Promise.all(file.screenshots.map((name) => file.readScreenshot(name)))
    const report = await file.readReport()
    await file.close()
    expect(entry?.counts['screenshots']).toBe(counts['screenshots'])
    const leftOutCount = leftOut.find(({ what }) => what === 'screenshots')?.count ?? 0
    expect(file.manifest.leftOut.find(({ what }) => what === 'screenshots')?.count ?? 0).toBe(leftOutCount)
    return { names, report, leftOutCount, text: Buffer.concat(bytes).toString('latin1') }
  }
  const grey = await save(DEFAULT_REDACTION)
  expect(grey.names).toEqual([null, '0001.png', '0002.png'])
  expect(grey.report).toContain('screenshot `0002.png`')
  const visible = await save({ ...DEFAULT_REDACTION, pictures: 'keep' })
  expect(visible.names).toEqual([null, '0001.png', '0002.jpg'])
  expect(visible.text).toContain('\xff\xd8\xff')
  expect(visible.text).not.toContain('A private text')
  const dropped = await save({ ...DEFAULT_REDACTION, pictures: 'drop' })
  expect([dropped.names, dropped.leftOutCount]).toEqual([[null], 2])
  const other = { selection: all, redaction: keepAll, pictures: [await upload(Buffer.from('%PDF-1.4'))] }
  expect(await app.callExpectingError('recordings.preview', other)).toMatchObject({ code: 'PICTURE_UNUSABLE' })
  const unknown = { selection: all, redaction: keepAll, pictures: ['x'] }
  expect(await app.callExpectingError('recordings.preview', unknown)).toMatchObject({ code: 'UPLOAD_UNKNOWN' })
})

test('the file is read in slices', async () => {
  const { app } = await startWritableApp()
  const input = { selection: all, redaction: keepAll, jobId: 'j', name: 'Session', steps: '' }
  const { entry } = await app.call('recordings.save', input)
  const { meta, bytes } = await app.call('recordings.slice', { id: entry?.id ?? '', start: 0, end: 4 })
  expect(Buffer.from(bytes).toString('latin1')).toBe('PK\x03\x04')
  expect(meta.total).toBe(entry?.bytes)
})

const listFiles = (dataDir: string): string[] => {
  const dir = path.join(dataDir, 'recordings')
  return readdirSync(dataDir).includes('recordings') ? readdirSync(dir).sort() : []
}
