import { spawn, spawnSync } from 'node:child_process'
import { text } from 'node:stream/consumers'

/** One request of a client; `Authorization` comes on top. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer
  /** The body is sent without telling its length. */
  readonly chunked?: boolean
}

export interface Got {
  readonly status: number
  readonly reason: string
  /** Without those of the connection, which each side makes for itself. */
  readonly headers: readonly string[]
  readonly body: Buffer
}

/** A program that speaks HTTP and knows nothing of us. */
export interface HttpClient {
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

export const curl: HttpClient = {
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
export async function curlConnections(baseUrl: string, token: string, path: string): Promise<string> {
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

export const python: HttpClient = {
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
