/** @module-tag slow */

import { existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { getEndpoint } from '../../../../shared/bridge/endpoints/index.ts'
import { createBus } from '../../../../electron/services/bus.ts'
import { createLog } from '../../../../electron/services/files/log.ts'
import { createNotices } from '../../../../electron/services/notices.ts'
import { Redactor } from '../../../../electron/services/redactor.ts'
import { createBridgeClient } from '../../../../electron/services/bridge/client/client.ts'
import type { ContractSummary } from '../../../../electron/services/contract/contract-judge.ts'
import { createMemoryStore } from '../../../../electron/services/traffic/memory-store.ts'
import { createRecorder } from '../../../../electron/services/traffic/recorder.ts'
import { TRAFFIC_FILE } from '../../../../electron/services/traffic/traffic-store.ts'
import { createThreadStore } from '../../../../electron/services/traffic/thread/thread-store.ts'
import { respond, respondHostError, respondJson } from '../../../support/hosts/behaviours.ts'
import { getSmallRead, createTarget, testLimits } from '../../../support/services/test-client.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { startMisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'
import { createBody, createEntry } from '../../../support/services/traffic.ts'

const SOME_TOKEN = 'mnb0.0123456789abcdefghijklmnop'
const byTime = { by: 'time', descending: false } as const
const WORKER_URL = new URL('../../../../electron/services/traffic/thread/worker.ts', import.meta.url)
const toScriptUrl = (text: string): URL => new URL(`data:text/javascript,${encodeURIComponent(text)}`)

function openStore(dataDir: string, worker: URL, log = createLog(() => undefined, new Redactor())) {
  const notices = createNotices(createBus())
  const deviationCounts: number[] = []
  const onContract = ({ total }: ContractSummary): void => void deviationCounts.push(total)
  const listeners = { onChange: () => undefined, onContract }
  const store = createThreadStore({ dataDir, worker, notices, log, runStartedAt: 0, ...listeners })
  onTestFinished(() => store.close())
  return { store, deviationCounts, codes: () => notices.list().map(({ code }) => code) }
}

describe('thread of the store', () => {
  test('keeps its exchanges with large bodies over a restart', async () => {
    const dir = createTempDir()
    const first = openStore(dir, WORKER_URL)
    const text = JSON.stringify({ nodes: 'x'.repeat(300_000) })
    const entry = createEntry({ response: createBody(text) })
    first.store.add(entry)
    const detail = await first.store.exchange({ id: entry.row.id })
    expect(detail?.response).toMatchObject({ kept: text.length, missing: null })
    const lastEntry = createEntry({ response: createBody(`${text} `) })
    first.store.add(lastEntry)
    await first.store.close()
    const reopened = openStore(dir, WORKER_URL)
    expect((await reopened.store.find({}, byTime, 0)).seqs).toHaveLength(2)
    expect([await reopened.store.seqOf(lastEntry.row.id), await reopened.store.seqOf('nobody')]).toEqual([2, null])
    const body = await reopened.store.body(2, 'response', 300_000, 400_000)
    expect(Buffer.from(body?.bytes ?? []).toString()).toBe(`${text} `.slice(300_000))
    expect(reopened.codes()).toEqual([])
  })

  test.each([
    ['on disk', () => createTempDir()],
    ['in memory', () => path.join(createTempDir(), 'a file\0')],
  ])('keeps what it has handed over, %s', async (_, createDataDir) => {
    const { store } = openStore(createDataDir(), WORKER_URL)
    store.add(createEntry({ response: createBody('{"a":1}') }))
    const readBody = async () => Buffer.from((await store.body(1, 'response', 0, 100))?.bytes ?? []).toString()
    const readSeqs = async () => [...(await store.find({}, byTime, 0)).seqs]
    expect([await readBody(), await readBody()]).toEqual(['{"a":1}', '{"a":1}'])
    expect([await readSeqs(), await readSeqs()]).toEqual([[1], [1]])
  })

  test('takes over the bytes of an entry, and nothing else of their owner', async () => {
    const { store } = openStore(createTempDir(), WORKER_URL)
    await store.info()
    const body = createBody('{"a":1}')
    store.add(createEntry({ response: body }))
    // Nobody may read them any more, which `RawBody` says.
    expect(body.bytes?.byteLength).toBe(0)
    expect(Buffer.from((await store.body(1, 'response', 0, 100))?.bytes ?? []).toString()).toBe('{"a":1}')
  })

  test('holds exchanges against the contract by itself, those of earlier runs included', async () => {
    const dir = createTempDir()
    const first = openStore(dir, WORKER_URL)
    const row = { endpoint: 'studySets.tree', path: '/study-sets/T/tree', template: '/study-sets/{topicid}/tree' }
    first.store.add(
      createEntry({
        row,
        response: createBody(JSON.stringify({ bridgeApiVersion: '0.91', nodes: [], nextCursor: 5 })),
      }),
    )
    await expect.poll(() => first.deviationCounts).toEqual([1])
    await first.store.close()
    const reopened = openStore(dir, WORKER_URL)
    await expect.poll(() => reopened.deviationCounts).toEqual([1])
    expect((await reopened.store.listDeviations()).deviations).toMatchObject([{ pointer: '/nextCursor' }])
  })

  test.each([
    ['cannot start', toScriptUrl('throw new Error("no")')],
    ['ends by itself', toScriptUrl('setTimeout(() => process.exit(3), 50)')],
  ])('is replaced by memory with a notice if it %s', async (_, worker) => {
    const { store, codes } = openStore(createTempDir(), worker)
    await expect(store.info()).rejects.toThrow('the recorder has ended')
    await expect.poll(codes).toEqual(['TRAFFIC_STOPPED'])
    store.add(createEntry())
    expect((await store.find({}, byTime, 0)).seqs).toHaveLength(1)
    expect(await store.info()).toMatchObject({ kind: 'memory', exchanges: 1 })
  })

  test('starts with the first exchange, and has every token before it', async () => {
    const dir = createTempDir()
    const { store } = openStore(dir, WORKER_URL)
    store.addTokens([SOME_TOKEN])
    store.setBounds({ keepDays: 7, maxBytes: 1_000_000 })
    store.setBounds({ keepDays: 7, maxBytes: 1_000_000 })
    store.add(createEntry({ response: createBody(`{"echo":"${SOME_TOKEN}"}`) }))
    const body = await store.body(1, 'response', 0, 1_000)
    expect(Buffer.from(body?.bytes ?? []).toString()).toMatch(/^\{"echo":"(?!mnb0)/)
  })

  test('keeps its exchanges when it is closed at once', async () => {
    const dir = createTempDir()
    const { store } = openStore(dir, WORKER_URL)
    store.add(createEntry())
    await store.close()
    expect((await openStore(dir, WORKER_URL).store.find({}, byTime, 0)).seqs).toHaveLength(1)
  })

  test('is awaited only for a limited time, and a possible loss is logged', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const lines: string[] = []
    const log = createLog((line) => lines.push(line), new Redactor())
    const { store } = openStore(createTempDir(), toScriptUrl('setInterval(() => undefined, 1_000)'), log)
    store.add(createEntry())
    const closed = store.close()
    vi.advanceTimersByTime(10_000)
    await closed
    expect(lines.join()).toContain('the last exchanges may be missing')
  })

  test('starts for tokens and bounds only if a file exists', async () => {
    const dir = createTempDir()
    const file = path.join(dir, TRAFFIC_FILE)
    const { store } = openStore(dir, WORKER_URL)
    store.addTokens([SOME_TOKEN])
    store.setBounds({ keepDays: 7, maxBytes: 1_000_000 })
    store.setBounds({ keepDays: 7, maxBytes: 1_000_000 })
    await store.close()
    expect(existsSync(file)).toBe(false)
    writeFileSync(file, 'no database')
    const { codes } = openStore(dir, WORKER_URL)
    await expect.poll(codes).toEqual(['TRAFFIC_BROKEN'])
  })

  test('has no room for more bodies than it can hold, until some are saved', async () => {
    const { store } = openStore(createTempDir(), WORKER_URL)
    const size = 90 * 1024 * 1024
    expect(store.hasRoom(2 * size)).toBe(false)
    store.add(createEntry({ response: createBody(Buffer.alloc(size), 'application/octet-stream') }))
    expect(store.hasRoom(size)).toBe(false)
    expect(store.hasRoom(1_000)).toBe(true)
    expect((await store.exchange({ seq: 1 }))?.response.kept).toBe(size)
    await expect.poll(() => store.hasRoom(size)).toBe(true)
  })
})

test('a recorder that cannot keep up leaves out bodies, counts them, and keeps the entries', async () => {
  const host = await startMisbehavingHost(respondJson({ routes: ['x'.repeat(100)] }))
  onTestFinished(() => host.close())
  const recorder = createRecorder({
    bus: createBus(),
    getMaxBodyBytes: () => 1_000,
    conceal: (text) => text,
    createStore: (onChange) => ({
      ...createMemoryStore({ reason: 'TRAFFIC_STOPPED', onChange }),
      hasRoom: () => false,
    }),
  })
  const client = createBridgeClient({ limits: () => testLimits, recorder })
  onTestFinished(() => client.close())
  await client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() })
  const detail = await recorder.store.exchange({ seq: 1 })
  expect(detail?.response).toMatchObject({ kept: 0, missing: 'busy', total: 115 })
  expect(await recorder.info()).toMatchObject({ droppedBodies: 1 })
})

