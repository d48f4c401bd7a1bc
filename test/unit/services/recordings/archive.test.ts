import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import draft6 from 'ajv/dist/refs/json-schema-draft-06.json' with { type: 'json' }
import { describe, expect, it, test } from 'vitest'
import { looksLikeArchive, openArchive } from '../../../../electron/recording-file/archive-reader.ts'
import { exportArchive } from '../../../../electron/recording-file/archive-writer.ts'
import { openRecording } from '../../../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../../../electron/recording-file/recording-writer.ts'
import { importArchive } from '../../../../electron/services/recordings/archive/archive-import.ts'
import { parseArchiveEntry } from '../../../../electron/services/recordings/archive/archived-exchange.ts'
import { recordedExchangeSchema, type RecordedExchange } from '../../../../shared/recordings/recording.ts'
import type { SnapshotInfo } from '../../../../shared/snapshots/snapshot.ts'
import { collect } from '../../../support/data/collect.ts'
import { createRecordedExchange, createRecordingSource } from '../../../support/data/recordings.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'

/** The package has no types. */
const harSchemas = createRequire(import.meta.url)('har-schema') as Record<string, object>

const options = { title: 'From a browser', program: { name: 'Bridge Inspector', version: '1.0.0' }, tokens: [] }
const BASE = 'http://other.host:8080/bridge/v1'
const minimal = {
  startedDateTime: '2023-11-14T22:13:20.000Z',
  time: 12.5,
  request: { method: 'GET', url: `${BASE}/status?a=1#x`, headers: [{ name: ':authority', value: 'a' }] },
  response: { status: 200, content: { size: 5, mimeType: 'text/plain', text: 'aGVsbG8=', encoding: 'base64' } },
}

function writeArchive(text: string): string {
  const file = path.join(createTempDir(), 'a.har')
  writeFileSync(file, text)
  return file
}
const formatLog = (entries: readonly unknown[]): string => JSON.stringify({ log: { version: '1.2', entries } })

async function importEntries(entries: readonly unknown[]) {
  const file = writeArchive(formatLog(entries))
  const target = `${file}.birec`
  await importArchive(file, target, options)
  const recording = await openRecording(target)
  try {
    const exchanges = await collect(recording.readExchanges())
    const bodies: (string | null)[] = []
    for (const { responseBody } of exchanges)
      bodies.push(responseBody === null ? null : Buffer.from(await recording.readBody(responseBody)).toString())
    return { exchanges, bodies, manifest: recording.manifest }
  } finally {
    await recording.close()
  }
}

const request = { method: 'GET', url: `${BASE}/status`, headers: [] }
const reply = (content: object, more: object = {}) => ({ ...minimal, response: { status: 200, content, ...more } })

