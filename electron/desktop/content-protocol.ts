import { Readable } from 'node:stream'
import type { CustomScheme, Protocol, WebContents, WebRequest } from 'electron'
import type { ContentDoor } from '../handlers/door.ts'
import type { Note } from './note.ts'
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
  readonly content: ContentDoor
  /** The main window's web contents: only its elements are served. */
  readonly contents: WebContents
  readonly protocol: Pick<Protocol, 'handle'>
  readonly webRequest: Pick<WebRequest, 'onBeforeRequest'>
  readonly note: Note
}

/** Serves the bytes of opened contents to the page's images and players, and to nothing else. */
export function serveContentScheme({ content, contents, protocol, webRequest, note }: ContentPorts): void {
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
  protocol.handle(CONTENT_SCHEME, (request) => answerContent(request, content, `desktop/${contents.id}/`))
}

/** Serves one request to the scheme. `page` is the prefix of the names of the window's callers. */
export async function answerContent(
  request: Pick<Request, 'method' | 'url' | 'headers' | 'signal'>,
  content: ContentDoor,
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
    download: false,
    asImage: (request.headers.get('accept') ?? '').startsWith('image/'),
    takesPieces: false,
    mayUse: (caller) => caller.startsWith(page),
    signal: request.signal,
  })
  return new Response(body && Readable.toWeb(body), { status, headers })
}
