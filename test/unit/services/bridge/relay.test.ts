/* eslint max-lines: ["error", 720] -- one case for each way in which either side may behave */
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { createHash, randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateRawSync, gzipSync } from 'node:zlib'
import { buffer } from 'node:stream/consumers'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { createBridgeClient } from '../../../../electron/services/bridge/client/client.ts'
import { assertPathInside } from '../../../../electron/services/bridge/wire/relay-exchange.ts'
import { getEndpoint } from '../../../../shared/bridge/endpoints/index.ts'
import { expectAppError, createTarget, testLimits, TOKEN } from '../../../support/services/test-client.ts'
import {
  startHttpServer,
  createListeningRecorder,
  createRelayRequest,
  startSocketServer,
  type LoopbackServer,
} from '../../../support/services/relay.ts'

const servers: LoopbackServer[] = []
const recorder = createListeningRecorder()
const client = createBridgeClient({ recorder, limits: () => testLimits })
/** Its upload takes longer than both limits, but no pause in it is that long. */
const patientClient = createBridgeClient({
  recorder,
  limits: () => ({ ...testLimits, idleTimeoutMs: 1_000, totalTimeoutMs: 250 }),
})
const hastyClient = createBridgeClient({
  recorder,
  limits: () => ({ ...testLimits, idleTimeoutMs: 250, totalTimeoutMs: 250 }),
})

async function openHttpServer(...args: Parameters<typeof startHttpServer>): Promise<LoopbackServer> {
  const server = await startHttpServer(...args)
  servers.push(server)
  return server
}
async function openSocketServer(...args: Parameters<typeof startSocketServer>): Promise<LoopbackServer> {
  const server = await startSocketServer(...args)
  servers.push(server)
  return server
}
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
  recorder.exchanges.length = 0
})

const writeEndpoint = getEndpoint('notes.blankBands')
const waitForRecord = async () => {
  await expect.poll(() => recorder.exchanges.length).toBe(1)
  const [record] = recorder.exchanges
  if (!record) throw new Error('nothing was recorded')
  return record
}
const hashBytes = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
/** Creates a body in pieces, each of which is created when it is read. */
const createPieces = (count: number, size = 64 * 1024): Readable =>
  Readable.from(
    (function* () {
      for (let index = 0; index < count; index += 1) yield Buffer.alloc(size, index % 251)
    })(),
  )

