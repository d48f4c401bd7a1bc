/* eslint max-lines: ["error", 700] -- one case for each way in which either side may behave */
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { createHash, randomBytes } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { createBridgeClient } from '../../../../electron/services/bridge/client/client.ts'
import { assertPathInside } from '../../../../electron/services/bridge/wire/relay-exchange.ts'
import { getEndpoint } from '../../../../shared/bridge/endpoints/index.ts'
import { expectAppError, createTarget, testLimits, TOKEN } from '../../../support/services/test-client.ts'
import {
  readBytes,
  startHttpServer,
  createListeningRecorder,
  createRelayRequest,
  startSocketServer,
  type LoopbackServer,
} from '../../../support/services/relay.ts'

const servers: LoopbackServer[] = []
const recorder = createListeningRecorder()
const client = createBridgeClient({ recorder, limits: () => testLimits })
/** The upload below takes longer than both limits; a pause in it is shorter by far. */
const patient = createBridgeClient({
  recorder,
  limits: () => ({ ...testLimits, idleTimeoutMs: 1_000, totalTimeoutMs: 250 }),
})
const hasty = createBridgeClient({
  recorder,
  limits: () => ({ ...testLimits, idleTimeoutMs: 250, totalTimeoutMs: 250 }),
})

async function http(...args: Parameters<typeof startHttpServer>): Promise<LoopbackServer> {
  const server = await startHttpServer(...args)
  servers.push(server)
  return server
}
async function bare(...args: Parameters<typeof startSocketServer>): Promise<LoopbackServer> {
  const server = await startSocketServer(...args)
  servers.push(server)
  return server
}
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
  recorder.exchanges.length = 0
})

const write = getEndpoint('notes.blankBands')
const toldOnce = async () => {
  await expect.poll(() => recorder.exchanges.length).toBe(1)
  const [told] = recorder.exchanges
  if (!told) throw new Error('nothing was recorded')
  return told
}
const shaOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
/** A body in pieces, none of which is made before it is wanted. */
const pieces = (count: number, size = 64 * 1024): Readable =>
  Readable.from(
    (function* () {
      for (let at = 0; at < count; at += 1) yield Buffer.alloc(size, at % 251)
    })(),
  )

