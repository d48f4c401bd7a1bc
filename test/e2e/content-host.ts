import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** Serves a response to `GET /notes/N/content/<name>`. */
export type Served = (request: http.IncomingMessage, response: http.ServerResponse) => void

export interface ContentServer {
  readonly flags: string[]
  readonly port: number
  /**
   * Requested paths that the app itself does not read, so each of them was caused by hostile
   * content.
   */
  readonly fetched: string[]
  /** Requested content paths, with their Range. */
  readonly asked: string[]
  /** Returns the number of content responses in progress. */
  countOpen(): number
  close(): void
}

/**
 * Starts a host that serves the given contents for the parts of one card `N`, and records every
 * request. `places` serves other paths, by prefix.
 */
export async function startContentServer(
  contents: (port: number) => Readonly<Record<string, Served>>,
  places: Readonly<Record<string, Served>> = {},
): Promise<ContentServer> {
  const fetched: string[] = []
  const requests: string[] = []
  const open = new Set<http.ServerResponse>()
  const server = http.createServer((request, response) => {
    const url = request.url ?? ''
    const path = url.replace('/bridge/v1', '')
    const sendJson = (value: unknown): void =>
      void response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(value))
    const name = /^\/bridge\/v1\/notes\/N\/content\/([\w.-]+)/.exec(url)?.[1]
    const serve = name === undefined ? undefined : served[name]
    const place = Object.keys(places).find((key) => path.startsWith(key))
    if (place !== undefined) places[place]?.(request, response)
    else if (path === '/status')
      sendJson({ app: 'Host', appVersion: '1', bridgeApiVersion: '0.91', authorized: true, instanceNonce: 'n' })
    else if (path === '/capabilities') sendJson({ routes: [] })
    else if (path === '/library/study-sets') sendJson({ studySets: [] })
    else if (path === '/decks') sendJson({ decks: [] })
    else if (path === '/notes/batch-get') {
      const parts = Object.keys(served).map((key) => ({
        kind: 'image',
        contentId: key,
        contentPath: `/notes/N/content/${key}`,
      }))
      sendJson({ items: [{ noteid: 'N', title: 'N', parts }] })
    } else if (serve) {
      requests.push(`${name} ${request.headers.range ?? ''}`.trim())
      open.add(response)
      response.once('close', () => open.delete(response))
      serve(request, response)
    } else {
      fetched.push(url)
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const served = contents(port)
  return {
    flags: ['--base-url', `http://127.0.0.1:${port}`],
    port,
    fetched,
    asked: requests,
    countOpen: () => open.size,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** The same bytes each time, declared as `type`; null = no type. */
export const serveBytes =
  (type: string | null, body: string | Buffer): Served =>
  (_request, response) =>
    void response.writeHead(200, type === null ? {} : { 'Content-Type': type }).end(body)

/** Bytes generated for each part; Range is supported unless `ranges` is false. */
export function serveGenerated(
  type: string,
  size: number,
  make: (from: number, to: number) => Buffer,
  ranges = true,
): Served {
  return (request, response) => {
    const [, first, last] = (ranges && /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '')) || []
    const from = Number(first ?? 0)
    const to = last === undefined || last === '' ? size : Math.min(size, Number(last) + 1)
    response.writeHead(first === undefined ? 200 : 206, {
      'Content-Type': type,
      'Content-Length': to - from,
      ...(ranges ? { 'Accept-Ranges': 'bytes' } : {}),
      ...(first === undefined ? {} : { 'Content-Range': `bytes ${from}-${to - 1}/${size}` }),
    })
    let offset = from
    const writeMore = (): void => {
      while (offset < to && !response.destroyed) {
        const next = Math.min(to, offset + 262_144)
        const room = response.write(make(offset, next))
        offset = next
        if (!room) return void response.once('drain', writeMore)
      }
      if (!response.destroyed) response.end()
    }
    writeMore()
  }
}
