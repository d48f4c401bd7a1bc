/** @module-tag slow */

import { expect, test } from 'vitest'
import { openRecording } from '../../../../electron/recording-file/recording-file.ts'
import type { RecordingInfo } from '../../../../shared/ipc/recordings.ts'
import { DEFAULT_REDACTION } from '../../../../shared/recordings/recording.ts'
import { collect } from '../../../support/data/collect.ts'
import type { ComposedApp } from '../../../support/program/composed-app.ts'
import { startWritableApp } from '../../../support/program/writable-app.ts'

const RULE = 'cursor-invented'

/** Sends reads of which one is a mistake, and saves all of them. */
async function saveMistake() {
  const { app, set } = await startWritableApp()
  const listing = `/study-sets/${set.topicid}/tree?limit=5`
  const paths = ['/study-sets', listing, '/decks', `${listing}&cursor=made-up`, '/documents', listing, '/ui-state']
  for (const path of paths) await app.call('traffic.send', { method: 'GET', path, body: null })
  await expect
    .poll(async () => (await app.call('findings.list', { offset: 0, limit: 10 })).findings.map(({ rule }) => rule))
    .toContain(RULE)
  return { app, info: await saveAll(app) }
}

async function saveAll(app: ComposedApp): Promise<RecordingInfo> {
  const { entry } = await app.call('recordings.save', {
    selection: { kind: 'filter', filter: {} },
    redaction: DEFAULT_REDACTION,
    ...{ jobId: 'j', name: 'Session', steps: 'I paged.' },
  })
  return app.call('recordings.info', { id: entry?.id ?? '' })
}

test('a recording is reduced to the exchanges from which a finding follows, and to no cards', async () => {
  const { app, info } = await saveMistake()
  const finding = info.findings.find(({ rule }) => rule === RULE)
  const { result } = await app.call('recordings.reduce', {
    ...{ id: info.entry.id, jobId: 'k', finding: finding?.id ?? '', name: 'Smallest' },
  })
  expect(result).toMatchObject({ isMinimal: true, isSteady: true, entry: { name: 'Smallest', isInDataDir: true } })
  expect(result?.before.cards).toBeGreaterThan(0)
  expect(result?.after.cards).toBe(0)

  const file = await openRecording(result?.entry.file ?? '')
  const exchanges = await collect(file.readExchanges())
  const reads = exchanges.filter(({ row }) => row.origin.kind === 'console')
  expect(reads.map(({ row }) => row.seq)).toEqual(finding?.exchanges)
  expect(result?.after.exchanges).toBe(exchanges.length)
  // Whoever opens or serves it has to connect to it.
  expect(exchanges.map(({ row }) => row.endpoint)).toEqual(expect.arrayContaining(['status.get', 'capabilities.get']))
  const listing = JSON.parse(Buffer.from(await file.readBody(reads[0]?.responseBody ?? '')).toString()) as object
  expect(listing).toMatchObject({ nodes: [], nextCursor: expect.any(String) as string })
  expect((await collect(file.readLines('findings'))).map(({ rule }) => rule)).toEqual([RULE])
  expect(await collect(file.readLines('steps'))).toMatchObject([{ text: 'I paged.' }])
  expect(file.manifest).toMatchObject({
    selection: { kind: 'reduction', title: 'Session', createdAt: info.manifest.createdAt, finding: finding?.id },
    redaction: DEFAULT_REDACTION,
  })
  const removed = info.manifest.parts['exchanges']?.lines ?? 0
  expect(file.manifest.leftOut).toContainEqual({
    ...{ what: 'exchanges', count: removed - exchanges.length, why: 'not-needed' },
  })
  await file.close()
  const { verdict, seals } = await app.call('recordings.verify', { id: result?.entry.id ?? '', jobId: 'l' })
  expect([verdict, seals.length]).toEqual(['intact', 1])
  expect(seals[0]?.fingerprint).toBe(info.entry.fingerprint)

  // What is smallest cannot be reduced further.
  const id = result?.entry.id ?? ''
  const repeated = await app.call('recordings.reduce', { id, jobId: 'm', finding: finding?.id ?? '', name: 'Again' })
  expect(repeated.result?.after).toEqual(result?.after)
})

test('a finding that the recording does not have is refused, and nothing is written', async () => {
  const { app, info } = await saveMistake()
  const input = { id: info.entry.id, jobId: 'k', finding: 'unknown-route GET /nowhere', name: 'Smallest' }
  expect(await app.callExpectingError('recordings.reduce', input)).toMatchObject({ code: 'FINDING_UNKNOWN' })
  expect((await app.call('recordings.list', {})).recordings).toHaveLength(1)
})

test('a reduction that is cancelled leaves no file', async () => {
  const { app, info } = await saveMistake()
  const stop = app.app.dispatcher.subscribe(({ topic }) => {
    if (topic === 'recordings.progress') app.app.dispatcher.removeCaller('page')
  })
  const finding = info.findings.find(({ rule }) => rule === RULE)?.id ?? ''
  const input = { id: info.entry.id, jobId: 'k', finding, name: 'Smallest' }
  expect(await app.callExpectingError('recordings.reduce', input)).toMatchObject({ code: 'CANCELLED' })
  stop()
  expect((await app.call('recordings.list', {})).recordings).toHaveLength(1)
})

test('a smallest case that is redacted again says nothing of the recording that it was', async () => {
  const { app, info } = await saveMistake()
  const finding = info.findings.find(({ rule }) => rule === RULE)
  const { result } = await app.call('recordings.reduce', {
    ...{ id: info.entry.id, jobId: 'k', finding: finding?.id ?? '', name: 'Smallest' },
  })
  const { entry } = await app.call('recordings.redact', {
    source: { from: 'list', id: result?.entry.id ?? '' },
    ...{ jobId: 'l', redaction: { ...DEFAULT_REDACTION, ids: 'map' } },
  })
  const { manifest, findings } = await app.call('recordings.info', { id: entry?.id ?? '' })
  const { selection } = manifest
  expect(selection).toMatchObject({ kind: 'reduction', finding: findings[0]?.id })
  expect('title' in selection && selection.title).not.toBe('Session')
  const topicid = /study-sets\/([^/]+)/.exec(finding?.id ?? '')?.[1] ?? ''
  expect(topicid).not.toBe('')
  expect(JSON.stringify(selection)).not.toContain(topicid)
})
