import fc from 'fast-check'
import { gzipSync, brotliCompressSync, deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getEndpoint } from '../../../../shared/bridge/endpoints/index.ts'
import { AppError } from '../../../../shared/errors.ts'
import { inspectJson } from '../../../../shared/json/inspection.ts'
import * as does from '../../../support/hosts/behaviours.ts'
import { getSmallRead, expectAppError, createTarget, createTestClient } from '../../../support/services/test-client.ts'
import { startMisbehavingHost, type MisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'

const { client, exchanges } = createTestClient()
let host: MisbehavingHost

beforeAll(async () => {
  host = await startMisbehavingHost(does.respondJson({}))
})
afterAll(() => host.close())

async function once(behaviour: does.Behaviour, row = getSmallRead()): Promise<AppError> {
  host.setBehaviour(behaviour)
  const params = row.id === 'notes.content' ? { noteid: 'N', contentId: 'C' } : {}
  return expectAppError(client.request(createTarget(host.baseUrl), { endpoint: row, params, attempts: 1 }))
}

const page = JSON.stringify({ nodes: Array.from({ length: 50 }, (_, n) => ({ noteid: `N${n}` })), nextCursor: null })

describe('anything but JSON', () => {
  test.each([
    ['HTML with status 500', does.respondHtml500(), 500, /text\/html.*begins: <!doctype html>/],
    ['HTML with status 200', does.respond('<html></html>', { type: 'text/html' }), 200, /begins: <html>/],
    ['JSON called text/html', does.respond('{}', { type: 'text/html; charset=utf-8' }), 200, /text\/html/],
    ['an empty body', does.respond(''), 200, /is empty/],
    ['a word', does.respond('OK'), 200, /begins: OK/],
    ['a bare string', does.respond('"{}"'), 200, /begins: "\{\}"/],
    ['UTF-16', does.respond(Buffer.from('\ufeff{"a":1}', 'utf16le')), 200, /begins: \.\.\{\./],
    ['binary', does.respond(Buffer.from([0, 1, 2, 200, 255])), 200, /begins: \.{5}/],
    ['JSON with something after it', does.respond('{"a":1}}x'), 200, /begins: \{"a":1\}\}x/],
  ])('safety 33: %s is malformed, with its first bytes', async (_, behaviour, status, message) => {
    const failure = await once(behaviour)
    expect(failure.wire).toMatchObject({ kind: 'malformed', code: 'NOT_JSON', status })
    expect(failure.message).toMatch(message)
  })

  test('safety 33: only the first bytes of a long body are shown, and only printable ones', async () => {
    const failure = await once(does.respond(`\u001b[31m${'x'.repeat(5000)}`, { type: 'text/plain' }))
    expect(String(failure.wire.params?.begins).length).toBeLessThanOrEqual(200)
    expect(failure.message).toMatch(/^[\x20-\x7e…]+$/)
  })

  test('safety 33: a byte order mark is no obstacle and stays in the bytes', async () => {
    host.setBehaviour(does.respond('\ufeff{"a":1}'))
    const { bytes } = await client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() })
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    const { value } = await client.requestJson(createTarget(host.baseUrl), { endpoint: getSmallRead() })
    expect(value).toEqual({ a: 1 })
  })

  test('safety 33: whatever the bytes, the outcome is an AppError or the same bytes', async () => {
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
      fc.json({ maxDepth: 2 }).map((text) => Buffer.from(text)),
      fc.tuple(fc.nat(page.length), fc.nat(255)).map(([at, byte]) => {
        const mutated = Buffer.from(page)
        mutated[at] = byte
        return mutated
      }),
    )
    const type = fc.constantFrom('application/json', 'text/html', 'text/plain', null)
    const status = fc.constantFrom(200, 201, 202, 400, 404, 500)
    await fc.assert(
      fc.asyncProperty(body, type, status, async (bytes, contentType, code) => {
        host.setBehaviour(does.respond(bytes, { type: contentType, status: code }))
        const outcome: unknown = await client
          .request(createTarget(host.baseUrl), { endpoint: getSmallRead(), attempts: 1 })
          .then(
            (got) => Buffer.from(got.bytes),
            (error: unknown) => error,
          )
        if (code >= 300) expect(outcome).toBeInstanceOf(AppError)
        if (outcome instanceof AppError)
          expect(outcome.kind).toMatch(code < 300 ? /^malformed$/ : /^(host|http|malformed)$/)
        else expect(outcome).toEqual(Buffer.from(bytes))
      }),
      { numRuns: 250 },
    )
  })

  test('safety 37: invalid UTF-8 arrives as sent and is flagged', async () => {
    const sent = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from('","n":1e400}')])
    host.setBehaviour(does.respond(sent))
    const { bytes } = await client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() })
    expect(Buffer.from(bytes).equals(sent)).toBe(true)
    expect(inspectJson(bytes).findings).toContainEqual({ kind: 'invalid-utf8', offset: 6 })
  })

  test('safety 37: an unmanageable depth is refused, as an answer and as an error', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    host.setBehaviour(does.respond(deep))
    const failure = await expectAppError(client.requestJson(createTarget(host.baseUrl), { endpoint: getSmallRead() }))
    expect(failure.wire).toMatchObject({ kind: 'malformed', code: 'TOO_DEEP' })
    expect((await once(does.respond(`{"error":${deep}}`, { status: 500 }))).code).toBe('TOO_DEEP')
  })
})

