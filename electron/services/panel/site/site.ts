import type { NewPanelNote, SocketTarget } from '../call/types.ts'

/** Where a panel's page and its files come from. */
export interface PanelSite {
  /** Where sockets of the page are passed on to. */
  readonly socketTarget: SocketTarget | null
  /** Path with query where its page begins. */
  readonly start: string
  /** A file of the page. Never rejects because of what is asked for. */
  serve(request: Request): Promise<Response>
  /** Calls back when the page should be loaded again; returns how to end that. */
  watch(changed: () => void): () => void
}

/** Hears of what a site refused. */
export type NoteSink = (note: NewPanelNote) => void

export const createRefusedNote = (what: NonNullable<NewPanelNote['what']>, text: string): NewPanelNote => ({
  kind: 'refused',
  level: 'warning',
  what,
  text: text.slice(0, 2_000),
  file: '',
  line: null,
  column: null,
})

/** A short answer of our own, as text. */
export const createTextResponse = (status: number, text: string, headers: Record<string, string> = {}): Response =>
  new Response(text, { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers } })
