import { Readable } from 'node:stream'
import type { CustomScheme, Protocol, WebContents, WebRequest } from 'electron'
import type { ContentReader } from '../handlers/ipc-dispatcher.ts'
import type { SecurityLogger } from './security-logger.ts'
import { APP_HOST } from './origin.ts'

/**
 * The host's contents have a scheme of their own, so that none of them shares the page's origin.
 */
export const CONTENT_SCHEME = 'bridge-content'

/**
 * Media elements need `stream`. `supportFetchAPI` is off because no script reads this scheme. Never
 * add `corsEnabled`, `bypassCSP` or `allowServiceWorkers`.
 */
export const contentScheme: CustomScheme = {
  scheme: CONTENT_SCHEME,
  privileges: { standard: true, secure: true, stream: true },
}

interface ContentPorts {
  readonly contentReader: ContentReader
  /** Only elements of the main window's web contents are served. */
  readonly contents: WebContents
  readonly protocol: Pick<Protocol, 'handle'>
  readonly webRequest: Pick<WebRequest, 'onBeforeRequest'>
  readonly log: SecurityLogger
}

/** Serves the bytes of opened contents to the page's images and players, and to nothing else. */
export function serveContentScheme({
  contentReader: readContent,
  contents,
  protocol,
  webRequest,
  log,
}: ContentPorts): void {
  // The scheme's handler does not learn the sender; this listener does, and it runs first.
  webRequest.onBeforeRequest(
    { urls: [`${CONTENT_SCHEME}://*/*`] },
    ({ webContentsId, resourceType, frame }, respond) => {
      const isOwn = webContentsId === contents.id && !contents.isDestroyed() && frame?.parent === null
      const isElement = resourceType === 'image' || resourceType === 'media'
      if (!isOwn || !isElement) log('content refused', { reason: isOwn ? resourceType : 'foreign' })
      respond({ cancel: !isOwn || !isElement })
    },
  )
  protocol.handle(CONTENT_SCHEME, (request) => handleContentRequest(request, readContent, `desktop/${contents.id}/`))
}

/**
 * Handles one request to the scheme.
 *
 * @param page prefix of the names of the window's callers.
 */
export async function handleContentRequest(
  request: Pick<Request, 'method' | 'url' | 'headers' | 'signal'>,
  readContent: ContentReader,
  callerPrefix: string,
): Promise<Response> {
  const url = new URL(request.url)
  const handle = url.host === APP_HOST ? /^\/([\w-]{1,100})$/.exec(url.pathname)?.[1] : undefined
  const { status, headers, body } = await readContent({
    method: request.method,
    // No content has an empty handle, so an address without one gets the same response as an
    // unknown content.
    handle: handle ?? '',
    range: request.headers.get('range'),
    ifRange: request.headers.get('if-range'),
    isDownload: false,
    isForImage: (request.headers.get('accept') ?? '').startsWith('image/'),
    canTakePieces: false,
    canUse: (caller) => caller.startsWith(callerPrefix),
    signal: request.signal,
  })
  return new Response(body && Readable.toWeb(body), { status, headers })
}
