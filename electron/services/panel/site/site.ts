// Serves the files of a panel, from a folder or from a development server. Calls to the bridge are
// handled in panel/policy. Read this file first, then folder-site.ts and server-site.ts.
import type { NewPanelNote, SocketTarget } from '../call/types.ts'

export interface PanelSite {
  /** Takes WebSocket connections of the page; null if the site accepts none. */
  readonly socketTarget: SocketTarget | null
  /** Path with query of the first page. */
  readonly start: string
  /** An invalid request gets an error response, not a rejection. */
  serve(request: Request): Promise<Response>
  /** Calls `onChange` when the page should be reloaded. Returns a function that stops watching. */
  watch(onChange: () => void): () => void
}

/** Receives notes about requests that a site refused. */
export type NoteSink = (note: NewPanelNote) => void

export function createRefusedNote(resource: NonNullable<NewPanelNote['what']>, text: string): NewPanelNote {
  return {
    kind: 'refused',
    level: 'warning',
    what: resource,
    text: text.slice(0, 2_000),
    file: '',
    line: null,
    column: null,
  }
}

/** Creates a response with a text of the inspector itself, not of the panel's site. */
export function createTextResponse(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers } })
}
