import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { classifyRequest } from '../../shared/bridge/endpoints/index.ts'
import { entryOf, locate, type Step } from './members.ts'
import { mutate } from './mutations.ts'

/** The change to make: the response, its member and the kind of change. */
export interface Mutation {
  readonly responseKey: string
  readonly pointer: string
  readonly mutation: string
}

/** A response to a read that passed through the proxy. */
export interface Served {
  /** Method and path with the query: identifies a response within a place. */
  readonly responseKey: string
  readonly endpoint: string
  /** The body as the host sent it. */
  readonly original: unknown
  /** The body as passed on. */
  readonly sent: unknown
  /** The entry the changed member belongs to; null if nothing was changed. */
  readonly entry: readonly Step[] | null
  /** When the request arrived, and when the response was passed on, in milliseconds. */
  readonly requestedAt: number
  readonly sentAt: number
}

export interface Proxy {
  /** `http://127.0.0.1:PORT/bridge/v1` */
  readonly baseUrl: string
  /** Responses since `begin`. */
  readonly served: readonly Served[]
  /** Forgets the served responses; from now on responses are changed by `mutation`. */
  begin(mutation: Mutation | null): void
  /** Forgets the cached responses, so that the next requests reach the host again. */
  refresh(): void
  close(): Promise<void>
}

interface HostResponse {
  readonly status: number
  readonly headers: http.IncomingHttpHeaders
  readonly bytes: Buffer
  /**
   * Endpoint and value of a successful read; null for other responses, which are passed on
   * unchanged.
   */
  readonly read: { readonly endpoint: string; readonly text: boolean; readonly value: unknown } | null
}

const PREFIX = '/bridge/v1'

/** A proxy between the program and a host on loopback that changes one member of one response. */
export async function startProxy(hostPort: number): Promise<Proxy> {
  const agent = new http.Agent({ keepAlive: true })
  let served: Served[] = []
  let activeMutation: Mutation | null = null
  const responses = new Map<string, HostResponse>()

  const server = http.createServer((request, response) => {
    void pass(request, response).catch(() => response.destroy())
  })

  async function pass(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const askedAt = performance.now()
    const { method = '', url = '' } = request
    const name = `${method} ${url.slice(PREFIX.length)}`
    const body = await buffer(request)
    // The demo host responds to a read the same way each time, so its response is cached.
    const key = `${name} ${body.toString()}`
    const recorded = responses.get(key) ?? (await ask(request, body))
    if (recorded.read) responses.set(key, recorded)
    if (!recorded.read) return void send(response, recorded, recorded.bytes)
    const { endpoint, text, value: original } = recorded.read
    const path = activeMutation?.responseKey === name ? locate(original, activeMutation.pointer) : null
    const changed = path && activeMutation ? mutate(original, path, activeMutation.mutation) : null
    const entry = path && changed ? entryOf(path) : null
    const sentValue = changed ? changed.value : original
    served.push({
      responseKey: name,
      endpoint,
      original,
      sent: sentValue,
      entry,
      requestedAt: askedAt,
      sentAt: performance.now(),
    })
    if (!changed) return void send(response, recorded, recorded.bytes)
    send(response, recorded, Buffer.from(text && typeof sentValue === 'string' ? sentValue : JSON.stringify(sentValue)))
  }

  async function ask(request: http.IncomingMessage, body: Buffer): Promise<HostResponse> {
    const response = await forward(request, body)
    const bytes = await buffer(response)
    const { statusCode: status = 502, headers } = response
    const { endpoint } = classifyRequest(request.method ?? '', (request.url ?? '').slice(PREFIX.length))
    const json = /\bjson\b/.test(headers['content-type'] ?? '')
    const text = endpoint?.response.kind === 'text'
    const passed = { status, headers, bytes }
    if (status !== 200 || endpoint?.access !== 'read' || !(json || text)) return { ...passed, read: null }
    const value: unknown = json ? JSON.parse(bytes.toString('utf8')) : bytes.toString('utf8')
    return { ...passed, read: { endpoint: endpoint.id, text, value } }
  }

  function forward(request: http.IncomingMessage, body: Buffer): Promise<http.IncomingMessage> {
    const { method, url, headers } = request
    return new Promise((resolve, reject) => {
      const options = { agent, host: '127.0.0.1', port: hostPort, method, path: url, headers }
      const onward = http.request({ ...options, headers: { ...headers, host: `127.0.0.1:${hostPort}` } }, resolve)
      onward.on('error', reject)
      onward.end(body)
    })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}${PREFIX}`,
    get served() {
      return served
    },
    begin(mutation) {
      served = []
      activeMutation = mutation
    },
    refresh: () => responses.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
        agent.destroy()
      }),
  }
}

function send(response: http.ServerResponse, { status, headers: ownHeaders }: HostResponse, bytes: Buffer): void {
  const headers = { ...ownHeaders, 'content-length': bytes.length }
  delete headers['transfer-encoding']
  response.writeHead(status, headers)
  response.end(bytes)
}
