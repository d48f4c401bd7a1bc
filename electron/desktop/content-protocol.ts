import { Readable } from 'node:stream'
import type { CustomScheme, Protocol } from 'electron'
import type { ContentReader } from '../handlers/app-ports.ts'
import { APP_HOST } from './origin.ts'

/** Contents of the host have a separate scheme, so that they never share the page's origin. */
export const CONTENT_SCHEME = 'bridge-content'

/**
 * Media elements need `stream`. `supportFetchAPI` is off because no script reads contents through
 * this scheme. Never add `corsEnabled`, `bypassCSP` or `allowServiceWorkers`.
 */
export const contentScheme: CustomScheme = {
  scheme: CONTENT_SCHEME,
  privileges: { standard: true, secure: true, stream: true },
}

/**
 * Serves the bytes of opened contents to images and players of the page. The handler cannot
 * identify the sender, so `panel-frame.ts` refuses all other requests before.
 * @param contentsId id of the web contents of the page.
 */
export function serveContentScheme(
  protocol: Pick<Protocol, 'handle'>,
  readContent: ContentReader,
  contentsId: number,
): void {
  protocol.handle(CONTENT_SCHEME, (request) => handleContentRequest(request, readContent, `desktop/${contentsId}/`))
}

/** @param callerPrefix prefix of the names of the window's callers. */
export async function handleContentRequest(
  request: Pick<Request, 'method' | 'url' | 'headers' | 'signal'>,
  readContent: ContentReader,
  callerPrefix: string,
): Promise<Response> {
  const url = new URL(request.url)
  const handle = url.host === APP_HOST ? /^\/([\w-]{1,100})$/.exec(url.pathname)?.[1] : undefined
  const { status, headers, body } = await readContent({
    method: request.method,
    // An address without a handle is responded to like an unknown one: no handle is empty.
    handle: handle ?? '',
    range: request.headers.get('range'),
    ifRange: request.headers.get('if-range'),
    isDownload: false,
    isForImage: (request.headers.get('accept') ?? '').startsWith('image/'),
    canTakePieces: false,
    canUse: (caller) => caller.startsWith(callerPrefix),
    signal: request.signal,
  })
  return new Response(body && (Readable.toWeb(body) as ReadableStream<Uint8Array<ArrayBuffer>>), { status, headers })
}
