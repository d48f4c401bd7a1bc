import { startDemoHost, type DemoHost, type DemoHostOptions } from '../../../electron/demo-host/server.ts'
import { getEndpointById, isJsonEndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { readResponse } from '../../../shared/bridge/response-reading.ts'
import { buildPath } from '../../../electron/services/bridge/client/request-path.ts'
import { noteItemSchema } from '../../../shared/bridge/resources/notes.ts'
import { salvage } from '../../../shared/bridge/salvage.ts'
import type { DataProblem } from '../../../shared/bridge/salvage-result.ts'

export interface DemoResponse {
  readonly status: number
  readonly type: string
  readonly headers: Headers
  readonly bytes: Uint8Array
  /** The body as JSON; undefined if it isn't. */
  readonly json: Record<string, unknown> & { error?: { code: string; details?: unknown; retryAfterSeconds?: number } }
}

export interface DemoRequest {
  readonly params?: Record<string, string>
  readonly query?: Record<string, string | number>
  readonly body?: unknown
  readonly headers?: Record<string, string>
  /** Absent = the correct one; null = none. */
  readonly token?: string | null
}

/** A demo host, and requests to it by the ids of the endpoint table. */
export async function startDemo(options: DemoHostOptions = {}) {
  const host: DemoHost = await startDemoHost({ nodes: 2_000, settleMs: 120, ...options })

  async function ask(id: string, request: DemoRequest = {}): Promise<DemoResponse> {
    const row = getEndpointById(id)
    return send(row.method, buildPath(row, request.params, request.query), request)
  }

  async function send(method: string, path: string, request: DemoRequest = {}): Promise<DemoResponse> {
    const token = request.token === undefined ? host.token : request.token
    const response = await fetch(host.baseUrl + path, {
      method,
      redirect: 'manual',
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...request.headers },
      ...(request.body === undefined
        ? {}
        : { body: typeof request.body === 'string' ? request.body : JSON.stringify(request.body) }),
    })
    const bytes = new Uint8Array(await response.arrayBuffer())
    const type = response.headers.get('content-type') ?? ''
    const json =
      type.includes('json') && bytes.byteLength > 0
        ? (JSON.parse(new TextDecoder().decode(bytes)) as DemoResponse['json'])
        : {}
    return { status: response.status, type, headers: response.headers, bytes, json }
  }

  return { host, ask, send }
}

export type DemoConnection = Awaited<ReturnType<typeof startDemo>>

/** Everything in a JSON answer that deviates from the contract. */
export function listProblems(id: string, body: unknown): readonly DataProblem[] {
  if (!isJsonEndpointId(id)) throw new Error(`${id} does not answer JSON`)
  const { problems } = readResponse(id, body)
  if (id !== 'notes.batchGet') return problems
  const cards = readResponse(id, body).value?.items ?? []
  return [...problems, ...cards.flatMap((card) => salvage(noteItemSchema, card).problems)]
}
