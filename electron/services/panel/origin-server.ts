import { readFile } from 'node:fs/promises'
import type { ElementReport } from './call/element-report.ts'
import { API_PREFIX } from './call/page-call.ts'
import {
  HELPER_TAG_BYTES,
  HELPER_SCRIPT_PATH,
  buildHelperScript,
  injectHelperTag,
  isDocumentRequest,
} from './page/helper-script.ts'
import {
  ELEMENTS_PATH,
  LEFT_PATH,
  LOAD_PATH,
  NOTES_PATH,
  readElements,
  readLeftLoad,
  readLoad,
  readReport,
  type PageLoad,
} from './page/reports.ts'
import { createTextResponse, createRefusedNote, type PanelSite } from './site/site.ts'
import type { SourceMaps } from './source-maps.ts'
import type { NewPanelNote, OriginServer } from './call/types.ts'

/** The sandbox of the frame, repeated for a page that is opened outside the frame. */
const SANDBOX_DIRECTIVE = 'sandbox allow-scripts allow-same-origin allow-forms'

/** A panel is a foreign program: all is allowed in its own origin, nothing outside. */
function buildPageCsp(frameAncestors: string): string {
  return [
    "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:",
    "connect-src 'self' data: blob:",
    "worker-src 'self' blob:",
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    `frame-ancestors ${frameAncestors}`,
    SANDBOX_DIRECTIVE,
  ].join('; ')
}

/** Responses of the host are data: no script runs when one is opened as a document. */
const DATA_CSP = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox; frame-ancestors 'self'"

const DENIED_PERMISSIONS = [
  'accelerometer',
  'autoplay',
  'camera',
  'clipboard-read',
  'display-capture',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'local-fonts',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'storage-access',
  'usb',
  'window-management',
  'xr-spatial-tracking',
]

const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  // The page gets a separate process, so that an endless loop blocks only the page itself.
  'Origin-Agent-Cluster': '?1',
  'Permissions-Policy': DENIED_PERMISSIONS.map((name) => `${name}=()`).join(', '),
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
}

/**
 * Neither our policy nor our scripts can prevent WebRTC in a blank frame. Chromium 156 supports
 * this header, and ends the process of a page that opens WebRTC, but a packet can leave before the
 * process ends; other browsers ignore the header. Redirects are allowed here because the content
 * security policy checks them: https://wicg.github.io/connection-allowlists
 */
const CONNECTION_ALLOWLIST = '(response-origin);redirects=allow'

/** Scripts of a `page` may run; `frameAncestors` are the pages that may frame it. */
function secureHeaders(headers: Headers, frameAncestors: string, kind: 'page' | 'answer'): Headers {
  for (const [name, value] of Object.entries(COMMON_HEADERS)) headers.set(name, value)
  headers.set('Connection-Allowlist', CONNECTION_ALLOWLIST)
  headers.set('Content-Security-Policy', kind === 'page' ? buildPageCsp(frameAncestors) : DATA_CSP)
  for (const name of BLOCKED_HEADERS) headers.delete(name)
  return headers
}

/** Response headers that would give the page more access, or that belong to one connection. */
const BLOCKED_HEADERS = [
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'alt-svc',
  'clear-site-data',
  'connection',
  'content-security-policy-report-only',
  'keep-alive',
  'link',
  'nel',
  'refresh',
  'report-to',
  'reporting-endpoints',
  'service-worker-allowed',
  'speculation-rules',
  'strict-transport-security',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'www-authenticate',
]

interface OriginServerOptions {
  readonly site: PanelSite
  readonly sourceMaps: SourceMaps
  /** Returns the pages that may show this page in a frame. */
  readonly getFrameAncestors: () => string
  readonly helperFiles: readonly URL[]
  readonly serveApi: (request: Request) => Promise<Response>
  readonly addNote: (note: NewPanelNote) => void
  /** Called with the number of notes that the page could not report. */
  readonly onNotesLost: (count: number) => void
  readonly onTitle: (title: string) => void
  /** Called before a page, or a frame in it, runs; returns a number for its load. */
  readonly beginLoad: () => number
  /** Called with the addresses that code of the page gave to elements. */
  readonly onElements: (report: ElementReport) => void
  readonly onWorkerFile: (path: string) => void
  readonly onLoad: (load: PageLoad) => void
  /** Called with the number of a load when the page reports that it ends. */
  readonly onLeft: (load: number) => void
}

