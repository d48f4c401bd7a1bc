import { startDemoHost, type DemoHost, type DemoHostOptions } from '../../electron/demo-host/server.ts'
import { endpoint } from '../../shared/bridge/endpoints/index.ts'
import { buildPath } from '../../shared/bridge/request.ts'

export interface DemoAnswer {
  readonly status: number
  readonly type: string
  readonly headers: Headers
  readonly bytes: Uint8Array
  /** The body as JSON; undefined where it is none. */
  readonly json: Record<string, unknown> & { error?: { code: string; details?: unknown; retryAfterSeconds?: number } }
}

export interface Asked {
  readonly params?: Record<string, string>
  readonly query?: Record<string, string | number>
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Absent = the right one; null = none. */
  readonly token?: string | null
}

/** A demo host and a way to ask it by the ids of the endpoint table. */
export async function demo(options: DemoHostOptions = {}) {
  const host: DemoHost = await startDemoHost({ nodes: 2_000, settleMs: 120, ...options })

  async function ask(id: string, asked: Asked = {}): Promise<DemoAnswer> {
    const row = endpoint(id)
    return send(row.method, buildPath(row, asked.params, asked.query), asked)
  }

  async function send(method: string, path: string, asked: Asked = {}): Promise<DemoAnswer> {
    const token = asked.token === undefined ? host.token : asked.token
    const response = await fetch(host.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...asked.headers },
      ...(asked.body === undefined
        ? {}
        : { body: typeof asked.body === 'string' ? asked.body : JSON.stringify(asked.body) }),
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const type = response.headers.get('content-type') ?? ''
    const json = type.includes('json') ? (JSON.parse(new TextDecoder().decode(bytes)) as DemoAnswer['json']) : {}
    return { status: response.status, type, headers: response.headers, bytes, json }
  }

  return { host, ask, send }
}

export type Demo = Awaited<ReturnType<typeof demo>>