describe('what programs write otherwise', () => {
  it.each([
    // Of Firefox, of Charles, and of older proxies.
    ['untrue base64', { size: 8, text: '{"a":12}', encoding: 'base64' }, '{"a":12}', ['untrue-encoding']],
    ['text that could be base64', { size: 4, text: 'true', encoding: 'base64' }, 'true', ['untrue-encoding']],
    ['base64 in lines', { size: 5, text: 'aGVs\r\nbG8=', encoding: 'BASE64' }, 'hello', []],
    ['base64 of unknown size', { size: -1, text: 'aGVsbG8=', encoding: 'base64' }, 'hello', []],
    ['base64 without its name', { size: 5, text: 'aGVsbG8=' }, 'hello', ['untrue-encoding']],
    ['text of another size', { size: 99, text: 'hello' }, 'hello', []],
    ['text in another charset', { size: 5, text: 'h\u00e9llo' }, 'h\u00e9llo', []],
  ])('a body: %s', async (_name, content, body, reasons) => {
    const { bodies, manifest } = await importEntries([reply(content)])
    expect(bodies).toEqual([body])
    const problems = manifest.leftOut.filter(({ what }) => what.startsWith('log.'))
    expect(problems).toEqual(reasons.map((why) => ({ what: 'log.entries[0].response.content', count: 0, why })))
  })

  it('a text that the archive transcoded to UTF-8 is called that', async () => {
    const headers = [{ name: 'content-type', value: 'text/plain; charset=gb18030' }]
    const mimeType = 'text/plain; charset=gb18030'
    const contents = [
      { size: 4, mimeType, text: '中文' },
      { size: 4, mimeType, text: '1tDOxA==', encoding: 'base64' },
      { size: 1, mimeType, text: 'a' },
      { size: 2, mimeType: 'text/plain; charset="utf-16le"', text: 'a' },
      { size: 22, mimeType: 'text/html', text: '<meta charset=gbk>中文' },
    ]
    const { exchanges, manifest } = await importEntries(contents.map((content) => reply(content, { headers })))
    const utf8 = 'text/plain; charset=utf-8'
    expect(exchanges.map(({ response, responseHeaders }) => [response.mediaType, responseHeaders[0]?.[1]])).toEqual([
      [utf8, utf8],
      [mimeType, mimeType],
      [mimeType, mimeType],
      [utf8, utf8],
      ['text/html; charset=utf-8', 'text/html; charset=utf-8'],
    ])
    expect(manifest.leftOut.filter(({ what }) => what.startsWith('log.'))).toEqual(
      [0, 3, 4].map((index) => ({ what: `log.entries[${index}].response.content`, count: 0, why: 'untrue-encoding' })),
    )
  })

  it.each([
    ['no text, no size', { content: { mimeType: 'image/png' } }, { missing: 'media', total: null }],
    ['size of -1', { content: { size: -1, mimeType: 'image/png' } }, { missing: 'media', total: null }],
    ['no content', {}, { missing: 'media', total: null }],
    [
      'the size in a header',
      { content: { size: 0 }, headers: [{ name: 'Content-Length', value: '12' }] },
      { missing: 'media', total: 12 },
    ],
    ['an empty body', { content: { size: 0, mimeType: 'text/plain' } }, { missing: null, total: 0 }],
    ['204', { status: 204, content: { size: -1 } }, { missing: null, total: 0 }],
    ['a failure (Chrome)', { status: 0, content: { size: 0 }, _error: 'net::ERR_FAILED' }, { missing: null, total: 0 }],
  ])('a response with %s is not called empty unless it is', async (_name, response, info) => {
    const { exchanges } = await importEntries([{ ...minimal, response: { status: 200, ...response } }])
    expect(exchanges[0]?.response).toMatchObject(info)
  })

  it('a failed request has no status; a status may be a text', async () => {
    const failed = { ...minimal, response: { status: 0, _error: 'net::ERR_ABORTED', content: { size: 0 } } }
    const text = { ...minimal, response: { status: '404', content: { size: '0' } } }
    const { exchanges } = await importEntries([failed, text, { ...minimal, response: undefined }])
    expect(exchanges.map(({ row }) => [row.state, row.status, row.errorCode])).toEqual([
      ['failed', null, 'net::ERR_ABORTED'],
      ['answered', 404, null],
      ['failed', null, null],
    ])
  })

  it('a form beside its text, an empty time and a version that is none', async () => {
    const postData = { mimeType: 'text/plain', text: 'a=1&b', params: [{ name: 'a', value: '1' }] }
    const garbled = { ...request, method: 'POST', httpVersion: 'HTTP/Q}T3X\f', postData }
    const { exchanges, manifest } = await importEntries([
      { ...minimal, request: garbled },
      { ...minimal, startedDateTime: {} },
    ])
    expect(exchanges.map(({ row, request: { kept } }) => [row.method, kept])).toEqual([['POST', 5]])
    expect(manifest.leftOut).toContainEqual({ what: 'log.entries[1]', count: 0, why: 'no-time' })
  })

  it('times with and without a zone are the same everywhere, and the year 1 is none', async () => {
    const times = [
      '2023-11-14T23:13:20.0000000+01:00',
      '2023-11-15T03:43:20+0530',
      '2023-11-14T22:13:20',
      '0001-01-01T00:00:00.0000000Z',
    ]
    const { exchanges, manifest } = await importEntries(
      times.map((startedDateTime) => ({ ...minimal, startedDateTime })),
    )
    expect(exchanges.map(({ row }) => row.startedAt)).toEqual([1_700_000_000_000, 1_700_000_000_000, 1_700_000_000_000])
    expect(manifest.leftOut).toContainEqual({ what: 'log.entries[3]', count: 0, why: 'no-time' })
  })

  it('WebSocket messages, files of a form and unknown members are no part of it, and the rest is there', async () => {
    const form = { mimeType: 'multipart/form-data; boundary=x', params: [{ name: 'file', fileName: 'a.png' }] }
    const { exchanges, manifest } = await importEntries([
      { ...minimal, _resourceType: 'websocket', _webSocketMessages: [{ type: 'send', time: 1, opcode: 1, data: 'x' }] },
      { ...minimal, comment: 'mine', request: { ...request, method: 'POST', bodySize: 120, postData: form } },
      { ...minimal, request: { ...request, method: 'POST', postData: { encoding: 'base64', text: 'aGVsbG8=' } } },
    ])
    expect(exchanges.map(({ request }) => [request.missing, request.total])).toEqual([
      [null, 0],
      ['media', 120],
      [null, 5],
    ])
    expect(manifest.leftOut.filter(({ what }) => what.startsWith('log.'))).toEqual([
      { what: 'log.entries[0]._webSocketMessages', count: 0, why: 'not-http' },
      { what: 'log.entries[1].request.postData', count: 0, why: 'not-in-archive' },
    ])
  })

  it.each(['utf-16le', 'utf-16be', 'utf-8'])('a file in %s with a byte order mark', async (encoding) => {
    const text = `\ufeff${formatLog([reply({ size: 7, text: 'caf\u00e9 \u6d77' })])}`
    const bytes = Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'utf16le')
    const file = path.join(createTempDir(), 'a.har')
    writeFileSync(file, encoding === 'utf-16be' ? bytes.swap16() : bytes)
    expect(await looksLikeArchive(file)).toBe(true)
    const archive = await openArchive(file)
    expect(await archive.readEntry(0)).toMatchObject({ response: { content: { text: 'caf\u00e9 \u6d77' } } })
    await archive.close()
  })

  it('an entry that is no JSON is left out, and the others are imported', async () => {
    const file = writeArchive(`{"log":{"entries":[{"a":1,},${JSON.stringify(minimal)}]}}`)
    await importArchive(file, `${file}.birec`, options)
    const recording = await openRecording(`${file}.birec`)
    const exchanges = await collect(recording.readExchanges())
    await recording.close()
    expect(exchanges.length).toBe(1)
    expect(recording.manifest.leftOut).toContainEqual({ what: 'log.entries[0]', count: 0, why: 'not-json' })
  })
})