describe('what the host sees', () => {
  test('the request as it came, with the token in place of the caller’s headers about itself', async () => {
    let seen: readonly string[] = []
    let url = ''
    const { baseUrl } = await http((request, response) => {
      seen = request.rawHeaders
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
    await readBytes((await client.relay(createTarget(baseUrl), createRelayRequest({ headers, rawPath }))).body)
    expect(url).toBe(`GET /bridge/v1${rawPath}`)
    expect(seen).toEqual([
      ...['X-Twice', 'one', 'X-Twice', 'two', 'Accept', 'text/*;q=0.1', 'User-Agent', 'curl/8'],
      ...['Accept-Encoding', 'gzip, zstd', 'Authorization', `Bearer ${TOKEN}`],
      ...['Host', new URL(baseUrl).host, 'Connection', 'keep-alive'],
    ])
  })

  test('a profile with a header of its own: the caller’s value of it never passes', async () => {
    let seen: Record<string, unknown> = {}
    const { baseUrl } = await http((request, response) => {
      seen = request.headers
      response.end()
    })
    const target = createTarget(baseUrl, { auth: { header: 'X-Bridge-Token', scheme: '' } })
    const headers = [['x-bridge-token', 'theirs']] as const
    await readBytes((await client.relay(target, createRelayRequest({ headers }))).body)
    expect(seen['x-bridge-token']).toBe(TOKEN)
  })

  test('a body with its length, and one without; neither is collected first', async () => {
    const framing: unknown[] = []
    const { baseUrl } = await http((request, response) => {
      framing.push([request.headers['content-length'], request.headers['transfer-encoding']])
      void readBytes(request).then((bytes) => response.end(shaOf(bytes)))
    })
    const target = createTarget(baseUrl, { isReadOnly: false })
    const body = randomBytes(300_000)
    for (const length of [body.byteLength, null]) {
      const asked = createRelayRequest({
        endpoint: write,
        method: 'POST',
        rawPath: '/x',
        body: Readable.from([body]),
        length,
      })
      const answer = await client.relay(target, asked)
      expect((await readBytes(answer.body)).toString()).toBe(shaOf(body))
    }
    // Node would send a GET's body without any framing: the rest would be the next request.
    const get = createRelayRequest({ body: Readable.from([Buffer.from('GET /evil')]), length: null })
    await readBytes((await client.relay(target, get)).body)
    expect(framing).toEqual([
      ['300000', undefined],
      [undefined, 'chunked'],
      [undefined, 'chunked'],
    ])
    await expect.poll(() => recorder.exchanges.length).toBe(3)
    expect(Buffer.from(recorder.exchanges[1]?.end.sentBody?.body ?? []).equals(body)).toBe(true)
    expect(recorder.exchanges[1]?.end.sentBody).toMatchObject({ bytes: 300_000, isWhole: true })
  })

  test('no path leads out of the base URL, however a host decodes it; every other path is passed on', () => {
    const dots = fc.constantFrom('.', '..', '%2e', '%2E%2e', '.%2E', '%2e.')
    const slash = fc.constantFrom('/', '\\', '%2f', '%5C')
    fc.assert(
      fc.property(fc.webSegment(), slash, dots, slash, fc.webSegment(), (before, one, up, two, after) => {
        expect(() => assertPathInside(`/${before}${one}${up}${two}${after}`)).toThrow('must not lead outside')
        expect(() => assertPathInside(`/${before}${one}${up}`)).toThrow('must not lead outside')
      }),
    )
    for (const path of ['status', '', '/a#b', '/a b', '/ä\u0100', '//..', '/a\n'])
      expect(() => assertPathInside(path)).toThrow()
    for (const path of ['/status', '/a//b/', "/it's", '/...', '/a/..b', '/x?q=/../', '/ü']) {
      expect(() => assertPathInside(path)).not.toThrow()
    }
  })

  test('nothing of a write while the profile is locked', async () => {
    let asked = 0
    const { baseUrl } = await http((_, response) => {
      asked += 1
      response.end()
    })
    const locked = createTarget(baseUrl)
    const navigates = getEndpoint('documents.locate')
    const refusals = [
      createRelayRequest({ endpoint: write, method: 'POST', body: Buffer.from('{}') }),
      createRelayRequest({ endpoint: write, method: 'POST', body: Readable.from([Buffer.from('{}')]) }),
      createRelayRequest({ endpoint: navigates, method: 'POST', body: Readable.from([Buffer.from('{}')]) }),
      // What two programs could read in two ways counts as what it may be.
      ...['{"navigate":true}', '{"navigate":true,"navigate":false}', '{"navigate":'].map((text) =>
        createRelayRequest({ endpoint: navigates, method: 'POST', body: Buffer.from(text) }),
      ),
    ]
    for (const request of refusals) {
      expect((await expectAppError(client.relay(locked, request))).code).toBe('READ_ONLY')
    }
    expect(asked).toBe(0)
    const reads = createRelayRequest({ endpoint: navigates, method: 'POST', body: Buffer.from('{"navigate":false}') })
    expect((await client.relay(locked, reads)).status).toBe(200)
  })
})

describe('what the caller sees', () => {
  test.each([
    ['gzip', (body: Buffer) => gzipSync(body)],
    ['br', (body: Buffer) => brotliCompressSync(body)],
  ])('bytes as the host encoded them (%s); the record has them decoded', async (encoding, encode) => {
    const body = Buffer.from(JSON.stringify({ text: 'x'.repeat(100_000) }))
    const sent = encode(body)
    const { baseUrl } = await http((_, response) => {
      response.writeHead(200, 'Quite Fine', {
        'Content-Encoding': encoding,
        'Content-Type': 'application/json',
        'X-Own': 'é',
      })
      response.end(sent)
    })
    const answer = await client.relay(createTarget(baseUrl), createRelayRequest())
    expect([answer.status, answer.statusText]).toEqual([200, 'Quite Fine'])
    expect(answer.headers).toContainEqual(['Content-Encoding', encoding])
    expect(answer.headers.map(([name]) => name.toLowerCase())).not.toContain('transfer-encoding')
    expect((await readBytes(answer.body)).equals(sent)).toBe(true)
    const { end } = await toldOnce()
    expect(Buffer.from(end.body ?? []).equals(body)).toBe(true)
    expect(end).toMatchObject({ isComplete: true, receivedBytes: body.byteLength, missing: null, status: 200 })
  })

  test('a small encoded body that becomes a large one is decoded only as far as it is kept', async () => {
    const { baseUrl } = await http((_, response) => {
      response.writeHead(200, { 'Content-Encoding': 'gzip' })
      response.end(gzipSync(Buffer.alloc(64 * 1024 * 1024)))
    })
    await readBytes((await client.relay(createTarget(baseUrl), createRelayRequest())).body)
    const { end } = await toldOnce()
    expect(end).toMatchObject({ isComplete: true, missing: 'limit', hasUncountedBytes: true })
    expect(end.body?.byteLength).toBe(1024 * 1024)
    expect(end.receivedBytes).toBeLessThan(2 * 1024 * 1024)
  })

  test('HEAD, 204, 304 and Range', async () => {
    const { baseUrl } = await http((request, response) => {
      if (request.method === 'HEAD') return void response.writeHead(200, { 'Content-Length': 1234 }).end()
      const status = Number(request.headers['x-status'])
      if (status !== 206) return void response.writeHead(status, { ETag: '"1"' }).end()
      response
        .writeHead(206, { 'Content-Range': 'bytes 2-4/10', 'Content-Type': 'image/png' })
        .end(request.headers.range)
    })
    const ask = async (method: string, status: number) => {
      const headers = [
        ['X-Status', String(status)],
        ['Range', 'bytes=2-4'],
      ] as const
      const masked = true
      const row = getEndpoint('notes.content')
      const answer = await client.relay(
        createTarget(baseUrl),
        createRelayRequest({ endpoint: row, method, headers, isMasked: masked }),
      )
      return [answer.status, (await readBytes(answer.body)).toString(), new Map(answer.headers)] as const
    }
    expect((await ask('HEAD', 200))[2].get('Content-Length')).toBe('1234')
    expect((await ask('GET', 204)).slice(0, 2)).toEqual([204, ''])
    expect((await ask('GET', 304))[2].get('ETag')).toBe('"1"')
    expect((await ask('GET', 206)).slice(0, 2)).toEqual([206, 'bytes=2-4'])
    await expect.poll(() => recorder.exchanges.map(({ start }) => start.method)).toEqual(['HEAD', 'GET', 'GET', 'GET'])
  })

  test('errors and redirects of the host as they are; the record has the code', async () => {
    const { baseUrl } = await http((request, response) => {
      if (request.url?.includes('away')) return void response.writeHead(307, { Location: 'http://127.0.0.1:1/' }).end()
      response.writeHead(409, { 'Content-Type': 'application/json' }).end('{"error":{"code":"BUSY","message":"later"}}')
    })
    const conflict = await client.relay(createTarget(baseUrl), createRelayRequest())
    expect([conflict.status, (await readBytes(conflict.body)).toString()]).toEqual([
      409,
      '{"error":{"code":"BUSY","message":"later"}}',
    ])
    const { end } = await toldOnce()
    expect(end).toMatchObject({ isComplete: true, hostCode: 'BUSY', error: null })
    const away = await client.relay(createTarget(baseUrl), createRelayRequest({ rawPath: '/away' }))
    expect([away.status, new Map(away.headers).get('Location')]).toEqual([307, 'http://127.0.0.1:1/'])
    away.body.destroy()
  })

  test('trailers are dropped, and so is what announces them', async () => {
    const { baseUrl } = await http((_, response) => {
      response.writeHead(200, { Trailer: 'X-Sum' })
      response.addTrailers({ 'X-Sum': '1' })
      response.end('body')
    })
    const answer = await client.relay(createTarget(baseUrl), createRelayRequest())
    expect(answer.headers.map(([name]) => name)).not.toContain('Trailer')
    expect((await readBytes(answer.body)).toString()).toBe('body')
  })
})

describe('masked', () => {
  const echo = `{"echo":"${TOKEN}","tail":"${'x'.repeat(1000)}"}`
  test.each(['identity', 'gzip'])('no token in text or headers, whatever the host sends (%s)', async (encoding) => {
    let asked: string | undefined
    const { baseUrl } = await http((request, response) => {
      asked = String(request.headers['accept-encoding'])
      const body = encoding === 'gzip' ? gzipSync(echo) : Buffer.from(echo)
      const length = { 'Content-Length': body.byteLength, 'X-Echo': TOKEN }
      response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': encoding, ...length })
      // Cut in the middle of the token.
      if (encoding === 'gzip') return void response.end(body)
      response.write(body.subarray(0, 25))
      setImmediate(() => response.end(body.subarray(25)))
    })
    const headers = [
      ['Accept-Encoding', 'gzip'],
      ['Range', 'bytes=0-20'],
    ] as const
    const answer = await client.relay(createTarget(baseUrl), createRelayRequest({ isMasked: true, headers }))
    const text = (await readBytes(answer.body)).toString()
    expect(asked).toBe('identity')
    expect(text).toBe(echo.replace(TOKEN, '*'.repeat(TOKEN.length)))
    // Once in the body, once in a header.
    expect(answer.getMaskedCount()).toBe(2)
    expect(new Map(answer.headers).get('X-Echo')).toBe('[redacted]')
    expect(answer.headers.some(([name]) => name === 'Content-Length')).toBe(encoding === 'identity')
  })

  test('bytes of media are left alone', async () => {
    const body = Buffer.concat([randomBytes(1000), Buffer.from(TOKEN)])
    const { baseUrl } = await http((_, response) => response.writeHead(200, { 'Content-Type': 'image/png' }).end(body))
    const answer = await client.relay(createTarget(baseUrl), createRelayRequest({ isMasked: true }))
    expect((await readBytes(answer.body)).equals(body)).toBe(true)
  })

  test('a text in an encoding that nobody can read is not passed on', async () => {
    const { baseUrl } = await http((_, response) =>
      response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Encoding': 'lzma' }).end('?'),
    )
    expect(
      (await expectAppError(client.relay(createTarget(baseUrl), createRelayRequest({ isMasked: true })))).code,
    ).toBe('ENCODING_UNKNOWN')
  })
})

describe('flow', () => {
  test('the host is asked for no more than the caller takes', async () => {
    let written = 0
    let drained = 0
    const { baseUrl } = await http((_, response) => {
      const pour = (): void => {
        while (response.write(Buffer.alloc(256 * 1024))) written += 1
        written += 1
        response.once('drain', () => {
          drained += 1
          pour()
        })
      }
      pour()
    })
    const answer = await client.relay(createTarget(baseUrl), createRelayRequest())
    await once(answer.body, 'readable')
    let last = -1
    // As long as nobody reads, it comes to rest.
    await expect
      .poll(
        () => {
          const rests = written === last
          last = written
          return rests
        },
        { interval: 150 },
      )
      .toBe(true)
    expect(written * 256).toBeLessThan(32 * 1024)
    const before = drained
    answer.body.resume()
    await expect.poll(() => drained).toBeGreaterThan(before + 50)
    answer.body.destroy()
    await expect.poll(() => recorder.exchanges[0]?.end.error?.kind).toBe('cancelled')
  })

  test('the caller is read no faster than the host takes', async () => {
    // Reads nothing of the body.
    const { baseUrl } = await http(() => undefined)
    let made = 0
    const body = Readable.from(
      (function* () {
        for (;;) {
          made += 1
          yield Buffer.alloc(256 * 1024)
        }
      })(),
      { highWaterMark: 1 },
    )
    const abort = new AbortController()
    const target = createTarget(baseUrl, { isReadOnly: false })
    const asked = client.relay(
      target,
      createRelayRequest({ endpoint: write, method: 'POST', body, signal: abort.signal }),
    )
    const failed = expectAppError(asked)
    let last = -1
    await expect
      .poll(
        () => {
          const rests = made > 0 && made === last
          last = made
          return rests
        },
        { interval: 150 },
      )
      .toBe(true)
    expect(made * 256).toBeLessThan(32 * 1024)
    abort.abort()
    expect((await failed).wire.kind).toBe('cancelled')
  })

  test('an upload that takes longer than every limit is none too long while bytes move', async () => {
    const { baseUrl } = await http(
      (request, response) => void readBytes(request).then((all) => response.end(shaOf(all))),
    )
    const parts = Array.from({ length: 30 }, (_, at) => Buffer.from(`part ${at}`))
    const body = Readable.from(
      (async function* () {
        for (const part of parts) {
          yield part
          await new Promise((resolve) => setTimeout(resolve, 40))
        }
      })(),
    )
    const target = createTarget(baseUrl, { isReadOnly: false })
    const answer = await patient.relay(target, createRelayRequest({ endpoint: write, method: 'POST', body }))
    expect((await readBytes(answer.body)).toString()).toBe(shaOf(Buffer.concat(parts)))
  })

  test('silence is a timeout', async () => {
    const { baseUrl } = await http(() => undefined)
    expect((await expectAppError(hasty.relay(createTarget(baseUrl), createRelayRequest()))).code).toBe('TIMEOUT_IDLE')
    expect((await toldOnce()).end).toMatchObject({ isComplete: false, status: null })
  })

  test('a host that answers before it has read all: its answer passes, the rest stays unread', async () => {
    const { baseUrl } = await bare((socket) => {
      socket.once('data', () => {
        socket.pause()
        socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\nConnection: close\r\n\r\nlarge')
      })
    })
    const target = createTarget(baseUrl, { isReadOnly: false })
    const body = pieces(4000)
    const answer = await client.relay(
      target,
      createRelayRequest({ endpoint: write, method: 'POST', body, length: 4000 * 65_536 }),
    )
    expect([answer.status, (await readBytes(answer.body)).toString()]).toEqual([413, 'large'])
    const { end } = await toldOnce()
    expect(end).toMatchObject({ isComplete: true, status: 413, sentBody: { isWhole: false } })
    expect(body.destroyed).toBe(false)
  })

  test('a caller that breaks off ends the request: half a body is never taken for a whole one', async () => {
    let how = ''
    const { baseUrl } = await http((request) => {
      request.on('error', () => (how = 'broken'))
      request.on('end', () => (how = 'whole'))
      request.resume()
    })
    const body = new Readable({ read: () => undefined })
    body.push('half')
    const target = createTarget(baseUrl, { isReadOnly: false })
    const failed = expectAppError(client.relay(target, createRelayRequest({ endpoint: write, method: 'POST', body })))
    await expect.poll(() => body.readableLength).toBe(0)
    body.destroy()
    expect((await failed).wire.kind).toBe('cancelled')
    await expect.poll(() => how).toBe('broken')
  })

  test.each([
    ['in the head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['in a body with a length', 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf'],
    ['in a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf'],
  ])('a host that resets %s fails the answer', async (_, text) => {
    const { baseUrl } = await bare((socket) => {
      socket.once('data', () => socket.write(text, () => setImmediate(() => socket.resetAndDestroy())))
    })
    const ask = async (): Promise<void> => {
      const answer = await client.relay(createTarget(baseUrl), createRelayRequest())
      await readBytes(answer.body)
    }
    expect((await expectAppError(ask())).code).toMatch(/^(?:TRUNCATED|CONNECTION_RESET)$/)
    expect((await toldOnce()).end.isComplete).toBe(false)
  })

  test('a caller that goes away ends the request to the host', async () => {
    let closed = false
    const { baseUrl } = await http((request, response) => {
      response.write('begin')
      request.socket.once('close', () => (closed = true))
    })
    const abort = new AbortController()
    const answer = await client.relay(createTarget(baseUrl), createRelayRequest({ signal: abort.signal }))
    abort.abort()
    expect((await expectAppError(readBytes(answer.body))).wire.kind).toBe('cancelled')
    await expect.poll(() => closed).toBe(true)
  })
})

describe('Expect: 100-continue', () => {
  const expecting = [['Expect', '100-continue']] as const
  const target = (baseUrl: string) => createTarget(baseUrl, { isReadOnly: false })

  test('the caller is told when the host is ready, and sends its body then', async () => {
    const { baseUrl } = await http(
      () => undefined,
      (request, response) => {
        response.writeContinue()
        void readBytes(request).then((all) => response.end(all))
      },
    )
    const body = new Readable({ read: () => undefined })
    const onContinue = (): void => {
      body.push('now')
      body.push(null)
    }
    const headers = expecting
    const answer = await client.relay(
      target(baseUrl),
      createRelayRequest({ endpoint: write, method: 'POST', headers, body, onContinue }),
    )
    expect((await readBytes(answer.body)).toString()).toBe('now')
  })

  test('a host that refuses it gets no body, and its answer passes', async () => {
    let body = 0
    const { baseUrl } = await http(
      () => undefined,
      (request, response) => {
        request.on('data', (piece: Buffer) => (body += piece.byteLength))
        response.writeHead(417, { Connection: 'close' }).end('no')
      },
    )
    let told = 0
    const waiting = new Readable({ read: () => undefined })
    const request = createRelayRequest({
      endpoint: write,
      method: 'POST',
      headers: expecting,
      body: waiting,
      onContinue: () => (told += 1),
    })
    const answer = await client.relay(target(baseUrl), request)
    expect([answer.status, (await readBytes(answer.body)).toString(), told, body]).toEqual([417, 'no', 0, 0])
  })
})

test('a dead kept socket is no failure of a read, and a write never uses one', async () => {
  let connections = 0
  const { baseUrl } = await bare((socket) => {
    connections += 1
    let requests = 0
    socket.on('data', () => {
      requests += 1
      if (requests > 1) return socket.destroy()
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
  })
  const target = createTarget(baseUrl, { isReadOnly: false })
  for (const more of [{}, {}, { endpoint: write, method: 'POST', length: 0 }]) {
    const answer = await client.relay(target, createRelayRequest(more))
    expect((await readBytes(answer.body)).toString()).toBe('ok')
  }
  expect(connections).toBe(3)
})
