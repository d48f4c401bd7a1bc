import { spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { TOKEN } from '../../support/services/test-client.ts'
import { startRecording } from '../../support/services/recording.ts'
import { readBytes } from '../../support/services/relay.ts'

/** One request of a client; `Authorization` comes on top. */
interface Asked {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** The body is sent without telling its length. */
  readonly chunked?: boolean
}

interface Got {
  readonly status: number
  readonly reason: string
  /** Without those of the connection, which each side makes for itself. */
  readonly headers: readonly string[]
  readonly body: Buffer
}

/** A program that speaks HTTP and knows nothing of us. */
interface HttpClient {
  readonly name: string
  readonly isHere: boolean
  /** Asks one after the other, over one connection where it keeps any. */
  ask(baseUrl: string, token: string, all: readonly Asked[]): Promise<Got[]>
  /** Asks for a body, takes its beginning, and goes away. */
  leave(baseUrl: string, token: string, path: string): Promise<void>
}

const ofConnection = /^(?:connection|keep-alive|transfer-encoding):/i
const kept = (lines: readonly string[]): string[] => lines.filter((line) => !ofConnection.test(line)).sort()
const isThere = (program: string): boolean => spawnSync(program, ['--version']).status === 0

const curlArgs = (token: string): string[] => [
  ...['--silent', '--show-error', '--noproxy', '*', '--expect100-timeout', '600'],
  ...['--header', `Authorization: Bearer ${token}`],
]

function curlRequest(baseUrl: string, { method, path, headers = {}, body, chunked }: Asked): string[] {
  const given = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
  const sends = body ? ['--header', 'Content-Type: application/octet-stream', '--data-binary', '@-'] : []
  const framing = chunked ? ['--header', 'Transfer-Encoding: chunked'] : []
  return [...(method === 'HEAD' ? ['--head'] : ['--request', method]), ...given, ...sends, ...framing, baseUrl + path]
}

async function output(program: string, args: readonly string[], input?: Buffer): Promise<Buffer> {
  const child = spawn(program, args)
  const pieces: Buffer[] = []
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const complaint = text(child.stderr)
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${program}: ${String(code)}: ${await complaint}`)
  return Buffer.concat(pieces)
}

/** What `curl --include` prints; interim answers come before the one that counts. */
function parsed(printed: Buffer): Got {
  const end = printed.indexOf('\r\n\r\n')
  const [first = '', ...lines] = printed.subarray(0, end).toString('latin1').split('\r\n')
  const [, status = '', reason = ''] = /^HTTP\/1\.1 (\d{3}) ?(.*)$/.exec(first) ?? []
  const body = printed.subarray(end + 4)
  return status.startsWith('1') ? parsed(body) : { status: Number(status), reason, headers: kept(lines), body }
}

const curl: HttpClient = {
  name: 'curl',
  isHere: isThere('curl'),
  async ask(baseUrl, token, all) {
    const got: Got[] = []
    for (const one of all) {
      const args = [...curlArgs(token), '--include', ...curlRequest(baseUrl, one)]
      got.push(parsed(await output('curl', args, one.body)))
    }
    return got
  },
  async leave(baseUrl, token, path) {
    const child = spawn('curl', [...curlArgs(token), baseUrl + path])
    await new Promise((resolve) => child.stdout.once('data', resolve))
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('close', resolve))
  },
}

/** How many connections curl made for two requests in one run. */
async function curlConnections(baseUrl: string, token: string, path: string): Promise<string> {
  const twice = [baseUrl + path, baseUrl + path].flatMap((url) => ['--output', '/dev/null', url])
  return (await output('curl', [...curlArgs(token), '--write-out', '%{num_connects} ', ...twice])).toString().trim()
}

const program = `
import base64, http.client, json, sys
given = json.load(sys.stdin)
connection = http.client.HTTPConnection('127.0.0.1', given['port'], timeout=600)
got, ports = [], set()
for one in given['all']:
    body = base64.b64decode(one['body']) if one['body'] is not None else None
    headers = dict(one['headers'], Authorization='Bearer ' + given['token'])
    if one['chunked']:
        headers['Transfer-Encoding'] = 'chunked'
        pieces = (body[at:at + 10007] for at in range(0, len(body), 10007))
        connection.request(one['method'], one['path'], pieces, headers, encode_chunked=True)
    else:
        connection.request(one['method'], one['path'], body, headers)
    ports.add(connection.sock.getsockname()[1])
    answer = connection.getresponse()
    if given['leaves']:
        answer.read(1000)
        sys.exit(0)
    bytes = answer.read()
    got.append(dict(status=answer.status, reason=answer.reason, headers=[n + ': ' + v for n, v in answer.getheaders()], body=base64.b64encode(bytes).decode()))
json.dump(dict(got=got, connections=len(ports)), sys.stdout)
`

async function runPython(baseUrl: string, token: string, all: readonly Asked[], leaves: boolean): Promise<string> {
  const { port, pathname } = new URL(baseUrl)
  const asked = all.map(({ method, path, headers = {}, body, chunked = false }) => {
    return { method, path: pathname + path, headers, body: body?.toString('base64') ?? null, chunked }
  })
  const given = JSON.stringify({ port: Number(port), token, leaves, all: asked })
  return (await output('python3', ['-c', program], Buffer.from(given))).toString()
}

const python: HttpClient = {
  name: "Python's http.client",
  isHere: isThere('python3'),
  async ask(baseUrl, token, all) {
    interface Printed {
      readonly got: readonly (Omit<Got, 'body'> & { readonly body: string })[]
      readonly connections: number
    }
    const { got, connections } = JSON.parse(await runPython(baseUrl, token, all, false)) as Printed
    if (connections !== 1) throw new Error(`${connections} connections`)
    return got.map(({ headers, body, ...rest }) => {
      return { ...rest, headers: kept(headers), body: Buffer.from(body, 'base64') }
    })
  },
  async leave(baseUrl, token, path) {
    await runPython(baseUrl, token, [{ method: 'GET', path }], true)
  },
}

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
    const body = await readBytes(request)
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
  const { recording, host, key } = await startRecording(closing, serve, false)
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
    // With our key the host is asked for a text plain and whole, as the token in it is masked;
    // nothing else differs.
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