describe('request that reaches the host', () => {
  test('arrives as it came, with the token in place of the caller’s identifying headers', async () => {
    let rawHeaders: readonly string[] = []
    let url = ''
    const { baseUrl } = await openHttpServer((request, response) => {
      rawHeaders = request.rawHeaders
      url = `${request.method} ${request.url}`
      response.end()
    })
    const headers = [
      ['X-Twice', 'one'],
      ['Accept', 'text/*;q=0.1'],
      ['X-Twice', 'two'],
      ['User-Agent', 'curl/8'],
      ['Accept-Encoding', 'gzip, zstd'],
      ['Connection', 'keep-alive, X-Private'],
      ['X-Private', 'hop'],
      ['Keep-Alive', 'timeout=5'],
      ['TE', 'trailers'],
      ['Proxy-Authorization', 'Basic x'],
      ['Host', 'evil'],
      ['Origin', 'http://evil'],
      ['Referer', 'http://evil/'],
      ['Cookie', 'a=b'],
      ['Sec-Fetch-Mode', 'cors'],
      ['Authorization', 'Bearer not-ours'],
    ] as const
    const rawPath = "/capabilities?q=it's|{x}&again=%7e"
    await buffer((await client.relay(createTarget(baseUrl), createRelayRequest({ headers, rawPath }))).body)
    expect(url).toBe(`GET /bridge/v1${rawPath}`)
    expect(rawHeaders).toEqual([
      ...['X-Twice', 'one', 'X-Twice', 'two', 'Accept', 'text/*;q=0.1', 'User-Agent', 'curl/8'],
      ...['Accept-Encoding', 'gzip, zstd', 'Authorization', `Bearer ${TOKEN}`],
      ...['Host', new URL(baseUrl).host, 'Connection', 'keep-alive'],
    ])
  })

  test('has only our value of the token header that the profile names', async () => {
    let headersAtHost: Record<string, unknown> = {}
    const { baseUrl } = await openHttpServer((request, response) => {
      headersAtHost = request.headers
      response.end()
    })
    const target = createTarget(baseUrl, { auth: { header: 'X-Bridge-Token', scheme: '' } })
    const headers = [['x-bridge-token', 'theirs']] as const
    await buffer((await client.relay(target, createRelayRequest({ headers }))).body)
    expect(headersAtHost['x-bridge-token']).toBe(TOKEN)
  })

  test('has its body with or without a length, streamed and not collected first', async () => {
    const framing: unknown[] = []
    const { baseUrl } = await openHttpServer((request, response) => {
      framing.push([request.headers['content-length'], request.headers['transfer-encoding']])
      void buffer(request).then((bytes) => response.end(hashBytes(bytes)))
    })
    const target = createTarget(baseUrl, { isReadOnly: false })
    const body = randomBytes(300_000)
    for (const length of [body.byteLength, null]) {
      const request = createRelayRequest({
        endpoint: writeEndpoint,
        method: 'POST',
        rawPath: '/x',
        body: Readable.from([body]),
        length,
      })
      const response = await client.relay(target, request)
      expect((await buffer(response.body)).toString()).toBe(hashBytes(body))
    }
    // Node sends the body of a GET without framing, so that the host takes the rest for
    // another request.
    const get = createRelayRequest({ body: Readable.from([Buffer.from('GET /evil')]), length: null })
    await buffer((await client.relay(target, get)).body)
    expect(framing).toEqual([
      ['300000', undefined],
      [undefined, 'chunked'],
      [undefined, 'chunked'],
    ])
    await expect.poll(() => recorder.exchanges.length).toBe(3)
    expect(Buffer.from(recorder.exchanges[1]?.end.sentBody?.body ?? []).equals(body)).toBe(true)
    expect(recorder.exchanges[1]?.end.sentBody).toMatchObject({ bytes: 300_000, isWhole: true })
  })

  test.each([
    ['gzip', gzipSync('{"title":"A"}'), { body: '{"title":"A"}', missing: null }],
    ['gzip, br', brotliCompressSync(gzipSync('text')), { body: 'text', missing: null }],
    ['gzip', Buffer.from('{"a":1}'), { body: '{"a":1}', missing: 'encoded' }],
    ['lzma', Buffer.from('{"a":1}'), { body: '{"a":1}', missing: 'encoded' }],
  ])(
    'passes a request body in %s on as it is, and records it decoded',
    async (encoding, body, { body: text, missing }) => {
      const arrived: Buffer[] = []
      const { baseUrl } = await openHttpServer((request, response) => {
        void buffer(request).then((bytes) => {
          arrived.push(bytes)
          response.end()
        })
      })
      const target = createTarget(baseUrl, { isReadOnly: false })
      const headers = [['Content-Encoding', encoding]] as const
      for (const sentBody of [body, Readable.from([body.subarray(0, 5), body.subarray(5)])]) {
        const length = body.byteLength
        const request = { endpoint: writeEndpoint, method: 'POST', rawPath: '/x', headers, body: sentBody, length }
        await buffer((await client.relay(target, createRelayRequest(request))).body)
      }
      expect(arrived).toEqual([body, body])
      await expect.poll(() => recorder.exchanges.length).toBe(2)
      for (const { end } of recorder.exchanges) {
        expect(Buffer.from(end.sentBody?.body ?? []).toString()).toBe(text)
        expect(end.sentBody).toMatchObject({
          bytes: text.length,
          encodedBytes: body.byteLength,
          isWhole: true,
          missing,
        })
      }
    },
  )

  test('stays inside the base URL, however a host decodes its path', () => {
    const dots = fc.constantFrom('.', '..', '%2e', '%2E%2e', '.%2E', '%2e.')
    const slash = fc.constantFrom('/', '\\', '%2f', '%5C')
    fc.assert(
      fc.property(
        fc.webSegment(),
        slash,
        dots,
        slash,
        fc.webSegment(),
        (before, firstSlash, up, secondSlash, after) => {
          expect(() => assertPathInside(`/${before}${firstSlash}${up}${secondSlash}${after}`)).toThrow(
            'must not lead outside',
          )
          expect(() => assertPathInside(`/${before}${firstSlash}${up}`)).toThrow('must not lead outside')
        },
      ),
    )
    for (const path of ['status', '', '/a#b', '/a b', '/ä\u0100', '//..', '/a\n'])
      expect(() => assertPathInside(path)).toThrow()
    for (const path of ['/status', '/a//b/', "/it's", '/...', '/a/..b', '/x?q=/../', '/ü']) {
      expect(() => assertPathInside(path)).not.toThrow()
    }
  })

  test('is never a write while the profile is read-only', async () => {
    let requestCount = 0
    const { baseUrl } = await openHttpServer((_, response) => {
      requestCount += 1
      response.end()
    })
    const locked = createTarget(baseUrl)
    const navigates = getEndpoint('documents.locate')
    const refusals = [
      createRelayRequest({ endpoint: writeEndpoint, method: 'POST', body: Buffer.from('{}') }),
      createRelayRequest({ endpoint: writeEndpoint, method: 'POST', body: Readable.from([Buffer.from('{}')]) }),
      createRelayRequest({ endpoint: navigates, method: 'POST', body: Readable.from([Buffer.from('{}')]) }),
      // A body that two programs can read in two ways counts as the more dangerous one.
      ...['{"navigate":true}', '{"navigate":true,"navigate":false}', '{"navigate":'].map((text) =>
        createRelayRequest({ endpoint: navigates, method: 'POST', body: Buffer.from(text) }),
      ),
    ]
    for (const request of refusals) {
      expect((await expectAppError(client.relay(locked, request))).code).toBe('READ_ONLY')
    }
    expect(requestCount).toBe(0)
    const reads = createRelayRequest({ endpoint: navigates, method: 'POST', body: Buffer.from('{"navigate":false}') })
    expect((await client.relay(locked, reads)).status).toBe(200)
  })
})

