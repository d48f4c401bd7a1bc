import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { DemoHost } from '../../../electron/demo-host/server.ts'

interface ResponseParts {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}
/** Changes what the demo host returned; null leaves it. */
export type AlterResponse = (
  asked: { readonly method: string; readonly path: string; readonly body: unknown },
  answer: ResponseParts,
) => ResponseParts | null | Promise<null>

/** Starts a proxy to the demo host that may change the responses on the way back. */
export async function startAlteringHost(host: DemoHost, alter: AlterResponse): Promise<string> {
  const server = http.createServer((request, response) => {
    void forwardRequest(request, host, alter)
      .then(({ status, type, body, raw, headers }) => {
        response.writeHead(status, { ...headers, 'Content-Type': type })
        response.end(raw ?? JSON.stringify(body))
      })
      .catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/bridge/v1`
}

interface ForwardedResponse {
  readonly status: number | undefined
  readonly type: string
  readonly bytes: Buffer
}

async function forwardRequest(request: http.IncomingMessage, host: DemoHost, alter: AlterResponse) {
  const requestBody = (await buffer(request)).toString('utf8')
  const path = (request.url ?? '').replace(/^\/bridge\/v1/, '')
  const {
    status = 502,
    type,
    bytes,
  } = await new Promise<ForwardedResponse>((resolve, reject) => {
    const headers = { ...request.headers, host: `127.0.0.1:${host.port}` }
    const options = { host: '127.0.0.1', port: host.port, path: request.url, method: request.method, headers }
    const forwarded = http.request(options, (response) => {
      const { 'content-type': type = 'application/json' } = response.headers
      buffer(response).then((bytes) => resolve({ status: response.statusCode, type, bytes }), reject)
    })
    forwarded.on('error', reject)
    forwarded.end(requestBody)
  })
  const parseOrKeep = (value: string): unknown => {
    try {
      return JSON.parse(value) as unknown
    } catch {
      return value
    }
  }
  const alteredRequest = { method: request.method ?? '', path, body: parseOrKeep(requestBody) }
  const changed = await alter(alteredRequest, { status, body: parseOrKeep(bytes.toString('utf8')) })
  return changed
    ? { type: 'application/json', headers: {}, ...changed, raw: null }
    : { status, type, headers: {}, body: null, raw: bytes }
}
