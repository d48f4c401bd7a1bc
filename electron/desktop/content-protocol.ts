import { Readable } from 'node:stream'
import type { CustomScheme, Protocol, WebContents, WebRequest } from 'electron'
import type { ContentReader } from '../handlers/ipc-dispatcher.ts'
import type { SecurityLogger } from './security-logger.ts'
import { APP_HOST } from './origin.ts'

/** The host's contents have a scheme of their own, so that none of them share the page's origin. */
export const CONTENT_SCHEME = 'bridge-content'

/**
 * Media elements need `stream`. `supportFetchAPI` is off because no script reads this scheme. Never add `corsEnabled`, `bypassCSP` or
 * `allowServiceWorkers`.
 */
export const contentScheme: CustomScheme = {
  scheme: CONTENT_SCHEME,
  privileges: { standard: true, secure: true, stream: true },
}

interface ContentPorts {
  readonly contentReader: ContentReader
  /** The main window's web contents: only its elements are served. */
  readonly contents: WebContents
  readonly protocol: Pick<Protocol, 'handle'>
  readonly webRequest: Pick<WebRequest, 'onBeforeRequest'>
  readonly log: SecurityLogger
}

/** Serves the bytes of opened contents to the page's images and players, and to nothing else. */
export function serveContentScheme({
  contentReader: content,
  contents,
  protocol,
  webRequest,
  log: note,
}: ContentPorts): void {
  // The scheme's handler is not told who is asking; this listener is, and it runs first.
  webRequest.onBeforeRequest(
    { urls: [`${CONTENT_SCHEME}://*/*`] },
    ({ webContentsId, resourceType, frame }, answer) => {
      const own = webContentsId === contents.id && !contents.isDestroyed() && frame?.parent === null
      const element = resourceType === 'image' || resourceType === 'media'
      if (!own || !element) note('content refused', { reason: own ? resourceType : 'foreign' })
      answer({ cancel: !own || !element })
    },
  )
  protocol.handle(CONTENT_SCHEME, (request) => handleContentRequest(request, content, `desktop/${contents.id}/`))
}

/** Serves one request to the scheme. `page` is the prefix of the names of the window's callers. */
export async function handleContentRequest(
  request: Pick<Request, 'method' | 'url' | 'headers' | 'signal'>,
  content: ContentReader,
  page: string,
): Promise<Response> {
  const url = new URL(request.url)
  const handle = url.host === APP_HOST ? /^\/([\w-]{1,100})$/.exec(url.pathname)?.[1] : undefined
  const { status, headers, body } = await content({
    method: request.method,
    // No handle is empty, so an address without one gets the same response as a content that does not exist.
    handle: handle ?? '',
    range: request.headers.get('range'),
    ifRange: request.headers.get('if-range'),
    isDownload: false,
    isForImage: (request.headers.get('accept') ?? '').startsWith('image/'),
    canTakePieces: false,
    canUse: (caller) => caller.startsWith(page),
    signal: request.signal,
  })
  return new Response(body && Readable.toWeb(body), { status, headers })
}
