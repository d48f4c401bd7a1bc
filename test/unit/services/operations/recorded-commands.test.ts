import { expect, test } from 'vitest'
import { createRecordedCommandHandler } from '../../../../electron/services/operations/recorded-commands.ts'
import type { Connection } from '../../../../electron/services/bridge/connection/connection.ts'
import type { BridgeTarget, ExchangeStart, ExchangeEnd } from '../../../../electron/services/bridge/types.ts'
import type { StoredOperation } from '../../../../electron/services/journal/types.ts'
import type { OperationRecords } from '../../../../electron/services/operations/records/records.ts'
import type { OperationFollower } from '../../../../electron/services/operations/watch/operation-follower.ts'
import { getEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { AppError, createRefusedError } from '../../../../shared/errors.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import { createTarget, TOKEN } from '../../../support/services/test-client.ts'

const BASE = 'http://127.0.0.1:4321/bridge/v1'
const BODY = '{"text":"T","confirm":true}'

/** Creates the handler of recorded commands, with fakes that collect its effects. */
function createHandler({
  now: target = createTarget(BASE),
  fails: hasFullDisk = false,
}: { now?: BridgeTarget | null; fails?: boolean } = {}) {
  const stored: StoredOperation[] = []
  const events: OperationEvent[] = []
  const followed: unknown[] = []
  const warned: unknown[] = []
  const connection = {
    target() {
      if (target === null) throw createRefusedError('NOT_CONNECTED', 'Not connected.')
      return target
    },
    state: () => ({
      profile: { id: 'p', name: 'Profile', demo: false },
      host: { instanceNonce: 'run' },
      phase: 'online',
    }),
    capabilities: () => null,
  }
  const records = {
    create(operation: StoredOperation, event: OperationEvent) {
      if (hasFullDisk) throw new Error('disk full')
      stored.push(operation)
      events.push(event)
      return { stored: operation }
    },
    append: (_: unknown, event: OperationEvent) => void events.push(event),
    observe: (_: unknown, event: OperationEvent) => void events.push(event),
  }
  const note = createRecordedCommandHandler({
    connection: connection as unknown as Connection,
    records: records as unknown as OperationRecords,
    follower: { startFollowing: (record: unknown) => void followed.push(record) } as unknown as OperationFollower,
    log: {
      warn: (...messages: unknown[]) => void warned.push(messages),
      error: (...messages: unknown[]) => void warned.push(messages),
    } as never,
    conceal: (text) => text.replaceAll(TOKEN, '[redacted]'),
  })
  return { note, stored, events, followed, warned }
}

const createStart = (more: Partial<ExchangeStart> = {}): ExchangeStart => ({
  ...{ id: 'x-1', group: 'x-1', attempt: 1, startedAt: 1_000, fileBytes: null, headers: [] },
  origin: { kind: 'recorded', label: 'curl/8' },
  endpoint: getEndpointById('notes.title'),
  method: 'POST',
  path: '/notes/N-1/title',
  target: createTarget(BASE),
  body: Buffer.from(BODY),
  ...more,
})
const createEnd = (more: Partial<ExchangeEnd> = {}): ExchangeEnd => ({
  ...{
    durationMs: 12,
    isComplete: true,
    status: 200,
    wireBytes: 1,
    receivedBytes: 18,
    missing: null,
    hostCode: null,
    error: null,
  },
  timing: { queued: 0, connected: 0, sent: 0, firstByte: 0, lastByte: 0 },
  requestHeaders: [['Host', 'h']],
  responseHeaders: [['Content-Type', 'application/json']],
  body: Buffer.from('{"persisted":true}'),
  ...more,
})

test('a write of another client becomes a record with the name of the client, and is followed', () => {
  const { note, stored, events, followed } = createHandler()
  note(createStart({ origin: { kind: 'recorded', label: 'x'.repeat(60) } }), createEnd())
  expect(stored).toMatchObject([
    {
      ...{ endpoint: 'notes.title', source: 'recorded', profileId: 'p', profileName: 'Profile', host: BASE },
      ...{
        method: 'POST',
        path: '/notes/N-1/title',
        body: BODY,
        createdAt: 1_000,
        noteid: 'N-1',
        instanceNonce: 'run',
      },
      caller: 'x'.repeat(40),
    },
  ])
  expect(events.map(({ kind }) => kind)).toEqual(['intent', 'sent', 'answer'])
  expect(events[2]).toMatchObject({ status: 200, body: { persisted: true }, cut: false, exchangeId: 'x-1' })
  expect(followed).toHaveLength(1)
})

test('a request that is no write of another client, or went to another host, becomes no record', () => {
  const { note, stored, warned } = createHandler()
  note(createStart({ origin: { kind: 'panel', label: 'Mine' } }), createEnd())
  note(createStart({ endpoint: getEndpointById('notes.content') }), createEnd())
  note(createStart({ endpoint: getEndpointById('pair.post') }), createEnd())
  note(createStart({ target: createTarget('http://127.0.0.1:9/bridge/v1') }), createEnd())
  expect([stored, warned]).toEqual([[], []])
})

test('no token gets into a record from the path, the body or a response that echoes it', () => {
  const { note, stored, events } = createHandler()
  note(
    createStart({ path: `/notes/${TOKEN}/title`, body: Buffer.from(JSON.stringify({ text: TOKEN })) }),
    createEnd({ body: Buffer.from(JSON.stringify({ persisted: true, echo: TOKEN })) }),
  )
  expect(stored).toHaveLength(1)
  expect(JSON.stringify([stored, events])).not.toContain(TOKEN)
})

test.each([
  ['a stream that was stored completely', { body: Buffer.from(BODY), bytes: BODY.length, isWhole: true }, BODY],
  [
    'a stream of which only the beginning was stored',
    { body: Buffer.from(BODY), bytes: BODY.length + 1, isWhole: true },
    null,
  ],
  ['a stream that broke off', { body: Buffer.from(BODY), bytes: BODY.length, isWhole: false }, null],
  ['bytes that are no JSON', { body: Buffer.from('\0'), bytes: 1, isWhole: true }, null],
])('the record has the right body for %s', (_, sentBody, expectedBody) => {
  const { note, stored } = createHandler()
  note(createStart({ body: null }), createEnd({ sentBody }))
  expect(stored[0]?.body).toBe(expectedBody)
})

test('a truncated response is marked, and a missing one is a failure that may have reached the host', () => {
  const { note, events } = createHandler()
  note(createStart(), createEnd({ missing: 'limit' }))
  expect(events.at(-1)).toMatchObject({ kind: 'answer', cut: true })
  const error = new AppError({ kind: 'offline', code: 'ECONNRESET', message: 'reset', retryable: true })
  note(createStart(), createEnd({ isComplete: false, status: null, error }))
  expect(events.at(-1)).toMatchObject({ kind: 'failure', reached: 'maybe', error: { code: 'ECONNRESET' } })
  note(createStart(), createEnd({ isComplete: false, status: null, error, requestHeaders: [] }))
  expect(events.at(-1)).toMatchObject({ kind: 'failure', reached: 'no' })
})

test('a response that cannot be read leaves the outcome unknown, with its reason', () => {
  const { note, events, followed, warned } = createHandler()
  const body = new Uint8Array(Buffer.from('{"persisted":true}'))
  structuredClone(body.buffer, { transfer: [body.buffer] })
  note(createStart(), createEnd({ body }))
  expect(events.map(({ kind }) => kind)).toEqual(['intent', 'sent', 'failure'])
  expect(events[2]).toMatchObject({ reached: 'maybe', error: { code: 'INTERNAL' } })
  expect(JSON.stringify(warned)).toContain('detached')
  expect(followed).toHaveLength(1)
})

test('a failure to create a record is only logged, and does not disturb the client', () => {
  const offline = createHandler({ now: null })
  offline.note(createStart(), createEnd())
  const full = createHandler({ fails: true })
  full.note(createStart(), createEnd())
  expect([offline.warned.length, full.warned.length, full.followed.length]).toEqual([1, 1, 0])
})