describe('an HTTP archive', () => {
  it('becomes a recording in the order of its times, of whatever address', async () => {
    const earlier = { ...minimal, startedDateTime: '2023-11-14T22:13:19.000Z' }
    const text = { ...minimal, response: { status: 404, content: { text: '{"error":{"code":"NOT_HERE"}}' } } }
    const { exchanges, bodies, manifest } = await importEntries([minimal, earlier, text])
    expect(exchanges.map(({ row }) => [row.seq, row.startedAt - 1_700_000_000_000, row.status, row.errorCode])).toEqual(
      [
        [1, -1_000, 200, null],
        [2, 0, 200, null],
        [3, 0, 404, 'NOT_HERE'],
      ],
    )
    expect(exchanges[0]).toMatchObject({
      row: { path: '/status?a=1', host: BASE, endpoint: 'status.get', durationMs: 12.5, mediaType: 'text/plain' },
      requestHeaders: [],
    })
    expect(bodies.slice(0, 2)).toEqual(['hello', 'hello'])
    expect(manifest).toMatchObject({ host: { baseUrl: BASE }, selection: { kind: 'archive' }, redaction: null })
    expect(manifest.leftOut).toContainEqual({ what: 'findings', count: 0, why: 'not-in-archive' })
  })

  it('says which entries are no exchanges, and which bodies it lacks', async () => {
    const socket = { ...minimal, request: { ...minimal.request, url: 'ws://other.host/' } }
    const bodiless = { ...minimal, response: { status: 200, content: { size: 9, mimeType: 'image/png' } } }
    const { exchanges, manifest } = await importEntries([socket, {}, { ...minimal, startedDateTime: 'soon' }, bodiless])
    expect(exchanges).toMatchObject([{ response: { missing: 'media', total: 9, kept: 0 }, responseBody: null }])
    expect(manifest.leftOut.slice(0, 5)).toEqual([
      { what: 'entries', count: 3, why: 'not-in-archive' },
      { what: 'bodies', count: 1, why: 'not-in-archive' },
      { what: 'log.entries[0]', count: 0, why: 'not-http' },
      { what: 'log.entries[1]', count: 0, why: 'no-time' },
      { what: 'log.entries[2]', count: 0, why: 'no-time' },
    ])
  })

  it('leaves no token in the recording', async () => {
    const token = `mnb0.${'k'.repeat(40)}`
    const headers = [
      { name: 'Authorization', value: `Bearer ${token}` },
      { name: 'Cookie', value: 'session=secret-value' },
    ]
    const { exchanges } = await importEntries([{ ...minimal, request: { ...minimal.request, headers } }])
    expect(JSON.stringify(exchanges)).not.toMatch(/kkkk|secret-value/)
  })

  it.each([
    ['RECORDING_TRUNCATED', formatLog([minimal]).slice(0, -20)],
    ['RECORDING_NOT_A_RECORDING', '{"log":{}}'],
    ['RECORDING_NOT_A_RECORDING', '{"entries":[{}]}'],
    ['RECORDING_ENTRY_INVALID', '{"log":{"entries":[{"a":1,}]}}'],
  ])('is refused as a whole with %s', async (code, text) => {
    const file = writeArchive(text)
    await expect(importArchive(file, `${file}.birec`, options)).rejects.toMatchObject({ code })
    expect(() => readFileSync(`${file}.birec`)).toThrow()
  })

  it('is read by its brackets, wherever they stand', async () => {
    const entries = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(entries, fc.jsonValue(), fc.constantFrom(0, 2), async (list, other, indent) => {
        const log = { 'other "[{': other, creator: { entries: [{}] }, entries: [1, ...list, null], pages: [other] }
        const archive = await openArchive(writeArchive(`\ufeff${JSON.stringify({ x: [other], log }, null, indent)}`))
        const values = []
        for (let index = 0; index < archive.entryCount; index += 1) values.push(await archive.readEntry(index))
        await archive.close()
        expect(values).toEqual(JSON.parse(JSON.stringify(list)))
      }),
    )
  })

  it('gives valid exchanges, whatever its members are', () => {
    const anything = fc.oneof(fc.jsonValue(), fc.constantFrom(1e300, -1, 99, '2023-11-14T22:13:20Z'))
    const pairs = fc.oneof(anything, fc.array(fc.record({ name: anything, value: anything })))
    const content = fc.record({ size: anything, mimeType: anything, text: anything, encoding: anything })
    const entry = fc.record({
      startedDateTime: fc.constant(minimal.startedDateTime),
      time: anything,
      request: fc.record({
        method: fc.constant('PUT'),
        url: fc.constant(`${BASE}/a`),
        headers: pairs,
        postData: anything,
      }),
      response: fc.oneof(anything, fc.record({ status: anything, headers: pairs, content, bodySize: anything })),
      timings: fc.oneof(anything, fc.record({ blocked: anything, wait: anything })),
      _id: anything,
    })
    fc.assert(
      fc.property(entry, (value) => {
        const archived = parseArchiveEntry(value, 1)
        if (typeof archived === 'string') return
        expect(() => recordedExchangeSchema.parse(archived.exchange)).not.toThrow()
      }),
    )
  })
})

