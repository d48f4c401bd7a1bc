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

/** Notes what a recording passed on, and tells what became of it. */
function noting({ now = createTarget(BASE), fails = false }: { now?: BridgeTarget | null; fails?: boolean } = {}) {
  const stored: StoredOperation[] = []
  const events: OperationEvent[] = []
  const followed: unknown[] = []
  const warned: unknown[] = []
  const connection = {
    target() {
      if (now === null) throw createRefusedError('NOT_CONNECTED', 'Not connected.')
      return now
    },
    state: () => ({
      profile: { id: 'p', name: 'Profile', demo: false },
      host: { instanceNonce: 'run' },
      phase: 'online',
    }),
    capabilities: () => null,
  }
  const records = {
    create(one: StoredOperation, event: OperationEvent) {
      if (fails) throw new Error('disk full')
      stored.push(one)
      events.push(event)
      return { stored: one }
    },
    append: (_: unknown, event: OperationEvent) => void events.push(event),
    observe: (_: unknown, event: OperationEvent) => void events.push(event),
  }
  const note = createRecordedCommandHandler({
    connection: connection as unknown as Connection,
    records: records as unknown as OperationRecords,
    follower: { startFollowing: (record: unknown) => void followed.push(record) } as unknown as OperationFollower,
    log: { warn: (...said: unknown[]) => void warned.push(said) } as never,
    conceal: (text) => text.replaceAll(TOKEN, '[redacted]'),
  })
  return { note, stored, events, followed, warned }
}

const begun = (more: Partial<ExchangeStart> = {}): ExchangeStart => ({
  ...{ id: 'x-1', group: 'x-1', attempt: 1, startedAt: 1_000, fileBytes: null, headers: [] },
  origin: { kind: 'recorded', label: 'curl/8' },
  endpoint: getEndpointById('notes.title'),
  method: 'POST',
  path: '/notes/N-1/title',
  target: createTarget(BASE),
  body: Buffer.from(BODY),
  ...more,
})
const ended = (more: Partial<ExchangeEnd> = {}): ExchangeEnd => ({
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

test('a write of another client becomes a record, with its name, and is followed', () => {
  const { note, stored, events, followed } = noting()
  note(begun({ origin: { kind: 'recorded', label: 'x'.repeat(60) } }), ended())
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

test('what is no write of another client, or went to another host, becomes none', () => {
  const { note, stored, warned } = noting()
  note(begun({ origin: { kind: 'panel', label: 'Mine' } }), ended())
  note(begun({ endpoint: getEndpointById('notes.content') }), ended())
  note(begun({ endpoint: getEndpointById('pair.post') }), ended())
  note(begun({ target: createTarget('http://127.0.0.1:9/bridge/v1') }), ended())
  expect([stored, warned]).toEqual([[], []])
})

test('no token gets into a record: not from the path, the body or an answer that echoes it', () => {
  const { note, stored, events } = noting()
  note(
    begun({ path: `/notes/${TOKEN}/title`, body: Buffer.from(JSON.stringify({ text: TOKEN })) }),
    ended({ body: Buffer.from(JSON.stringify({ persisted: true, echo: TOKEN })) }),
  )
  expect(stored).toHaveLength(1)
  expect(JSON.stringify([stored, events])).not.toContain(TOKEN)
})

test.each([
  ['a stream that was kept whole', { body: Buffer.from(BODY), bytes: BODY.length, isWhole: true }, BODY],
  ['one of which the beginning was kept', { body: Buffer.from(BODY), bytes: BODY.length + 1, isWhole: true }, null],
  ['one that broke off', { body: Buffer.from(BODY), bytes: BODY.length, isWhole: false }, null],
  ['bytes that are no JSON', { body: Buffer.from('\0'), bytes: 1, isWhole: true }, null],
])('of %s, the record has the body or says that it has not', (_, sent, body) => {
  const { note, stored } = noting()
  note(begun({ body: null }), ended({ sentBody: sent }))
  expect(stored[0]?.body).toBe(body)
})

test('an answer of which not all is kept is marked, and none at all is a failure that may have reached the host', () => {
  const { note, events } = noting()
  note(begun(), ended({ missing: 'limit' }))
  expect(events.at(-1)).toMatchObject({ kind: 'answer', cut: true })
  const error = new AppError({ kind: 'offline', code: 'ECONNRESET', message: 'reset', retryable: true })
  note(begun(), ended({ isComplete: false, status: null, error }))
  expect(events.at(-1)).toMatchObject({ kind: 'failure', reached: 'maybe', error: { code: 'ECONNRESET' } })
  note(begun(), ended({ isComplete: false, status: null, error, requestHeaders: [] }))
  expect(events.at(-1)).toMatchObject({ kind: 'failure', reached: 'no' })
})

test('where no record can be made, the client is not bothered: the log says so', () => {
  const offline = noting({ now: null })
  offline.note(begun(), ended())
  const full = noting({ fails: true })
  full.note(begun(), ended())
  expect([offline.warned.length, full.warned.length, full.followed.length]).toEqual([1, 1, 0])
})