describe('truncated answers', () => {
  test.each([
    ['less than Content-Length says', does.respondTruncated(page, 300)],
    ['chunks without the last one', does.respondAbortedChunk(page.slice(0, 300))],
    ['a reset in the body', does.resetConnection(`HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n${page}`)],
    ['no length, and the JSON ends in the middle', does.respond(page.slice(0, 300), { length: null })],
    ['Content-Length shorter than the JSON', does.respond(page, { length: 300 })],
    [
      'half of a gzip stream',
      does.respond(gzipSync(page).subarray(0, 40), { headers: { 'Content-Encoding': 'gzip' } }),
    ],
    [
      'half of a brotli stream',
      does.respond(brotliCompressSync(page).subarray(0, 40), { headers: { 'Content-Encoding': 'br' } }),
    ],
    [
      'a chunk size that is none',
      does.respondRaw(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\nzz\r\n`),
    ],
  ])('safety 36: %s is an error, never a success', async (_, behaviour) => {
    const failure = await once(behaviour)
    expect(failure.wire).toMatchObject({ kind: 'malformed', code: 'TRUNCATED' })
    expect(exchanges.at(-1)?.error).toEqual({ kind: 'malformed', code: 'TRUNCATED' })
  })

  test.each([
    ['a bad status line', does.respondRaw('SSH-2.0-OpenSSH_9.2\r\n'), 'NOT_HTTP'],
    ['a status that is no number', does.respondRaw('HTTP/1.1 OK 200\r\n\r\n'), 'NOT_HTTP'],
    ['bytes', does.respondRaw(Buffer.from([0, 255, 17])), 'NOT_HTTP'],
    ['interim answers without end', does.floodInterimResponses(), 'NOT_HTTP'],
    [
      'a header without end',
      does.respondRaw(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`),
      'HEADERS_TOO_LARGE',
    ],
    ['two lengths', does.respondRaw('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'), 'NOT_HTTP'],
    ['an unknown encoding', does.respond('{}', { headers: { 'Content-Encoding': 'zstd' } }), 'ENCODING_UNKNOWN'],
    ['gzip that is none', does.respond('{"a":1}', { headers: { 'Content-Encoding': 'gzip' } }), 'ENCODING_BROKEN'],
    ['brotli that is none', does.respond('{"a":1}', { headers: { 'Content-Encoding': 'br' } }), 'ENCODING_BROKEN'],
  ])('safety 36: %s is a typed error', async (_, behaviour, code) => {
    expect((await once(behaviour)).wire).toMatchObject({ kind: 'malformed', code })
  })

  test.each([
    ['a reset before the head', does.resetConnection()],
    ['an orderly end before the head', does.respondRaw('')],
    ['a switch of protocol', does.respondRaw('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')],
  ])('safety 36: %s is reported as a closed connection', async (_, behaviour) => {
    expect((await once(behaviour)).wire).toMatchObject({ kind: 'offline', code: 'CONNECTION_RESET' })
  })

  test('valid encodings are decoded', async () => {
    const encoded = { gzip: gzipSync(page), br: brotliCompressSync(page), deflate: deflateSync(page) }
    for (const [name, bytes] of Object.entries(encoded)) {
      host.setBehaviour(does.respond(bytes, { headers: { 'Content-Encoding': name } }))
      const got = await client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() })
      expect(Buffer.from(got.bytes).toString()).toBe(page)
    }
  })

  test('a failure leaves no connection behind', async () => {
    host.setBehaviour(does.stallBody('{', 100))
    const asked = { endpoint: getSmallRead(), attempts: 1, limits: { idleTimeoutMs: 100 } }
    expect((await expectAppError(client.request(createTarget(host.baseUrl), asked))).kind).toBe('timeout')
    await expect.poll(() => host.countConnections().open).toBe(0)
  })
})

