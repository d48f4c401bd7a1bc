import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { DemoHost } from '../../../electron/demo-host/server.ts'

interface ResponseParts {
  readonly status: number
  readonly body: unknown
}
/** Changes what the demo host returned; null leaves it. */
export type AlterResponse = (
  asked: { readonly path: string; readonly body: unknown },
  answer: ResponseParts,
) => ResponseParts | null | Promise<null>

/** Starts a proxy to the demo host that may change the responses on the way back. */
export async function startAlteringHost(host: DemoHost, alter: AlterResponse): Promise<string> {
  const server = http.createServer((request, response) => {
    void forwardRequest(request, host, alter)
      .then(({ status, body, raw }) => {
        response.writeHead(status, { 'Content-Type': 'application/json' })
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

async function forwardRequest(request: http.IncomingMessage, host: DemoHost, alter: AlterResponse) {
  const requestBody = await readText(request)
  const path = (request.url ?? '').replace(/^\/bridge\/v1/, '')
  const { status = 502, text } = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const headers = { ...request.headers, host: `127.0.0.1:${host.port}` }
    const options = { host: '127.0.0.1', port: host.port, path: request.url, method: request.method, headers }
    const forwarded = http.request(options, (response) => {
      readText(response).then((body) => resolve({ status: response.statusCode, text: body }), reject)
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
  const changed = await alter({ path, body: parseOrKeep(requestBody) }, { status, body: parseOrKeep(text) })
  return changed ? { ...changed, raw: null } : { status, body: null, raw: text }
}

async function readText(stream: http.IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of stream) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}
