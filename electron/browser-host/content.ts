import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { ContentDoor } from '../handlers/door.ts'
import { refusals, refuse } from './refusals.ts'

/** `GET /content/<handle>`: serves the bytes of an opened content to an element of the page. When the element goes, the read ends. */
export async function serveContent(
  content: ContentDoor,
  mayUse: (caller: string) => boolean,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://local')
  const handle = /^\/content\/([\w-]{1,100})$/.exec(url.pathname)?.[1]
  if (handle === undefined) return refuse(request, response, refusals.missing)
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const { status, headers, body } = await content({
    method: request.method ?? 'GET',
    handle,
    range: request.headers.range ?? null,
    ifRange: request.headers['if-range']?.toString() ?? null,
    download: url.searchParams.get('download') === '1',
    asImage: request.headers['sec-fetch-dest'] === 'image',
    takesPieces: true,
    mayUse,
    signal: gone.signal,
  })
  if (response.destroyed) return void body?.destroy()
  response.writeHead(status, headers)
  if (body === null) response.end()
  // A body that fails takes the connection down with it: a response that ends short of its announced length must not look complete.
  else pipeline(body, response, () => undefined)
}