describe('response that reaches the caller', () => {
  test.each([
    ['gzip', (body: Buffer) => gzipSync(body)],
    ['br', (body: Buffer) => brotliCompressSync(body)],
  ])('arrives as the host encoded it (%s), and is recorded decoded', async (encoding, encode) => {
    const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(100_000) }))
    const encoded = encode(body)
    const { baseUrl } = await openHttpServer((_, response) => {
      response.writeHead(200, 'Quite Fine', {
        'Content-Encoding': encoding,
        'Content-Type': 'application/json',
        'X-Own': 'é',
      })
      response.end(encoded)
    })
    const response = await client.relay(createTarget(baseUrl), createRelayRequest())
    expect([response.status, response.statusText]).toEqual([200, 'Quite Fine'])
    expect(response.headers).toContainEqual(['Content-Encoding', encoding])
    expect(response.headers.map(([name]) => name.toLowerCase())).not.toContain('transfer-encoding')
    expect((await buffer(response.body)).equals(encoded)).toBe(true)
    const { end } = await waitForRecord()
    expect(Buffer.from(end.body ?? []).equals(body)).toBe(true)
    expect(end).toMatchObject({ isComplete: true, receivedBytes: body.byteLength, missing: null, status: 200 })
  })

  const plain = Buffer.from('{"nodes":[]}')
  const withRest = Buffer.concat([gzipSync(plain), Buffer.from('rest')])
  const noBytes = Buffer.alloc(0)
  test.each([
    ['plain bytes as gzip', 200, 'gzip', plain, plain, 'encoded'],
    ['an unknown encoding', 200, 'lzma', plain, plain, 'encoded'],
    ['a part of an encoded body', 206, 'gzip', gzipSync(plain).subarray(5), gzipSync(plain).subarray(5), 'encoded'],
    ['cut gzip', 200, 'gzip', gzipSync(plain).subarray(0, -9), gzipSync(plain).subarray(0, -9), 'encoded'],
    ['deflate without its wrapper', 200, 'deflate', deflateRawSync(plain), plain, null],
    ['two encodings', 200, 'gzip, br', brotliCompressSync(gzipSync(plain)), plain, null],
    ['bytes after the end of gzip', 200, 'gzip', withRest, plain, null],
    ['no bytes', 200, 'gzip', noBytes, noBytes, null],
    ['204', 204, 'br', noBytes, noBytes, null],
    ['304', 304, 'gzip', noBytes, noBytes, null],
  ])(
    'is recorded as it decodes or, if it does not, as received: %s',
    async (_, status, encoding, wireBytes, storedBytes, missing) => {
      const { baseUrl } = await openHttpServer((_request, response) =>
        response.writeHead(status, { 'Content-Encoding': encoding }).end(wireBytes),
      )
      const response = await client.relay(createTarget(baseUrl), createRelayRequest())
      expect((await buffer(response.body)).equals(wireBytes)).toBe(true)
      const { end } = await waitForRecord()
      expect(Buffer.from(end.body ?? []).equals(storedBytes)).toBe(true)
      expect(end).toMatchObject({ isComplete: true, receivedBytes: storedBytes.byteLength, missing, hostCode: null })
    },
  )

  test('is decoded only as far as it is recorded, even if it grows a lot', async () => {
    const { baseUrl } = await openHttpServer((_, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' })
      response.end(gzipSync(Buffer.alloc(64 * 1024 * 1024)))
    })
    await buffer((await client.relay(createTarget(baseUrl), createRelayRequest())).body)
    const { end } = await waitForRecord()
    expect(end).toMatchObject({ isComplete: true, missing: 'limit', hasUncountedBytes: true })
    expect(end.body?.byteLength).toBe(1024 * 1024)
    expect(end.receivedBytes).toBeLessThan(2 * 1024 * 1024)
  })

  test('is correct for HEAD, 204, 304 and Range', async () => {
    const { baseUrl } = await openHttpServer((request, response) => {
      if (request.method === 'HEAD') return void response.writeHead(200, { 'Content-Length': 1234 }).end()
      const status = Number(request.headers['x-status'])
      if (status !== 206) return void response.writeHead(status, { ETag: '"1"' }).end()
      response
        .writeHead(206, { 'Content-Range': 'bytes 2-4/10', 'Content-Type': 'image/png' })
        .end(request.headers.range)
    })
    const requestContent = async (method: string, status: number) => {
      const headers = [
        ['X-Status', String(status)],
        ['Range', 'bytes=2-4'],
      ] as const
      const isMasked = true
      const row = getEndpoint('notes.content')
      const response = await client.relay(
        createTarget(baseUrl),
        createRelayRequest({ endpoint: row, method, headers, isMasked }),
      )
      return [response.status, (await buffer(response.body)).toString(), new Map(response.headers)] as const
    }
    expect((await requestContent('HEAD', 200))[2].get('Content-Length')).toBe('1234')
    expect((await requestContent('GET', 204)).slice(0, 2)).toEqual([204, ''])
    expect((await requestContent('GET', 304))[2].get('ETag')).toBe('"1"')
    expect((await requestContent('GET', 206)).slice(0, 2)).toEqual([206, 'bytes=2-4'])
    await expect.poll(() => recorder.exchanges.map(({ start }) => start.method)).toEqual(['HEAD', 'GET', 'GET', 'GET'])
  })

  test.each(['error', String.raw`\u0065rror`])(
    'is the host’s error or redirect; the record has its code: %s',
    async (member) => {
      const errorBody = `{"${member}":{"code":"BUSY","message":"later"}}`
      const { baseUrl } = await openHttpServer((request, response) => {
        if (request.url?.includes('away'))
          return void response.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end()
        response.writeHead(409, { 'Content-Type': 'application/json' }).end(errorBody)
      })
      const conflict = await client.relay(createTarget(baseUrl), createRelayRequest())
      expect([conflict.status, (await buffer(conflict.body)).toString()]).toEqual([409, errorBody])
      const { end } = await waitForRecord()
      expect(end).toMatchObject({ isComplete: true, hostCode: 'BUSY', error: null })
      const redirected = await client.relay(createTarget(baseUrl), createRelayRequest({ rawPath: '/away' }))
      expect([redirected.status, new Map(redirected.headers).get('Location')]).toEqual([307, 'http://127.0.0.1:1/'])
      redirected.body.destroy()
    },
  )

  test('has no trailers and no announcement of them', async () => {
    const { baseUrl } = await openHttpServer((_, response) => {
      response.writeHead(200, { Trailer: 'X-Sum' })
      response.addTrailers({ 'X-Sum': '1' })
      response.end('body')
    })
    const response = await client.relay(createTarget(baseUrl), createRelayRequest())
    expect(response.headers.map(([name]) => name)).not.toContain('Trailer')
    expect((await buffer(response.body)).toString()).toBe('body')
  })
})

