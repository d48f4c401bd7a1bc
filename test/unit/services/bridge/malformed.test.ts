import fc from 'fast-check'
import { gzipSync, brotliCompressSync, deflateRawSync, deflateSync } from 'node:zlib'
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

async function requestOnce(behaviour: does.Behaviour, row = getSmallRead()): Promise<AppError> {
  host.setBehaviour(behaviour)
  const params = row.id === 'notes.content' ? { noteid: 'N', contentId: 'C' } : {}
  return expectAppError(client.request(createTarget(host.baseUrl), { endpoint: row, params, attempts: 1 }))
}

const page = JSON.stringify({ nodes: Array.from({ length: 50 }, (_, n) => ({ noteid: `N${n}` })), nextCursor: null })

describe('response that is not JSON', () => {
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
  ])('safety 33: is malformed, with its first bytes: %s', async (_, behaviour, status, message) => {
    const failure = await requestOnce(behaviour)
    expect(failure.wire).toMatchObject({ kind: 'malformed', code: 'NOT_JSON', status })
    expect(failure.message).toMatch(message)
  })

  test('safety 33: shows only the first bytes of a long body, and only printable ones', async () => {
    const failure = await requestOnce(does.respond(`\u001b[31m${'x'.repeat(5000)}`, { type: 'text/plain' }))
    expect(String(failure.wire.params?.begins).length).toBeLessThanOrEqual(200)
    expect(failure.message).toMatch(/^[\x20-\x7e…]+$/)
  })

  test('safety 33: may begin with a byte order mark, which stays in the bytes', async () => {
    host.setBehaviour(does.respond('\ufeff{"a":1}'))
    const { bytes } = await client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() })
    expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf])
    const { value } = await client.requestJson(createTarget(host.baseUrl), { endpoint: getSmallRead() })
    expect(value).toEqual({ a: 1 })
  })

  test('safety 33: ends as an AppError or as the same bytes, whatever the bytes are', async () => {
    const body = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
      fc.json({ maxDepth: 2 }).map((text) => Buffer.from(text)),
      fc.tuple(fc.nat(page.length), fc.nat(255)).map(([index, byte]) => {
        const mutated = Buffer.from(page)
        mutated[index] = byte
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

  test('safety 37: arrives as sent with invalid UTF-8, which is flagged', async () => {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xc3, 0x28]), Buffer.from('","n":1e400}')])
    host.setBehaviour(does.respond(body))
    const { bytes } = await client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() })
    expect(Buffer.from(bytes).equals(body)).toBe(true)
    expect(inspectJson(bytes).findings).toContainEqual({ kind: 'invalid-utf8', offset: 6 })
  })

  test('safety 37: is refused if it is too deep, as a value and as an error', async () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    host.setBehaviour(does.respond(deep))
    const failure = await expectAppError(client.requestJson(createTarget(host.baseUrl), { endpoint: getSmallRead() }))
    expect(failure.wire).toMatchObject({ kind: 'malformed', code: 'TOO_DEEP' })
    expect((await requestOnce(does.respond(`{"error":${deep}}`, { status: 500 }))).code).toBe('TOO_DEEP')
  })
})

