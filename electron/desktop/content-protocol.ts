import { Readable } from 'node:stream'
import type { CustomScheme, Protocol, WebContents, WebRequest } from 'electron'
import type { ContentDoor } from '../handlers/door.ts'
import type { Note } from './note.ts'
import { APP_HOST } from './origin.ts'

/** Contents of the host have a scheme of their own, so that nothing of them is of the page's origin. */
export const CONTENT_SCHEME = 'bridge-content'

/**
 * `stream` is what media elements need. No `supportFetchAPI`: no script reads it. Never `corsEnabled`, `bypassCSP` or
 * `allowServiceWorkers`.
 */
export const contentScheme: CustomScheme = {
  scheme: CONTENT_SCHEME,
  privileges: { standard: true, secure: true, stream: true },
}

interface ContentPorts {
  readonly content: ContentDoor
  /** The main window's web contents: the only one whose elements are answered. */
  readonly contents: WebContents
  readonly protocol: Pick<Protocol, 'handle'>
  readonly webRequest: Pick<WebRequest, 'onBeforeRequest'>
  readonly note: Note
}

/** Gives the bytes of opened contents to images and players of the page, and to nothing else. */
export function serveContentScheme({ content, contents, protocol, webRequest, note }: ContentPorts): void {
  // The scheme's handler is not told who asks; this is, and it is asked first.
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

/** Answers a request to the scheme. `page` is what the names of the window's callers begin with. */
export async function answerContent(
  request: Pick<Request, 'method' | 'url' | 'headers' | 'signal'>,
  content: ContentDoor,
  page: string,
): Promise<Response> {
  const url = new URL(request.url)
  const handle = url.host === APP_HOST ? /^\/([\w-]{1,100})$/.exec(url.pathname)?.[1] : undefined
  const { status, headers, body } = await content({
    method: request.method,
    // No handle is empty, so that what is no address of a content is answered like one that is not there.
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
