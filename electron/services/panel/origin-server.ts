import { readFile } from 'node:fs/promises'
import { API_PREFIX } from './call/page-call.ts'
import { HELPER_BYTES, HELPER_PATH, buildHelperScript, injectHelper, isDocumentRequest } from './page/helper-script.ts'
import { secureHeaders, type FramePolicy } from './page/security-headers.ts'
import { LOAD_PATH, NOTES_PATH, readLoad, readReport, type PageLoad } from './page/reports.ts'
import { createTextResponse, createRefusedNote, type PanelSite } from './site/site.ts'
import type { SourceMaps } from './source-maps.ts'
import type { NewPanelNote, OriginServer } from './call/types.ts'

interface OriginServerOptions {
  readonly site: PanelSite
  readonly sourceMaps: SourceMaps
  readonly getFramePolicy: () => FramePolicy
  /** The files that make up the helper script. */
  readonly helperFiles: readonly URL[]
  /** Answers a call to `/bridge/v1`. */
  readonly serveApi: (request: Request) => Promise<Response>
  readonly addNote: (note: NewPanelNote) => void
  /** The page could not report so many notes. */
  readonly onNotesLost: (count: number) => void
  readonly onTitle: (title: string) => void
  /** A page is about to run, or a frame in one: returns a number for its load. */
  readonly beginLoad: () => number
  /** The page says that it runs. */
  readonly onLoad: (load: PageLoad) => void
}

/** The origin of one panel. */
export function createOriginServer(options: OriginServerOptions): OriginServer {
  const { site, getFramePolicy: around, addNote: note, sourceMaps } = options

  async function serve(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const isWorker = request.headers.has('service-worker') || request.headers.get('sec-fetch-dest') === 'serviceworker'
    if (isWorker) {
      note(createRefusedNote('service-worker', pathname))
      return page(createTextResponse(403, 'A panel has no service worker.'))
    }
    if (pathname === API_PREFIX || pathname.startsWith(`${API_PREFIX}/`)) return answer(await options.serveApi(request))
    if (pathname.startsWith('/__inspector/')) return page(await own(request, pathname))
    const response = await site.serve(request)
    noteFailure(request, pathname, response.status)
    return page(withScript(response, request))
  }

  /**
   * A file that is not there is told, as a browser's console does: neither `fetch` nor the import
   * of a module says which.
   */
  function noteFailure({ method, headers }: Request, pathname: string, status: number): void {
    if (status < 400 || pathname === '/favicon.ico') return
    // What an element could not load is told by the page.
    if (toldByPage.has(headers.get('sec-fetch-dest') ?? '')) return
    note({ kind: 'error', level: 'error', what: null, text: `${method} ${pathname}: ${status}`, ...nowhere })
  }

  const page = (response: Response): Response =>
    withHeaders(response, secureHeaders(copyOf(response), around(), 'page'))
  const answer = (response: Response): Response =>
    response.type === 'error' ? response : withHeaders(response, secureHeaders(copyOf(response), around(), 'answer'))

  async function own(request: Request, pathname: string): Promise<Response> {
    if (pathname === HELPER_PATH && request.method === 'GET') {
      const files = await Promise.all(options.helperFiles.map((file) => readFile(file, 'utf8')))
      // It is never kept, so that each load of the page fetches its own number.
      return new Response(buildHelperScript(files, options.beginLoad()), {
        headers: { 'Content-Type': 'text/javascript; charset=utf-8' },
      })
    }
    if (pathname === LOAD_PATH && request.method === 'POST') {
      const load = await readLoad(request)
      if (load) options.onLoad(load)
      return new Response(null, { status: 204 })
    }
    if (pathname !== NOTES_PATH || request.method !== 'POST') return createTextResponse(404, 'There is nothing here.')
    const { title, lostCount: lost, notes } = await readReport(request)
    options.onNotesLost(lost)
    if (title !== null) options.onTitle(title)
    // The page sends its next report after this response, so that no more than one waits for source
    // maps.
    for (const one of notes) note(await withOriginal(one))
    return new Response(null, { status: 204 })
  }

  async function withOriginal(one: NewPanelNote): Promise<NewPanelNote> {
    const { file, line, column } = one
    const original = line === null ? null : await sourceMaps.findOriginal({ file, line, column })
    return { ...one, original, text: await sourceMaps.annotateStack(one.text) }
  }

  return { serve }
}

const nowhere = { file: '', line: null, column: null }

/** Destinations of requests (Fetch metadata) whose elements have an error event. */
const toldByPage = new Set(['audio', 'embed', 'image', 'object', 'style', 'track', 'video'])

const copyOf = ({ headers }: Response): Headers => new Headers(headers)

const withHeaders = (response: Response, headers: Headers): Response =>
  new Response(response.body, { status: response.status, headers })

/**
 * A document of the page gets the helper script; the same file, fetched as data, stays as it is.
 */
function withScript(response: Response, request: Request): Response {
  const isHtml = /^\s*text\/html\b/i.test(response.headers.get('content-type') ?? '')
  if (!isHtml || response.body === null || response.status === 206 || !isDocumentRequest(request.headers))
    return response
  const headers = copyOf(response)
  for (const name of ['accept-ranges', 'etag', 'last-modified']) headers.delete(name)
  const length = headers.get('content-length')
  if (length !== null) headers.set('Content-Length', String(Number(length) + HELPER_BYTES))
  return new Response(injectHelper(response.body), { status: response.status, headers })
}
