import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ExchangeStart, ExchangeEnd } from '../../../../electron/services/bridge/types.ts'
import { resolveRow } from '../../../../electron/services/bridge/client/request-row.ts'
import { createBus } from '../../../../electron/services/bus.ts'
import { DataChangeNotifier } from '../../../../electron/services/operations/data-change-notifier.ts'
import type { DataChange } from '../../../../shared/bridge/data-change.ts'
import type { EventMessage } from '../../../../shared/ipc/method-definition.ts'
import { ipcTopics } from '../../../../shared/ipc/index.ts'
import { createTarget } from '../../../support/services/test-client.ts'
import { createConnectionState } from '../../../support/vue/states.ts'

const BASE = createConnectionState().profile?.baseUrl ?? ''

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

function createNotifier() {
  const bus = createBus()
  const messages: DataChange[][] = []
  bus.subscribe(({ topic, payload }: EventMessage) => {
    if (topic === 'bridge.dataChanged') messages.push(ipcTopics[topic].payload.parse(payload).changes)
  })
  const calls: { path: string | undefined; host: string; startedAt: number }[] = []
  const changes = new DataChangeNotifier({
    bus,
    connection: { state: () => createConnectionState() },
  })
  bus.on('operations.changedData', ({ change, source }) => {
    calls.push({ path: change.cause?.path, host: source.host, startedAt: source.startedAt })
  })
  return {
    changes,
    /** The changes that were published to other services. */
    calls,
    /** Returns the messages since the last call. */
    takeMessages(): DataChange[][] {
      vi.runAllTimers()
      return messages.splice(0)
    },
  }
}

interface Exchange {
  method?: string
  path: string
  body?: unknown
  status?: number | null
  answer?: unknown
  baseUrl?: string
  sent?: boolean
}

function createExchange({
  method = 'POST',
  path,
  body,
  status = 200,
  answer = {},
  baseUrl = BASE,
  sent = true,
}: Exchange) {
  const target = createTarget(baseUrl)
  const begun: ExchangeStart = {
    ...{ id: 'x-1', group: 'x-1', attempt: 1, startedAt: 1_000, fileBytes: null, headers: [], method, path, target },
    origin: { kind: 'panel', label: 'My panel' },
    endpoint: resolveRow(method, path, target, null),
    body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
  }
  const ended: ExchangeEnd = {
    ...{ durationMs: 12, isComplete: status !== null, status, wireBytes: 1, receivedBytes: 18, missing: null },
    ...{ hostCode: null, error: null, responseHeaders: [] },
    timing: { queued: 0, connected: 0, sent: 0, firstByte: 0, lastByte: 0 },
    requestHeaders: sent ? [['Host', 'h']] : [],
    body: status === null ? null : Buffer.from(JSON.stringify(answer)),
  }
  return [begun, ended] as const
}

const bandWrite = { path: '/notes/N-1/blank-bands', body: { role: 'practice' }, answer: { band: {}, persisted: true } }

test('a write of any origin becomes one change with its cause, its data kinds and its ids', () => {
  const { changes, takeMessages } = createNotifier()
  changes.handleExchange(...createExchange(bandWrite))
  expect(takeMessages()).toMatchObject([
    [
      {
        cause: {
          exchangeId: 'x-1',
          origin: { kind: 'panel', label: 'My panel' },
          method: 'POST',
          path: bandWrite.path,
        },
        matters: ['cards', 'handwriting', 'studySets'],
        ids: { cards: ['N-1'], sets: [] },
        isCertain: true,
      },
    ],
  ])
})

test.each([
  ['a read', { method: 'GET', path: '/library/study-sets' }],
  ['a POST that reads', { path: '/notes/batch-get', body: { noteIds: ['N-1'] } }],
  ['a write that the host refused', { ...bandWrite, status: 409, answer: { error: { code: 'NO_SELECTION' } } }],
  ['a preview without confirm', { ...bandWrite, status: 400, answer: { error: { code: 'CONFIRM_REQUIRED' } } }],
  ['a write that the host says it did not do', { path: '/notes/N-1/title', answer: { persisted: false } }],
  ['a write of which not a byte was sent', { ...bandWrite, status: null, sent: false }],
  ['a write to another host', { ...bandWrite, baseUrl: 'http://127.0.0.1:1/bridge/v1' }],
  ['a file in the export folder', { path: '/study-sets/T-1/mindmap-print/export', answer: { path: 'x.pdf' } }],
])('%s causes no change', (_, input: Exchange) => {
  const { changes, takeMessages } = createNotifier()
  changes.handleExchange(...createExchange(input))
  expect(takeMessages()).toEqual([])
})

test('each change is reported at once with its host, however many there are and whichever host it is', () => {
  const { changes, calls, takeMessages } = createNotifier()
  for (let count = 0; count < 300; count += 1)
    changes.handleExchange(...createExchange({ path: `/notes/N-${count}/title`, answer: { persisted: true } }))
  expect(calls).toHaveLength(300)
  expect(calls[299]).toEqual({ path: '/notes/N-299/title', host: BASE, startedAt: 1_000 })
  expect(takeMessages()).toMatchObject([[{ cause: null }]])
  const baseUrl = 'http://127.0.0.1:1/bridge/v1'
  changes.handleExchange(...createExchange({ path: '/notes/N-1/title', answer: { persisted: true }, baseUrl }))
  expect(calls[300]).toMatchObject({ host: baseUrl })
  expect(takeMessages()).toEqual([])
})

