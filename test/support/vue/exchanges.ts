import type { ExchangeDetail, ExchangeRow, StoredBody } from '../../../shared/traffic/exchange.ts'

/** A row as the recorder keeps it; whatever a test is about is changed. */
export const createExchangeRow = (changed: Partial<ExchangeRow> = {}): ExchangeRow => ({
  seq: 1,
  id: 'one',
  startedAt: 1_000_000,
  durationMs: 20,
  timing: { queued: 1, connected: 2, sent: 3, firstByte: 15, lastByte: 20 },
  method: 'GET',
  path: '/library/study-sets',
  endpoint: 'studySets.list',
  template: '/library/study-sets',
  origin: { kind: 'place', label: null },
  state: 'answered',
  status: 200,
  errorCode: null,
  attempt: 1,
  group: 'one',
  epoch: 1,
  instance: 'run-1',
  host: 'http://127.0.0.1:42340/bridge/v1',
  requestBytes: 0,
  wireBytes: 120,
  bytes: 100,
  mediaType: 'application/json',
  pinned: false,
  rule: null,
  ...changed,
})

export const emptyBody: StoredBody = { total: 0, kept: 0, missing: null, hash: null, mediaType: '' }

/** A body of this many bytes, all of it kept. */
export const createCompleteBody = (bytes: number, mediaType = 'application/json'): StoredBody => ({
  total: bytes,
  kept: bytes,
  missing: null,
  hash: 'hash',
  mediaType,
})

/** One exchange with the headers that every request has. */
export const createExchangeDetail = (
  changed: Partial<Omit<ExchangeDetail, 'row'>> & { readonly row?: Partial<ExchangeRow> } = {},
): ExchangeDetail => {
  const { row, ...rest } = changed
  return {
    row: createExchangeRow(row),
    requestHeaders: [
      ['Host', '127.0.0.1:42340'],
      ['Authorization', 'Bearer [redacted]'],
      ['Accept', 'application/json'],
    ],
    responseHeaders: [['Content-Type', 'application/json']],
    error: null,
    request: emptyBody,
    response: createCompleteBody(100),
    attempts: [1],
    before: null,
    names: [],
    masked: 1,
    ...rest,
  }
}
