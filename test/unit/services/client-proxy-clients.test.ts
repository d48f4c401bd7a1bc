/** @module-tag slow */

import { spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { buffer, text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { TOKEN } from '../../support/services/test-client.ts'
import { startClientProxy } from '../../support/services/client-proxy.ts'

/** One request of a client, without its `Authorization` header. */
interface ClientRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** Whether the body is sent in chunks, without its length. */
  readonly chunked?: boolean
}

interface ClientResponse {
  readonly status: number
  readonly reason: string
  /** The headers without those of the connection, which each side creates for itself. */
  readonly headers: readonly string[]
  readonly body: Buffer
}

/** A program that speaks HTTP and does not know this program. */
interface HttpClient {
  readonly name: string
  readonly isHere: boolean
  /** Sends the requests one after the other, over one connection if the client keeps it alive. */
  ask(baseUrl: string, token: string, all: readonly ClientRequest[]): Promise<ClientResponse[]>
  /** Requests a body, reads its beginning, and disconnects. */
  leave(baseUrl: string, token: string, path: string): Promise<void>
}

const CONNECTION_HEADER = /^(?:connection|keep-alive|transfer-encoding):/i
const removeConnectionHeaders = (lines: readonly string[]): string[] =>
  lines.filter((line) => !CONNECTION_HEADER.test(line)).sort()
const isInstalled = (program: string): boolean => spawnSync(program, ['--version']).status === 0

const buildCurlArgs = (token: string): string[] => [
  ...['--silent', '--show-error', '--noproxy', '*', '--expect100-timeout', '600'],
  ...['--header', `Authorization: Bearer ${token}`],
]

function buildCurlRequest(baseUrl: string, { method, path, headers = {}, body, chunked }: ClientRequest): string[] {
  const headerArgs = Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`])
  const bodyArgs = body ? ['--header', 'Content-Type: application/octet-stream', '--data-binary', '@-'] : []
  const framingArgs = chunked ? ['--header', 'Transfer-Encoding: chunked'] : []
  return [
    ...(method === 'HEAD' ? ['--head'] : ['--request', method]),
    ...headerArgs,
    ...bodyArgs,
    ...framingArgs,
    baseUrl + path,
  ]
}

async function runProgram(program: string, args: readonly string[], input?: Buffer): Promise<Buffer> {
  const child = spawn(program, args)
  const pieces: Buffer[] = []
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece))
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const errorText = text(child.stderr)
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error(`${program}: ${String(code)}: ${await errorText}`)
  return Buffer.concat(pieces)
}

/** Parses the output of `curl --include`, and skips interim responses. */
function parseCurlOutput(printed: Buffer): ClientResponse {
  const end = printed.indexOf('\r\n\r\n')
  const [first = '', ...lines] = printed.subarray(0, end).toString('latin1').split('\r\n')
  const [, status = '', reason = ''] = /^HTTP\/1\.1 (\d{3}) ?(.*)$/.exec(first) ?? []
  const body = printed.subarray(end + 4)
  return status.startsWith('1')
    ? parseCurlOutput(body)
    : { status: Number(status), reason, headers: removeConnectionHeaders(lines), body }
}

const curl: HttpClient = {
  name: 'curl',
  isHere: isInstalled('curl'),
  async ask(baseUrl, token, all) {
    const responses: ClientResponse[] = []
    for (const request of all) {
      const args = [...buildCurlArgs(token), '--include', ...buildCurlRequest(baseUrl, request)]
      responses.push(parseCurlOutput(await runProgram('curl', args, request.body)))
    }
    return responses
  },
  async leave(baseUrl, token, path) {
    const child = spawn('curl', [...buildCurlArgs(token), baseUrl + path])
    await new Promise((resolve) => child.stdout.once('data', resolve))
    child.kill('SIGKILL')
    await new Promise((resolve) => child.once('close', resolve))
  },
}

/** Returns how many connections curl opened for each of two requests in one run. */
async function countCurlConnections(baseUrl: string, token: string, path: string): Promise<string> {
  const twice = [baseUrl + path, baseUrl + path].flatMap((url) => ['--output', '/dev/null', url])
  return (await runProgram('curl', [...buildCurlArgs(token), '--write-out', '%{num_connects} ', ...twice]))
    .toString()
    .trim()
}

const PYTHON_PROGRAM = `
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

async function runPython(
  baseUrl: string,
  token: string,
  requests: readonly ClientRequest[],
  leavesEarly: boolean,
): Promise<string> {
  const { port, pathname } = new URL(baseUrl)
  const jsonRequests = requests.map(({ method, path, headers = {}, body, chunked = false }) => {
    return { method, path: pathname + path, headers, body: body?.toString('base64') ?? null, chunked }
  })
  const input = JSON.stringify({ port: Number(port), token, leaves: leavesEarly, all: jsonRequests })
  return (await runProgram('python3', ['-c', PYTHON_PROGRAM], Buffer.from(input))).toString()
}

const python: HttpClient = {
  name: "Python's http.client",
  isHere: isInstalled('python3'),
  async ask(baseUrl, token, all) {
    interface PythonOutput {
      readonly got: readonly (Omit<ClientResponse, 'body'> & { readonly body: string })[]
      readonly connections: number
    }
    const { got, connections } = JSON.parse(await runPython(baseUrl, token, all, false)) as PythonOutput
    if (connections !== 1) throw new Error(`${connections} connections`)
    return got.map(({ headers, body, ...rest }) => {
      return { ...rest, headers: removeConnectionHeaders(headers), body: Buffer.from(body, 'base64') }
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

/** Longer than any buffer between the client and the host. */
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
    for (let offset = 0; offset < blob.length; offset += 40_009) response.write(blob.subarray(offset, offset + 40_009))
    response.end()
  },
  async echo(request, response) {
    const body = await buffer(request)
    response.writeHead(201, { 'X-Hash': createHash('sha256').update(body).digest('hex') }).end(body)
  },
  teapot: (_, response) => void response.writeHead(418, "I'm short", { 'Content-Length': 2 }).end('\r\n'),
}

const cases: Readonly<Record<string, ClientRequest>> = {
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

async function startProxyOfHost() {
  const received: object[] = []
  const closedPaths: string[] = []
  const serve: RequestListener = (request, response) => {
    const path = (request.url ?? '').split('/').at(-1) ?? ''
    const headers = { ...request.headers, host: '', connection: '' }
    received.push({ method: request.method, url: request.url, headers })
    response.sendDate = false
    if (path === 'endless') {
      const more = (): void => void (response.destroyed || (response.write(blob) && setImmediate(more)))
      response.on('drain', more)
      response.on('close', () => closedPaths.push(path))
      return more()
    }
    void routes[path.split('?', 1)[0] ?? '']?.(request, response)
  }
  const { clientProxy, host, key } = await startClientProxy(closing, serve, false)
  return { direct: host.baseUrl, through: clientProxy.state().baseUrl ?? '', key, seen: received, left: closedPaths }
}

describe.each([curl, python])('$name gets the same through a recording', (client) => {
  const ifInstalled = test.skipIf(!client.isHere)

  ifInstalled.each(Object.entries(cases))('for %s', async (_, request) => {
    const { direct, through, key, seen } = await startProxyOfHost()
    // The request is sent twice, so that the second one uses a kept connection.
    const [plain] = await client.ask(direct, TOKEN, [request])
    const [firstRecorded, secondRecorded] = await client.ask(through, TOKEN, [request, request])
    const [masked] = await client.ask(through, key, [request])
    for (const got of [firstRecorded, secondRecorded]) {
      expect(got?.body.equals(plain?.body ?? Buffer.alloc(0))).toBe(true)
      expect({ ...got, body: null }).toEqual({ ...plain, body: null })
    }
    // With our key, the host is asked for uncompressed and complete texts, because the token
    // in them is masked. Nothing else differs.
    if (request.headers?.Range) expect(masked?.body.equals(blob)).toBe(true)
    else if (request.path !== '/packed') {
      expect(masked?.body.equals(plain?.body ?? Buffer.alloc(0))).toBe(true)
      expect({ ...masked, body: null }).toEqual({ ...plain, body: null })
    } else expect(masked?.body.equals(words)).toBe(true)
    const [first, ...others] = seen.slice(0, 3)
    for (const other of others) expect(other).toEqual(first)
  })

  ifInstalled('and the host notices when it disconnects early', async () => {
    const { through, key, left } = await startProxyOfHost()
    for (const secret of [TOKEN, key]) {
      await client.leave(through, secret, '/endless')
      await expect.poll(() => left.splice(0)).toEqual(['endless'])
    }
  })
})

test.skipIf(!curl.isHere)('curl uses one connection for two requests through a recording', async () => {
  const { direct, through } = await startProxyOfHost()
  for (const baseUrl of [direct, through]) expect(await countCurlConnections(baseUrl, TOKEN, '/blob')).toBe('1 0')
})