const SNAPSHOT: SnapshotInfo = {
  ...{ id: 1, topicid: 'T', host: 'http://127.0.0.1:1', startedAt: 1, endedAt: 2, seenAt: 2, pages: 1, cards: 2 },
  ...{ origin: { kind: 'place', label: null }, isRequested: true, detailed: 0, excerpts: null, palette: null },
  ...{ hostCount: 2, gaps: [], isInTreeOrder: true, members: ['noteid'], bytes: null },
  anomalies: { duplicates: 0, orphans: 0, circles: 0 },
}

test('an exported archive is HAR 1.2, says what it does not hold, and comes back as it was', async () => {
  const file = path.join(createTempDir(), 'a.birec')
  const bodies = ['{"title":"One"}', Buffer.from([0xff, 0x00])]
  const exchanges = bodies.map((body, index) => createRecordedExchange(index + 1, body))
  const steps = [{ at: null, text: 'I opened it', exchange: null, screenshot: null }]
  const snapshots = [{ snapshot: SNAPSHOT }, ...['A', 'B'].map((noteid) => ({ noteid, parent: null }))]
  await writeRecording(file, createRecordingSource(bodies, { lines: { exchanges, steps, snapshots } }))
  const recording = await openRecording(file)
  const archived = await exportArchive(recording, `${file}.har`, '1.0.0')
  await recording.close()
  expect(archived).toEqual({ entries: 2, leftOut: { steps: 1, snapshots: 1 } })
  const har = JSON.parse(readFileSync(`${file}.har`, 'utf8')) as { log: { comment: string; entries: unknown[] } }
  const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true })
  ajv.addMetaSchema(draft6)
  for (const schema of Object.values(harSchemas)) ajv.addSchema(schema)
  expect(ajv.validate('har.json#', har), JSON.stringify(ajv.errors)).toBe(true)
  expect(har.log.comment).toBe('Not in this archive: 1 snapshots, 1 steps')
  const imported = await importEntries(har.log.entries)
  const pick = ({ row, response }: RecordedExchange) => ({
    ...{ id: row.id, path: row.path, host: row.host, status: row.status, startedAt: row.startedAt },
    ...{ durationMs: row.durationMs, endpoint: row.endpoint, response },
  })
  expect(imported.exchanges.map(pick)).toEqual(exchanges.map(pick))
  expect(imported.exchanges.map(({ responseBody }) => responseBody)).toEqual(['000001', '000002'])
})
