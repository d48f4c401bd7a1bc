import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { TOKEN } from '../../support/bridge.ts'
import { curl, curlConnections, python, type Asked } from '../../support/http-clients.ts'
import { startedRecording } from '../../support/recording.ts'
import { bytesOf } from '../../support/relayed.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** Longer than any buffer between the two. */
const blob = randomBytes(3 * 1024 * 1024 + 17)
const words = Buffer.from('令牌 and other words, again and again. '.repeat(20_000))
const etag = '"a-2"'

const routes: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void | Promise<void>>> = {
  blob(request, response) {
    const all = { ETag: etag, 'Accept-Ranges': 'bytes', 'Content-Type': 'application/octet-stream' }
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { ETag: etag }).end()
    const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '')
    const [from, to] = [Number(range?.[1] ?? 0), Number(range?.[2] ?? blob.length - 1)]
    if (from >= blob.length)
      return void response.writeHead(416, { 'Content-Range': `bytes */${blob.length}`, 'Content-Length': 0 }).end()
    const part = blob.subarray(from, to + 1)
    const ranged = range ? { 'Content-Range': `bytes ${from}-${to}/${blob.length}` } : {}
    response.writeHead(range ? 206 : 200, { ...all, ...ranged, 'Content-Length': part.length })
    response.end(request.method === 'HEAD' ? undefined : part)
  },
  packed(_, response) {
    const packed = gzipSync(words)
    response.writeHead(200, {
      'Content-Type': 'text/plain',
      'Content-Encoding': 'gzip',
      'Content-Length': packed.length,
    })
    response.end(packed)
  },
  pieces(_, response) {
    response.writeHead(200, 'As It Comes', { 'X-Odd': ['one', 'two'] })
    for (let at = 0; at < blob.length; at += 40_009) response.write(blob.subarray(at, at + 40_009))
    response.end()
  },
  async echo(request, response) {
    const body = await bytesOf(request)
    response.writeHead(201, { 'X-Hash': createHash('sha256').update(body).digest('hex') }).end(body)
  },
  teapot: (_, response) => void response.writeHead(418, "I'm short", { 'Content-Length': 2 }).end('\r\n'),
}

const cases: Readonly<Record<string, Asked>> = {
  'three megabytes': { method: 'GET', path: '/blob' },
  'a range': { method: 'GET', path: '/blob', headers: { Range: 'bytes=65530-200000' } },
  'a range past the end': { method: 'GET', path: '/blob', headers: { Range: 'bytes=9999999-99999999' } },
  HEAD: { method: 'HEAD', path: '/blob' },
  'a known tag': { method: 'GET', path: '/blob', headers: { 'If-None-Match': etag } },
  'a packed text': { method: 'GET', path: '/packed' },
  'pieces of any size': { method: 'GET', path: '/pieces' },
  'another status': { method: 'GET', path: '/teapot?a=1&a=%E4%BB%A4' },
  'an upload': { method: 'POST', path: '/echo', body: blob },
  'a chunked upload': { method: 'PUT', path: '/echo', body: blob, chunked: true },
  'an upload that waits': { method: 'POST', path: '/echo', headers: { Expect: '100-continue' }, body: blob },
}

async function recorded() {
  const seen: object[] = []
  const left: string[] = []
  const serve: RequestListener = (request, response) => {
    const path = (request.url ?? '').split('/').at(-1) ?? ''
    const headers = { ...request.headers, host: '', connection: '' }
    seen.push({ method: request.method, url: request.url, headers })
    response.sendDate = false
    if (path === 'endless') {
      const more = (): void => void (response.destroyed || (response.write(blob) && setImmediate(more)))
      response.on('drain', more)
      response.on('close', () => left.push(path))
      return more()
    }
    void routes[path.split('?', 1)[0] ?? '']?.(request, response)
  }
  const { recording, host, key } = await startedRecording(closing, serve, false)
  return { direct: host.baseUrl, through: recording.state().baseUrl ?? '', key, seen, left }
}

describe.each([curl, python])('$name notices no difference', (client) => {
  const ifHere = test.skipIf(!client.isHere)

  ifHere.each(Object.entries(cases))('%s', async (_, asked) => {
    const { direct, through, key, seen } = await recorded()
    // Twice, so that the second goes over a kept connection.
    const [plain] = await client.ask(direct, TOKEN, [asked])
    const [own, again] = await client.ask(through, TOKEN, [asked, asked])
    const [masked] = await client.ask(through, key, [asked])
    for (const got of [own, again]) {
      expect(got?.body.equals(plain?.body ?? Buffer.alloc(0))).toBe(true)
      expect({ ...got, body: null }).toEqual({ ...plain, body: null })
    }
    // With our key the host is asked for a text plain and whole, as the token in it is masked; nothing else differs.
    if (asked.headers?.Range) expect(masked?.body.equals(blob)).toBe(true)
    else if (asked.path !== '/packed') {
      expect(masked?.body.equals(plain?.body ?? Buffer.alloc(0))).toBe(true)
      expect({ ...masked, body: null }).toEqual({ ...plain, body: null })
    } else expect(masked?.body.equals(words)).toBe(true)
    const [first, ...others] = seen.slice(0, 3)
    for (const other of others) expect(other).toEqual(first)
  })

  ifHere('one that leaves midway: the host sees it leave', async () => {
    const { through, key, left } = await recorded()
    for (const secret of [TOKEN, key]) {
      await client.leave(through, secret, '/endless')
      await expect.poll(() => left.splice(0)).toEqual(['endless'])
    }
  })
})

test.skipIf(!curl.isHere)('curl uses one connection for two requests', async () => {
  const { direct, through } = await recorded()
  for (const baseUrl of [direct, through]) expect(await curlConnections(baseUrl, TOKEN, '/blob')).toBe('1 0')
})