test.each([
  ['without a response', { ...bandWrite, status: null }],
  ['that failed in the host', { ...bandWrite, status: 500, answer: { error: { code: 'INTERNAL' } } }],
  ['that was only accepted', { path: '/writing/session-pause', status: 202, answer: { state: 'accepted' } }],
])('a write %s causes an uncertain change', (_, input: Exchange) => {
  const { changes, takeMessages } = createNotifier()
  changes.handleExchange(...createExchange(input))
  expect(takeMessages()).toMatchObject([[{ isCertain: false }]])
})

test('a write to an unknown route causes a change of anything', () => {
  const { changes, takeMessages } = createNotifier()
  changes.handleExchange(...createExchange({ path: '/plugin/unheard-of', answer: { persisted: true } }))
  expect(takeMessages()).toMatchObject([[{ matters: null, cause: { endpoint: '' } }]])
})

test('a navigation changes the view that the user has open', () => {
  const { changes, takeMessages } = createNotifier()
  changes.handleExchange(...createExchange({ path: '/notes/N-1/focus', answer: {} }))
  expect(takeMessages()).toMatchObject([[{ matters: ['screen'] }]])
})

test('ids of the response count if the request names ids of the same kind', () => {
  const { changes, takeMessages } = createNotifier()
  const responseBody = { persisted: true, noteIds: ['N-9'], topicid: 'T-1' }
  changes.handleExchange(
    ...createExchange({
      path: '/notes/copy',
      body: { noteIds: ['N-1'], targetParentNoteId: 'N-2' },
      answer: responseBody,
    }),
  )
  const [[change] = []] = takeMessages()
  expect(change?.ids).toEqual({ cards: ['N-1', 'N-2', 'N-9'], sets: [], documents: [], bundles: [] })
})

test('many writes are published together, and too many as one change without limits', () => {
  const { changes, takeMessages } = createNotifier()
  for (let round = 0; round < 20; round += 1) changes.handleExchange(...createExchange(bandWrite))
  expect(takeMessages().map(({ length }) => length)).toEqual([20])
  for (let round = 0; round < 500; round += 1) changes.handleExchange(...createExchange(bandWrite))
  expect(takeMessages()).toMatchObject([
    [{ cause: null, ids: { cards: [] }, matters: ['cards', 'handwriting', 'studySets'] }],
  ])
})

test('a change found by a heartbeat is published unless a request through this program explains it', () => {
  const { changes, takeMessages } = createNotifier()
  const sendHeartbeat = (revision: number, epoch = 1): void => {
    const [begun, ended] = createExchange({
      method: 'GET',
      path: '/status',
      answer: { uptime: revision, dataRevision: revision },
    })
    const target = { ...begun.target, epoch }
    changes.handleExchange({ ...begun, target, origin: { kind: 'heartbeat', label: null } }, ended)
  }
  sendHeartbeat(41)
  sendHeartbeat(41)
  expect(takeMessages()).toEqual([])
  sendHeartbeat(42)
  const fact = { name: '/dataRevision', from: '41', to: '42' }
  expect(takeMessages()).toMatchObject([[{ cause: null, fact, matters: null, isCertain: false }]])
  changes.handleExchange(...createExchange(bandWrite))
  sendHeartbeat(43)
  expect(takeMessages()).toHaveLength(1)
  sendHeartbeat(44, 2)
  expect(takeMessages()).toEqual([])
})

test('a watched command is published once more when its outcome is known', () => {
  const { changes, takeMessages } = createNotifier()
  changes.handleCommandEnd({
    ...{ id: 'op-1', source: 'sent', profileId: 'p1', profileName: 'P', host: BASE, method: 'POST', createdAt: 1 },
    ...{
      endpoint: 'writing.pencilCommit',
      path: '/writing/pencil-commit',
      requestId: 'r',
      topicid: 'T',
      noteid: 'N-1',
    },
    ...{ instanceNonce: null, caller: null, body: '{"target":{"topicid":"T-1","noteid":"N-1","layerId":""}}' },
  })
  expect(takeMessages()).toMatchObject([[{ ids: { cards: ['N-1'], sets: ['T-1'] }, isCertain: false }]])
})

test('a plain write is not published again when its record is read back', () => {
  const { changes, takeMessages } = createNotifier()
  changes.handleCommandEnd({
    ...{ id: 'op-1', source: 'sent', profileId: 'p1', profileName: 'P', host: BASE, method: 'POST', createdAt: 1 },
    ...{ endpoint: 'notes.title', path: '/notes/N-1/title', requestId: null, topicid: null, noteid: 'N-1' },
    ...{ instanceNonce: null, caller: null, body: null },
  })
  expect(takeMessages()).toEqual([])
})