describe('errors from the host', () => {
  const details = { dryRun: [1, { deep: 'value' }] }

  test.each([200, 202, 403, 409, 500])('an error member is a failure with status %i, untouched', async (status) => {
    const error = { code: 'some-code_1', message: '拒绝 “x”', retryable: false, details, retryAfterSeconds: 2.5 }
    expect((await once(does.respondHostError(status, error))).wire).toMatchObject({
      kind: 'host',
      status,
      code: 'some-code_1',
      message: '拒绝 “x”',
      retryable: false,
      details,
      retryAfterSeconds: 2.5,
      exchangeId: exchanges.at(-1)?.id,
    })
  })

  test('the wait in an error’s details is honoured', async () => {
    const error = { code: 'PREPARE_BUSY', message: 'busy', details: { runningJob: 'J', retryAfterSeconds: 15 } }
    expect((await once(does.respondHostError(429, error))).wire).toMatchObject({ retryAfterSeconds: 15 })
    const both = { ...error, retryAfterSeconds: 3 }
    expect((await once(does.respondHostError(429, both))).wire).toMatchObject({ retryAfterSeconds: 3 })
  })

  test('the Retry-After header counts if the error gives no wait', async () => {
    const failure = await once(
      does.respondHostError(429, { code: 'SCAN_BUSY', message: 'busy' }, { 'Retry-After': '7' }),
    )
    expect(failure.wire).toMatchObject({ retryable: true, retryAfterSeconds: 7 })
  })

  test.each([['text'], [17], [true], [[]], [{}], [{ code: 7, message: ['x'] }]])(
    'an error of another shape is still one: %j',
    async (error) => {
      const failure = await once(does.respondHostError(200, error))
      expect(failure.kind).toBe('host')
      expect(failure.message).toContain(JSON.stringify(error))
    },
  )

  test('an error written with escapes is one as well', async () => {
    const failure = await once(does.respond('{"a":[{"error":1}],"\\u0065rror":{"code":"X","message":"m"}}'))
    expect(failure.wire).toMatchObject({ kind: 'host', code: 'X' })
  })

  test.each([['{"error":null,"settled":true}'], ['{"items":[{"error":"x"}],"e":"error"}'], ['["error",{"error":1}]']])(
    'what only looks like an error is a success: %s',
    async (text) => {
      host.setBehaviour(does.respond(text))
      await expect(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() })).resolves.toBeTruthy()
    },
  )

  test('where bytes are promised, a JSON error is a failure and a JSON file is not', async () => {
    const row = getEndpoint('notes.content')
    const failure = await once(does.respondHostError(404, { code: 'NOT_FOUND', message: 'no' }), row)
    expect(failure.wire).toMatchObject({ kind: 'host', code: 'NOT_FOUND' })
    host.setBehaviour(does.respondJson({ error: 'a field of the file' }))
    const params = { noteid: 'N', contentId: 'C' }
    await expect(client.request(createTarget(host.baseUrl), { endpoint: row, params })).resolves.toBeTruthy()
  })

  test('a status without an error is reported as such', async () => {
    expect((await once(does.respondJson({}, { status: 404 }))).wire).toMatchObject({
      kind: 'http',
      code: 'HTTP_STATUS',
    })
    expect((await once(does.respond('', { status: 503 }))).wire).toMatchObject({ kind: 'http', retryable: true })
    const plain = await once(
      does.respond('no such card', { status: 404, type: 'text/plain' }),
      getEndpoint('notes.content'),
    )
    expect(plain.wire).toMatchObject({ kind: 'http', code: 'HTTP_STATUS', params: { begins: 'no such card' } })
  })
})