export function createOriginServer(options: OriginServerOptions): OriginServer {
  const { site, getFrameAncestors, addNote, sourceMaps } = options

  async function serve(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    const isWorker = request.headers.has('service-worker') || request.headers.get('sec-fetch-dest') === 'serviceworker'
    if (isWorker) {
      addNote(createRefusedNote('service-worker', pathname))
      return securePage(createTextResponse(403, 'A panel has no service worker.'))
    }
    if (pathname === API_PREFIX || pathname.startsWith(`${API_PREFIX}/`))
      return secureData(await options.serveApi(request))
    if (pathname.startsWith('/__inspector/')) return securePage(await serveInspectorFile(request, pathname))
    if (/^(?:shared)?worker$/.test(request.headers.get('sec-fetch-dest') ?? '')) options.onWorkerFile(pathname)
    const response = await site.serve(request)
    // A browser asks for it by itself, and would report that it is missing as an error of the page.
    if (pathname === '/favicon.ico' && response.status === 404) return securePage(new Response(null, { status: 204 }))
    noteFailure(request, pathname, response.status)
    return securePage(withScript(response, request))
  }

  /**
   * Adds a note about a file that cannot be loaded, like the message in a browser's console: the
   * error of `fetch` or of a module's import does not contain the file's name.
   */
  function noteFailure({ method, headers }: Request, pathname: string, status: number): void {
    if (status < 400) return
    // The page itself reports files that an element could not load.
    if (PAGE_REPORTED_DESTINATIONS.has(headers.get('sec-fetch-dest') ?? '')) return
    addNote({ kind: 'error', level: 'error', what: null, text: `${method} ${pathname}: ${status}`, ...NO_POSITION })
  }

  const securePage = (response: Response): Response =>
    withHeaders(response, secureHeaders(copyHeaders(response), getFrameAncestors(), 'page'))
  const secureData = (response: Response): Response =>
    response.type === 'error'
      ? response
      : withHeaders(response, secureHeaders(copyHeaders(response), getFrameAncestors(), 'answer'))

  async function serveInspectorFile(request: Request, pathname: string): Promise<Response> {
    if (pathname === HELPER_SCRIPT_PATH && request.method === 'GET') {
      const files = await Promise.all(options.helperFiles.map((file) => readFile(file, 'utf8')))
      // The script is not cached, so that each load of the page gets its own number.
      return new Response(buildHelperScript(files, options.beginLoad()), {
        headers: { 'Content-Type': 'text/javascript; charset=utf-8' },
      })
    }
    if (pathname === LOAD_PATH && request.method === 'POST') {
      const load = await readLoad(request)
      if (load) options.onLoad(load)
      return new Response(null, { status: 204 })
    }
    if (pathname === LEFT_PATH && request.method === 'POST') {
      const load = await readLeftLoad(request)
      if (load !== null) options.onLeft(load)
      return new Response(null, { status: 204 })
    }
    if (pathname === ELEMENTS_PATH && request.method === 'POST') {
      const report = await readElements(request)
      if (report) options.onElements(report)
      return new Response(null, { status: 204 })
    }
    if (pathname !== NOTES_PATH || request.method !== 'POST') return createTextResponse(404, 'There is nothing here.')
    const { title, lostCount, notes } = await readReport(request)
    options.onNotesLost(lostCount)
    if (title !== null) options.onTitle(title)
    // The next report comes after this response, so at most one waits for source maps.
    for (const newNote of notes) addNote(await withOriginal(newNote))
    return new Response(null, { status: 204 })
  }

  async function withOriginal(newNote: NewPanelNote): Promise<NewPanelNote> {
    const { file, line, column } = newNote
    const original = line === null ? null : await sourceMaps.findOriginalPosition({ file, line, column })
    return { ...newNote, original, text: await sourceMaps.annotateStack(newNote.text) }
  }

  return { serve }
}

const NO_POSITION = { file: '', line: null, column: null }

/** Destinations whose elements fire an error event when a file cannot be loaded. */
const PAGE_REPORTED_DESTINATIONS = new Set(['audio', 'embed', 'image', 'object', 'style', 'track', 'video'])

const copyHeaders = ({ headers }: Response): Headers => new Headers(headers)

const withHeaders = (response: Response, headers: Headers): Response =>
  new Response(response.body, { status: response.status, headers })

/** A document that the page fetches as data stays unchanged. */
function withScript(response: Response, request: Request): Response {
  const isHtml = /^\s*text\/html\b/i.test(response.headers.get('content-type') ?? '')
  if (!isHtml || response.body === null || response.status === 206 || !isDocumentRequest(request.headers))
    return response
  const headers = copyHeaders(response)
  for (const name of ['accept-ranges', 'etag', 'last-modified']) headers.delete(name)
  const length = headers.get('content-length')
  if (length !== null) headers.set('Content-Length', String(Number(length) + HELPER_TAG_BYTES))
  return new Response(injectHelperTag(response.body), { status: response.status, headers })
}