test('only the beginning of a long body is stored, and marked', async () => {
  const host = await startMisbehavingHost(respondJson({ routes: ['x'.repeat(5_000)] }))
  onTestFinished(() => host.close())
  const recorder = createRecorder({
    bus: createBus(),
    getMaxBodyBytes: () => 1_000,
    conceal: (text) => text,
    createStore: (onChange) => createMemoryStore({ reason: 'TRAFFIC_STOPPED', onChange }),
  })
  const client = createBridgeClient({ limits: () => testLimits, recorder })
  onTestFinished(() => client.close())
  await client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() })
  expect((await recorder.store.exchange({ seq: 1 }))?.response).toMatchObject({
    kept: 1_000,
    missing: 'limit',
    total: 5_015,
  })
})

test('only the beginning of a stream is stored, and a write that is sent once has its code', async () => {
  const picture = respond(Buffer.alloc(5_000, 7), { type: 'image/png' })
  const refusal = respondHostError(409, { code: 'REVISION_CONFLICT', message: 'no' })
  const host = await startMisbehavingHost((socket, request) =>
    (request.method === 'GET' ? picture : refusal)(socket, request),
  )
  onTestFinished(() => host.close())
  const recorder = createRecorder({
    bus: createBus(),
    getMaxBodyBytes: () => 1_000,
    conceal: (text) => text,
    createStore: (onChange) => createMemoryStore({ reason: 'TRAFFIC_STOPPED', onChange }),
  })
  const client = createBridgeClient({ limits: () => testLimits, recorder })
  onTestFinished(() => client.close())
  const target = createTarget(host.baseUrl, { isReadOnly: false, instanceNonce: 'run-1' })
  const params = { noteid: 'N', contentId: 'C' }
  const { body } = await client.openStream(target, { endpoint: getEndpoint('notes.content'), params })
  await body.toArray()
  await expect.poll(async () => (await recorder.info()).exchanges).toBe(1)
  const streamed = await recorder.store.exchange({ seq: 1 })
  expect(streamed?.response).toEqual(expect.objectContaining({ kept: 1_000, missing: 'media', total: 5_000 }))
  expect(streamed?.row).toMatchObject({ bytes: 5_000, state: 'answered', mediaType: 'image/png', instance: 'run-1' })
  const origin = { kind: 'write' as const, label: 'op-1' }
  await client.sendOnce(target, { endpoint: getEndpoint('notes.move'), body: { noteIds: ['N'] }, origin })
  const writeExchange = await recorder.store.exchange({ seq: 2 })
  expect(writeExchange?.row).toMatchObject({ errorCode: 'REVISION_CONFLICT', status: 409, origin })
  expect(writeExchange?.names).toContainEqual({ member: 'operation', id: 'op-1' })
})