describe('truncated response', () => {
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
  ])('safety 36: is an error: %s', async (_, behaviour) => {
    const failure = await requestOnce(behaviour)
    expect(failure.wire).toMatchObject({ kind: 'malformed', code: 'TRUNCATED' })
    expect(exchanges.at(-1)?.error).toEqual({ kind: 'malformed', code: 'TRUNCATED' })
  })

  test.each([
    ['a bad status line', does.respondRaw('SSH-2.0-OpenSSH_9.2\r\n'), 'NOT_HTTP'],
    ['a status that is no number', does.respondRaw('HTTP/1.1 OK 200\r\n\r\n'), 'NOT_HTTP'],
    ['bytes', does.respondRaw(Buffer.from([0, 255, 17])), 'NOT_HTTP'],
    ['interim responses without end', does.floodInterimResponses(), 'NOT_HTTP'],
    [
      'a header without end',
      does.respondRaw(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`),
      'HEADERS_TOO_LARGE',
    ],
    ['two lengths', does.respondRaw('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'), 'NOT_HTTP'],
    ['an unknown encoding', does.respond('{}', { headers: { 'Content-Encoding': 'lzma' } }), 'ENCODING_UNKNOWN'],
    ['gzip that is none', does.respond('{"a":1}', { headers: { 'Content-Encoding': 'gzip' } }), 'ENCODING_BROKEN'],
    ['brotli that is none', does.respond('{"a":1}', { headers: { 'Content-Encoding': 'br' } }), 'ENCODING_BROKEN'],
  ])('safety 36: is a typed error: %s', async (_, behaviour, code) => {
    expect((await requestOnce(behaviour)).wire).toMatchObject({ kind: 'malformed', code })
  })

  test.each([
    ['a reset before the head', does.resetConnection()],
    ['an orderly end before the head', does.respondRaw('')],
    ['a switch of protocol', does.respondRaw('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n')],
  ])('safety 36: is reported as a closed connection: %s', async (_, behaviour) => {
    expect((await requestOnce(behaviour)).wire).toMatchObject({ kind: 'offline', code: 'CONNECTION_RESET' })
  })

  test('is decoded from every valid encoding', async () => {
    const encoded = {
      gzip: gzipSync(page),
      'X-GZIP': gzipSync(page),
      br: brotliCompressSync(page),
      deflate: deflateSync(page),
      Deflate: deflateRawSync(page),
      'gzip, br': brotliCompressSync(gzipSync(page)),
      'deflate,identity, gzip': gzipSync(deflateRawSync(page)),
    }
    const withRest = Buffer.concat([gzipSync(page), Buffer.from('bytes after the end')])
    for (const [name, bytes] of [...Object.entries(encoded), ['gzip', withRest] as const]) {
      host.setBehaviour(does.respond(bytes, { headers: { 'Content-Encoding': name } }))
      const got = await client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() })
      expect(Buffer.from(got.bytes).toString()).toBe(page)
    }
  })

  test('leaves no connection behind', async () => {
    host.setBehaviour(does.stallBody('{', 100))
    const request = { endpoint: getSmallRead(), attempts: 1, limits: { idleTimeoutMs: 100 } }
    expect((await expectAppError(client.request(createTarget(host.baseUrl), request))).kind).toBe('timeout')
    await expect.poll(() => host.countConnections().open).toBe(0)
  })
})

describe('error from the host', () => {
  const details = { dryRun: [1, { deep: 'value' }] }

  test.each([200, 202, 403, 409, 500])('is a failure with all its members at status %i', async (status) => {
    const error = { code: 'some-code_1', message: '拒绝 “x”', retryable: false, details, retryAfterSeconds: 2.5 }
    expect((await requestOnce(does.respondHostError(status, error))).wire).toMatchObject({
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

  test('is retried after the delay in its details', async () => {
    const error = { code: 'PREPARE_BUSY', message: 'busy', details: { runningJob: 'J', retryAfterSeconds: 15 } }
    expect((await requestOnce(does.respondHostError(429, error))).wire).toMatchObject({ retryAfterSeconds: 15 })
    const errorWithBoth = { ...error, retryAfterSeconds: 3 }
    expect((await requestOnce(does.respondHostError(429, errorWithBoth))).wire).toMatchObject({ retryAfterSeconds: 3 })
  })

  test('is retried after the Retry-After header if it has no delay', async () => {
    const failure = await requestOnce(
      does.respondHostError(429, { code: 'SCAN_BUSY', message: 'busy' }, { 'Retry-After': '7' }),
    )
    expect(failure.wire).toMatchObject({ retryable: true, retryAfterSeconds: 7 })
  })

  test.each([['text'], [17], [true], [[]], [{}], [{ code: 7, message: ['x'] }]])(
    'is recognized in another shape: %j',
    async (error) => {
      const failure = await requestOnce(does.respondHostError(200, error))
      expect(failure.kind).toBe('host')
      expect(failure.message).toContain(JSON.stringify(error))
    },
  )

  test('is recognized if its name is written with escapes', async () => {
    const failure = await requestOnce(does.respond('{"a":[{"error":1}],"\\u0065rror":{"code":"X","message":"m"}}'))
    expect(failure.wire).toMatchObject({ kind: 'host', code: 'X' })
  })

  test.each([['{"error":null,"settled":true}'], ['{"items":[{"error":"x"}],"e":"error"}'], ['["error",{"error":1}]']])(
    'is not found in a similar value: %s',
    async (text) => {
      host.setBehaviour(does.respond(text))
      await expect(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() })).resolves.toBeTruthy()
    },
  )

  test('is recognized where bytes are promised, unlike a JSON file', async () => {
    const row = getEndpoint('notes.content')
    const failure = await requestOnce(does.respondHostError(404, { code: 'NOT_FOUND', message: 'no' }), row)
    expect(failure.wire).toMatchObject({ kind: 'host', code: 'NOT_FOUND' })
    host.setBehaviour(does.respondJson({ error: 'a field of the file' }))
    const params = { noteid: 'N', contentId: 'C' }
    await expect(client.request(createTarget(host.baseUrl), { endpoint: row, params })).resolves.toBeTruthy()
  })

  test('is reported as a bare status if it has no error member', async () => {
    expect((await requestOnce(does.respondJson({}, { status: 404 }))).wire).toMatchObject({
      kind: 'http',
      code: 'HTTP_STATUS',
    })
    expect((await requestOnce(does.respond('', { status: 503 }))).wire).toMatchObject({ kind: 'http', retryable: true })
    const plain = await requestOnce(
      does.respond('no such card', { status: 404, type: 'text/plain' }),
      getEndpoint('notes.content'),
    )
    expect(plain.wire).toMatchObject({ kind: 'http', code: 'HTTP_STATUS', params: { begins: 'no such card' } })
  })
})
