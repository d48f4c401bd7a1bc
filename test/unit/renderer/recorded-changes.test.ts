import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { readSnapshotLines } from '../../../electron/core/snapshots/snapshot-document.ts'
import { redactRecording } from '../../../electron/recording-file/redaction.ts'
import { writeRecording } from '../../../electron/recording-file/recording-writer.ts'
import { openRecording } from '../../../electron/recording-file/recording-file.ts'
import { findCommandChange } from '../../../electron/services/operations/outcome/data-effect.ts'
import { RecordingRedaction } from '../../../electron/services/recordings/redaction/recording-redaction.ts'
import { compareRecordedSnapshots, listSnapshotPairs } from '../../../renderer/recording-page/recorded-changes.ts'
import { readRecordedPage } from '../../../renderer/recording-page/recorded-page.ts'
import type { RecordedExchange, RedactionPolicy, SnapshotLine } from '../../../shared/recordings/recording.ts'
import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import { endpoints } from '../../../shared/bridge/endpoints/index.ts'
import { toRecordedWrite } from '../../../shared/snapshots/cause.ts'
import type { SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import {
  createRecordedExchange,
  createRecordingSource,
  createSnapshotInfo,
  getBodyName,
} from '../../support/data/recordings.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { createCompleteBody } from '../../support/vue/exchanges.ts'

const OTHER_HOST = 'http://127.0.0.1:42341/bridge/v1'
const SAVED = '{"persisted":true}'

const listLines = (info: SnapshotInfo, titles: Readonly<Record<string, string>>): SnapshotLine[] => [
  { snapshot: info },
  ...Object.entries(titles).map(([noteid, title]) => ({ noteid, parent: null, title })),
]

/** The card N1 is renamed between 1,000 and 9,000. */
const renaming = [
  ...listLines(createSnapshotInfo(1_000), { N1: 'Old', N2: 'Same' }),
  ...listLines(createSnapshotInfo(9_000), { N1: 'New', N2: 'Same' }),
]

interface Recorded {
  readonly exchanges?: readonly RecordedExchange[]
  readonly snapshots?: readonly SnapshotLine[]
  readonly bodies?: readonly string[]
}

async function saveRecording({ exchanges = [], snapshots = renaming, bodies = [] }: Recorded) {
  const file = path.join(createTempDir(), 'bug.birec')
  const lines = { exchanges, snapshots }
  await writeRecording(file, createRecordingSource([SAVED, ...bodies], { lines }))
  return file
}

const readPage = (file: string) => readRecordedPage(new Uint8Array(readFileSync(file)))

/** The causes of the changes between the first two snapshots, by the id of the card. */
async function findCauses(recorded: Recorded) {
  const page = await readPage(await saveRecording(recorded))
  const { rows } = await compareRecordedSnapshots(page, { before: 0, after: 1 })
  return Object.fromEntries(
    rows.flatMap((row) =>
      row.row === 'change'
        ? [[row.noteid, [row.cause.certainty, ...row.cause.writes.map(({ exchangeId }) => exchangeId)]]]
        : [],
    ),
  )
}

/** A call that sent this body and to which the host answered that it is saved. */
const createWrite = (seq: number, row: Partial<ExchangeRow>, body = ''): RecordedExchange =>
  createRecordedExchange(seq, SAVED, {
    row: { method: 'POST', startedAt: 5_000, ...row },
    request: { ...createCompleteBody(body.length), hash: body === '' ? null : getBodyName(body) },
  })
const rename = (row: Partial<ExchangeRow> = {}): RecordedExchange =>
  createWrite(1, { path: '/notes/N1/title', endpoint: 'notes.title', ...row }, '{"text":"New"}')
const renameBody = { bodies: ['{"text":"New"}'] }

test('a call that names the card is its cause, and without one there is none in the recording', async () => {
  expect(await findCauses({ exchanges: [rename()], ...renameBody })).toEqual({ N1: ['named', 'exchange-1'] })
  expect(await findCauses({})).toEqual({ N1: ['nobody'] })
})

test('a call to a route that only the host lists is a cause, whether the program knew the route or not', async () => {
  const body = '{"noteid":"N1"}'
  for (const endpoint of ['listed POST /plugin/rename', null])
    expect(
      await findCauses({ exchanges: [createWrite(1, { path: '/plugin/rename', endpoint }, body)], bodies: [body] }),
    ).toEqual({ N1: ['named', 'exchange-1'] })

  // By its method it reads, but not by what the host says.
  const routes = JSON.stringify({ routes: [{ method: 'GET', path: '/plugin/rename/{noteid}', requiresMax: true }] })
  const listing = createRecordedExchange(1, routes, { row: { endpoint: 'capabilities.get', path: '/capabilities' } })
  const call = (endpoint: string | null) => createWrite(2, { method: 'GET', path: '/plugin/rename/N1', endpoint })
  for (const endpoint of ['listed GET /plugin/rename/{noteid}', null]) {
    const exchanges = [listing, call(endpoint)]
    expect(await findCauses({ exchanges, bodies: [routes] })).toEqual({ N1: ['named', 'exchange-2'] })
    expect(await findCauses({ exchanges: [call(endpoint)] })).toEqual({ N1: ['nobody'] })
  }
})

test('a call to another host is no cause, though it names the same card', async () => {
  expect(await findCauses({ exchanges: [rename({ host: OTHER_HOST })], ...renameBody })).toEqual({ N1: ['nobody'] })
  const snapshots = [
    ...listLines(createSnapshotInfo(1_000, { host: OTHER_HOST }), { N1: 'Old' }),
    ...listLines(createSnapshotInfo(9_000), { N1: 'New' }),
  ]
  expect(await findCauses({ exchanges: [rename({ host: OTHER_HOST })], snapshots, ...renameBody })).toEqual({
    N1: ['named', 'exchange-1'],
  })
})

test('a call counts from when the cards were last seen as they were before', async () => {
  const snapshots = [
    ...listLines(createSnapshotInfo(1_000, { seenAt: 4_000 }), { N1: 'Old' }),
    ...listLines(createSnapshotInfo(9_000), { N1: 'New' }),
  ]
  for (const [startedAt, cause] of [
    [3_900, ['nobody']],
    [3_995, ['named', 'exchange-1']],
    [9_000, ['named', 'exchange-1']],
    [9_001, ['nobody']],
  ] as const)
    expect(await findCauses({ exchanges: [rename({ startedAt })], snapshots, ...renameBody })).toEqual({ N1: cause })
})

test('a call that never left for the host is no cause; one whose response an override changed is', async () => {
  const untimed = { queued: null, connected: null, sent: null, firstByte: null, lastByte: null }
  const failed = { state: 'failed', status: null, errorCode: 'ECONNREFUSED', timing: untimed } as const
  for (const row of [{ rule: 'Always saved', timing: untimed }, { rule: 'not-allowed', timing: untimed }, failed])
    expect(await findCauses({ exchanges: [rename(row)], ...renameBody })).toEqual({ N1: ['nobody'] })
  for (const row of [{ rule: 'Other words' }, { state: 'failed', status: null } as const])
    expect(await findCauses({ exchanges: [rename(row)], ...renameBody })).toEqual({ N1: ['named', 'exchange-1'] })
})

test('a body that the recording lacks names no card, so only the time fits', async () => {
  const create = createWrite(1, { path: '/plugin/rename', endpoint: 'listed POST /plugin/rename' }, '{"noteid":"N2"}')
  expect(await findCauses({ exchanges: [create], bodies: ['{"noteid":"N2"}'] })).toEqual({ N1: ['nobody'] })
  const cut = { ...create, requestBody: null, request: { ...create.request, missing: 'limit' as const } }
  expect(await findCauses({ exchanges: [cut] })).toEqual({ N1: ['time', 'exchange-1'] })
})

test('no command whose outcome is watched changes cards, so that none is looked for as a cause', () => {
  const watched = endpoints.filter((row: Endpoint) => row.command !== 'plain')
  expect(watched.length).toBeGreaterThan(3)
  const cause = { exchangeId: null, origin: { kind: 'write', label: 'o-1' }, method: 'POST', path: '/x' } as const
  for (const row of watched) {
    const change = findCommandChange(row, { at: 5_000, cause: { ...cause, endpoint: row.id }, body: {} })
    expect(change && toRecordedWrite(change, 5_000, {})).toBeNull()
  }
})

test('a redacted recording names the same causes', async () => {
  const body = '{"text":"A newer title"}'
  const snapshots = [
    ...listLines(createSnapshotInfo(1_000), { N1: 'Old title' }),
    ...listLines(createSnapshotInfo(9_000), { N1: 'A newer title' }),
  ]
  const exchanges = [createWrite(1, { path: '/notes/N1/title', endpoint: 'notes.title' }, body)]
  const recording = await openRecording(await saveRecording({ exchanges, snapshots, bodies: [body] }))
  const redact = async (policy: RedactionPolicy) => {
    const file = path.join(createTempDir(), 'redacted.birec')
    await redactRecording(recording, file, new RecordingRedaction({ policy, tokens: [] }), { policy })
    const { changes, rows } = await compareRecordedSnapshots(await readPage(file), { before: 0, after: 1 })
    return [changes, rows.flatMap((row) => (row.row === 'change' ? row.cause.certainty : []))]
  }
  expect(await redact({ texts: 'placeholder', ids: 'map', pictures: 'grey' })).toEqual([1, ['named']])
  // Texts that were dropped are all alike.
  expect(await redact({ texts: 'drop', ids: 'keep', pictures: 'drop' })).toEqual([0, []])
  await recording.close()
})

test('of more than two snapshots, the ends are compared first, and then each with the next one', () => {
  const infos = [
    createSnapshotInfo(3_000),
    createSnapshotInfo(1_000),
    createSnapshotInfo(2_000),
    createSnapshotInfo(1_500, { topicid: 'T2' }),
  ]
  expect(listSnapshotPairs(infos)).toEqual([
    { before: 1, after: 0 },
    { before: 1, after: 2 },
    { before: 2, after: 0 },
  ])
  expect(listSnapshotPairs(infos.slice(0, 2))).toEqual([{ before: 1, after: 0 }])
  const other = createSnapshotInfo(4_000, { host: OTHER_HOST })
  expect(listSnapshotPairs([createSnapshotInfo(1_000), other])).toEqual([])
})

test('two snapshots are compared in their order in time, whichever stands first in the file', async () => {
  const snapshots = [
    ...listLines(createSnapshotInfo(9_000), { N1: 'New' }),
    ...listLines(createSnapshotInfo(1_000), { N1: 'Old' }),
  ]
  const page = await readPage(await saveRecording({ exchanges: [rename()], snapshots, ...renameBody }))
  const { before, after, rows } = await compareRecordedSnapshots(page, { before: 1, after: 0 })
  expect([before.endedAt, after.endedAt]).toEqual([1_000, 9_000])
  expect(rows).toMatchObject([{ before: { title: 'Old' }, after: { title: 'New' }, cause: { certainty: 'named' } }])
})

test('only the chosen snapshots of a recording are read, each with its own cards', async () => {
  const lines = [
    ...listLines(createSnapshotInfo(1_000, { id: 7 }), { N1: 'One' }),
    ...listLines(createSnapshotInfo(2_000, { id: 8 }), { N1: 'Two', N2: 'Below' }),
    ...listLines(createSnapshotInfo(3_000, { id: 9 }), {}),
  ]
  const recording = await openRecording(await saveRecording({ snapshots: lines }))
  const read = (...numbers: number[]) =>
    readSnapshotLines(recording.readLines('snapshots'), (index) => numbers.includes(index))
  const documents = await read(1, 2)
  expect(documents.map(({ info, ids }) => [info.id, ids])).toEqual([
    [8, ['N1', 'N2']],
    [9, []],
  ])
  expect(documents[0]?.contents.map((content) => JSON.parse(content) as unknown)).toEqual([
    { title: 'Two' },
    { title: 'Below' },
  ])
  expect(await read(3)).toEqual([])
  await recording.close()
})