describe('masked response', () => {
  const echo = `{"echo":"${TOKEN}","tail":"${'x'.repeat(1000)}"}`
  test.each(['identity', 'gzip'])(
    'has no token in its text or headers, whatever the host sends (%s)',
    async (encoding) => {
      let acceptEncoding: string | undefined
      const { baseUrl } = await openHttpServer((request, response) => {
        acceptEncoding = String(request.headers['accept-encoding'])
        const body = encoding === 'gzip' ? gzipSync(echo) : Buffer.from(echo)
        const length = { 'Content-Length': body.byteLength, 'X-Echo': TOKEN }
        response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': encoding, ...length })
        // The first piece ends in the middle of the token.
        if (encoding === 'gzip') return void response.end(body)
        response.write(body.subarray(0, 25))
        setImmediate(() => response.end(body.subarray(25)))
      })
      const headers = [
        ['Accept-Encoding', 'gzip'],
        ['Range', 'bytes=0-20'],
      ] as const
      const response = await client.relay(createTarget(baseUrl), createRelayRequest({ isMasked: true, headers }))
      const text = (await buffer(response.body)).toString()
      expect(acceptEncoding).toBe('identity')
      expect(text).toBe(echo.replace(TOKEN, '*'.repeat(TOKEN.length)))
      // The token was masked once in the body and once in a header.
      expect(response.getMaskedCount()).toBe(2)
      expect(new Map(response.headers).get('X-Echo')).toBe('[redacted]')
      expect(response.headers.some(([name]) => name === 'Content-Length')).toBe(encoding === 'identity')
    },
  )

  test('keeps the bytes of media', async () => {
    const body = Buffer.concat([randomBytes(1000), Buffer.from(TOKEN)])
    const { baseUrl } = await openHttpServer((_, response) =>
      response.writeHead(200, { 'Content-Type': 'image/png' }).end(body),
    )
    const response = await client.relay(createTarget(baseUrl), createRelayRequest({ isMasked: true }))
    expect((await buffer(response.body)).equals(body)).toBe(true)
  })

  const text = JSON.stringify({ token: TOKEN })
  const damaged = gzipSync(text)
  damaged.writeUInt8(0, damaged.byteLength - 6)
  test.each([
    ['an unknown encoding', 'lzma', Buffer.from(text)],
    ['gzip that is none', 'gzip', Buffer.from(text)],
    ['brotli that is none', 'br', Buffer.from(text)],
    ['gzip with a wrong sum', 'gzip', damaged],
    ['gzip that is cut', 'gzip', gzipSync(text).subarray(0, -9)],
    ['the range of a larger body', 'gzip', gzipSync(text).subarray(4)],
  ])('is passed on as received if it does not decode: %s', async (_, encoding, body) => {
    const { baseUrl } = await openHttpServer((_request, response) =>
      response
        .writeHead(200, {
          'Content-Type': 'text/plain',
          'Content-Encoding': encoding,
          'Content-Length': body.byteLength,
        })
        .end(body),
    )
    const response = await client.relay(createTarget(baseUrl), createRelayRequest({ isMasked: true }))
    expect((await buffer(response.body)).toString('latin1')).toBe(
      body.toString('latin1').replace(TOKEN, '*'.repeat(TOKEN.length)),
    )
    expect(response.headers).toContainEqual(['Content-Encoding', encoding])
  })

  test.each([
    ['deflate without its wrapper', 'deflate', deflateRawSync(text)],
    ['two encodings in order', 'gzip, br', brotliCompressSync(gzipSync(text))],
    ['bytes after the end of gzip', 'x-gzip', Buffer.concat([gzipSync(text), Buffer.from('\r\n<!-- proxy -->')])],
    [
      'two gzip members',
      'gzip',
      Buffer.concat([gzipSync(text.slice(0, 9)), gzipSync(text.slice(9)), Buffer.from('!')]),
    ],
  ])('is decoded as browsers do: %s', async (_, encoding, body) => {
    const { baseUrl } = await openHttpServer((_request, response) =>
      response
        .writeHead(200, {
          'Content-Type': 'text/plain',
          'Content-Encoding': encoding,
          'Content-Length': body.byteLength,
        })
        .end(body),
    )
    const response = await client.relay(createTarget(baseUrl), createRelayRequest({ isMasked: true }))
    expect((await buffer(response.body)).toString()).toBe(text.replace(TOKEN, '*'.repeat(TOKEN.length)))
    expect(response.headers.map(([name]) => name)).not.toContain('Content-Encoding')
  })
})

