import { expect, test } from 'vitest'
import type { RecordedExchange } from '../../../shared/recordings/recording.ts'
import { createReplay } from '../../../electron/core/recordings/replay/replay.ts'
import { buildReplayTimeline } from '../../../electron/core/recordings/replay/replay-timeline.ts'
import { createExchange } from './recorded-lines.ts'

const json = { mediaType: 'application/json', bytes: new TextEncoder().encode('{}') }
const read = (seq: number, host: string, path: string): RecordedExchange =>
  createExchange(seq, { row: { path, host: `${host}/bridge/v1` }, response: json, responseBody: 'a' })

const [HOST, OTHER] = ['http://127.0.0.1:1', 'http://127.0.0.1:2']
const exchanges = [read(1, HOST, '/status'), read(2, HOST, '/decks'), read(3, OTHER, '/decks'), read(4, HOST, '/guide')]

test.each([
  ['the host that the manifest names', `${OTHER}/bridge/v1`, [null, 3]],
  ['the host with most exchanges', null, [1, 2]],
])('of several hosts only one is served: %s', async (_, baseUrl, seqs) => {
  const manifest = { host: { baseUrl, name: null, version: null } }
  const source = { manifest, readExchanges: () => exchanges, readBody: () => Promise.resolve(new Uint8Array()) }
  const timeline = await buildReplayTimeline(source)
  for (const from of ['start', 'end'] as const) {
    const replay = createReplay(timeline, { from })
    const served = ['/status', '/decks'].map((path) => {
      const response = replay.respond({ method: 'GET', path, headers: [], bodyText: null })
      return response.kind === 'recorded' ? response.exchange.row.seq : null
    })
    expect(served).toEqual(seqs)
  }
})

test('a request whose body is nested as deep as nobody reads is served as it is spelled', async () => {
  const bodyText = '['.repeat(50_000) + ']'.repeat(50_000)
  const bytes = new TextEncoder().encode(bodyText)
  const exchange = createExchange(1, {
    row: { method: 'POST', path: '/search' },
    request: { mediaType: 'application/json', bytes },
    requestBody: 'q',
    response: json,
    responseBody: 'a',
  })
  const timeline = await buildReplayTimeline({
    readExchanges: () => [exchange],
    readBody: () => Promise.resolve(bytes),
  })
  const request = { method: 'POST', path: '/search', headers: [] }
  expect(createReplay(timeline).respond({ ...request, bodyText }).kind).toBe('recorded')
  expect(createReplay(timeline).respond({ ...request, bodyText: `[${bodyText}]` }).kind).toBe('not-recorded')
})