describe('flow of a relayed exchange', () => {
  test('reads no more from the host than the caller takes', async () => {
    let writtenPieces = 0
    let drained = 0
    const { baseUrl } = await openHttpServer((_, response) => {
      const writeUntilFull = (): void => {
        while (response.write(Buffer.alloc(256 * 1024))) writtenPieces += 1
        writtenPieces += 1
        response.once('drain', () => {
          drained += 1
          writeUntilFull()
        })
      }
      writeUntilFull()
    })
    const response = await client.relay(createTarget(baseUrl), createRelayRequest())
    await once(response.body, 'readable')
    let last = -1
    // The host stops writing if the caller does not read.
    await expect
      .poll(
        () => {
          const isAtRest = writtenPieces === last
          last = writtenPieces
          return isAtRest
        },
        { interval: 150 },
      )
      .toBe(true)
    expect(writtenPieces * 256).toBeLessThan(32 * 1024)
    const before = drained
    response.body.resume()
    await expect.poll(() => drained).toBeGreaterThan(before + 50)
    response.body.destroy()
    await expect.poll(() => recorder.exchanges[0]?.end.error?.kind).toBe('cancelled')
  })

  test('reads no more from the caller than the host takes', async () => {
    // This host reads nothing of the body.
    const { baseUrl } = await openHttpServer(() => undefined)
    let producedPieces = 0
    const body = Readable.from(
      (function* () {
        for (;;) {
          producedPieces += 1
          yield Buffer.alloc(256 * 1024)
        }
      })(),
      { highWaterMark: 1 },
    )
    const abort = new AbortController()
    const target = createTarget(baseUrl, { isReadOnly: false })
    const relayedResponse = client.relay(
      target,
      createRelayRequest({ endpoint: writeEndpoint, method: 'POST', body, signal: abort.signal }),
    )
    const failed = expectAppError(relayedResponse)
    let last = -1
    await expect
      .poll(
        () => {
          const isAtRest = producedPieces > 0 && producedPieces === last
          last = producedPieces
          return isAtRest
        },
        { interval: 150 },
      )
      .toBe(true)
    expect(producedPieces * 256).toBeLessThan(32 * 1024)
    abort.abort()
    expect((await failed).wire.kind).toBe('cancelled')
  })

  test('allows an upload longer than every limit while bytes move', async () => {
    const { baseUrl } = await openHttpServer(
      (request, response) => void buffer(request).then((all) => response.end(hashBytes(all))),
    )
    const parts = Array.from({ length: 30 }, (_, index) => Buffer.from(`part ${index}`))
    const body = Readable.from(
      (async function* () {
        for (const part of parts) {
          yield part
          await new Promise((resolve) => setTimeout(resolve, 40))
        }
      })(),
    )
    const target = createTarget(baseUrl, { isReadOnly: false })
    const response = await patientClient.relay(
      target,
      createRelayRequest({ endpoint: writeEndpoint, method: 'POST', body }),
    )
    expect((await buffer(response.body)).toString()).toBe(hashBytes(Buffer.concat(parts)))
  })

  test('times out in silence', async () => {
    const { baseUrl } = await openHttpServer(() => undefined)
    expect((await expectAppError(hastyClient.relay(createTarget(baseUrl), createRelayRequest()))).code).toBe(
      'TIMEOUT_IDLE',
    )
    expect((await waitForRecord()).end).toMatchObject({ isComplete: false, status: null })
  })

  test('passes on a response that comes before the host has read everything', async () => {
    const { baseUrl } = await openSocketServer((socket) => {
      socket.once('data', () => {
        socket.pause()
        socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\nConnection: close\r\n\r\nlarge')
      })
    })
    const target = createTarget(baseUrl, { isReadOnly: false })
    const body = createPieces(4000)
    const response = await client.relay(
      target,
      createRelayRequest({ endpoint: writeEndpoint, method: 'POST', body, length: 4000 * 65_536 }),
    )
    expect([response.status, (await buffer(response.body)).toString()]).toEqual([413, 'large'])
    const { end } = await waitForRecord()
    expect(end).toMatchObject({ isComplete: true, status: 413, sentBody: { isWhole: false } })
    expect(body.destroyed).toBe(false)
  })

  test('breaks the request if the caller breaks off, so that half a body never looks complete', async () => {
    let outcome = ''
    const { baseUrl } = await openHttpServer((request) => {
      request.on('error', () => (outcome = 'broken'))
      request.on('end', () => (outcome = 'whole'))
      request.resume()
    })
    const body = new Readable({ read: () => undefined })
    body.push('half')
    const target = createTarget(baseUrl, { isReadOnly: false })
    const failed = expectAppError(
      client.relay(target, createRelayRequest({ endpoint: writeEndpoint, method: 'POST', body })),
    )
    await expect.poll(() => body.readableLength).toBe(0)
    body.destroy()
    expect((await failed).wire.kind).toBe('cancelled')
    await expect.poll(() => outcome).toBe('broken')
  })

  test.each([
    ['in the head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['in a body with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
    ['in a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf'],
  ])('fails the response if the host resets %s', async (_, text) => {
    const { baseUrl } = await openSocketServer((socket) => {
      socket.once('data', () => socket.write(text, () => setImmediate(() => socket.resetAndDestroy())))
    })
    const relayAndRead = async (): Promise<void> => {
      const response = await client.relay(createTarget(baseUrl), createRelayRequest())
      await buffer(response.body)
    }
    expect((await expectAppError(relayAndRead())).code).toMatch(/^(?:TRUNCATED|CONNECTION_RESET)$/)
    expect((await waitForRecord()).end.isComplete).toBe(false)
  })

  test('ends the request to the host if the caller goes away', async () => {
    let closed = false
    const { baseUrl } = await openHttpServer((request, response) => {
      response.write('begin')
      request.socket.once('close', () => (closed = true))
    })
    const abort = new AbortController()
    const response = await client.relay(createTarget(baseUrl), createRelayRequest({ signal: abort.signal }))
    abort.abort()
    expect((await expectAppError(buffer(response.body))).wire.kind).toBe('cancelled')
    await expect.poll(() => closed).toBe(true)
  })
})

describe('Expect: 100-continue', () => {
  const expectHeaders = [['Expect', '100-continue']] as const
  const toTarget = (baseUrl: string) => createTarget(baseUrl, { isReadOnly: false })

  test('lets the caller send its body once the host is ready', async () => {
    const { baseUrl } = await openHttpServer(
      () => undefined,
      (request, response) => {
        response.writeContinue()
        void buffer(request).then((all) => response.end(all))
      },
    )
    const body = new Readable({ read: () => undefined })
    const onContinue = (): void => {
      body.push('now')
      body.push(null)
    }
    const headers = expectHeaders
    const response = await client.relay(
      toTarget(baseUrl),
      createRelayRequest({ endpoint: writeEndpoint, method: 'POST', headers, body, onContinue }),
    )
    expect((await buffer(response.body)).toString()).toBe('now')
  })

  test('sends no body if the host refuses it, and passes on the response', async () => {
    let body = 0
    const { baseUrl } = await openHttpServer(
      () => undefined,
      (request, response) => {
        request.on('data', (piece: Buffer) => (body += piece.byteLength))
        response.writeHead(417, { Connection: 'close' }).end('no')
      },
    )
    let continueCount = 0
    const waiting = new Readable({ read: () => undefined })
    const request = createRelayRequest({
      endpoint: writeEndpoint,
      method: 'POST',
      headers: expectHeaders,
      body: waiting,
      onContinue: () => (continueCount += 1),
    })
    const response = await client.relay(toTarget(baseUrl), request)
    expect([response.status, (await buffer(response.body)).toString(), continueCount, body]).toEqual([417, 'no', 0, 0])
  })
})

test('replaces a dead kept socket for a read, and never uses one for a write', async () => {
  let connections = 0
  const { baseUrl } = await openSocketServer((socket) => {
    connections += 1
    let requests = 0
    socket.on('data', () => {
      requests += 1
      if (requests > 1) return socket.destroy()
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
  })
  const target = createTarget(baseUrl, { isReadOnly: false })
  // Some hosts take this header for the method of the request.
  const headers = [['X-HTTP-Method-Override', 'DELETE']] as const
  for (const more of [{}, {}, { headers }, { endpoint: writeEndpoint, method: 'POST', length: 0 }]) {
    const response = await client.relay(target, createRelayRequest(more))
    expect((await buffer(response.body)).toString()).toBe('ok')
  }
  expect(connections).toBe(4)
})

test('how a page made its call goes with the exchange that takes the place of one over a dead socket', async () => {
  const { baseUrl } = await openSocketServer((socket) => {
    let requests = 0
    socket.on('data', () => {
      requests += 1
      if (requests > 1) return socket.destroy()
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
  })
  const panelCall = { via: 'fetch', sentMembers: { confirm: false, addon: false } } as const
  for (const more of [{}, { panelCall }]) {
    const response = await client.relay(createTarget(baseUrl), createRelayRequest(more))
    await buffer(response.body)
  }
  await expect.poll(() => recorder.exchanges.length).toBe(3)
  expect(recorder.exchanges.map(({ start }) => [start.attempt, start.panelCall])).toEqual([
    [1, undefined],
    [1, undefined],
    [2, panelCall],
  ])
})
