import type { PageSource } from './protocol.ts'

/**
 * The address of the development server, or null. Never in a packaged app, and only on this machine: whatever comes from there runs as the
 * page.
 */
export function devServer(packaged: boolean, env: Readonly<Record<string, string | undefined>>): URL | null {
  const text = env['ELECTRON_RENDERER_URL']
  if (packaged || text === undefined || !URL.canParse(text)) return null
  const url = new URL(text)
  const local = url.hostname === '127.0.0.1' || url.hostname === 'localhost'
  return url.protocol === 'http:' && local ? url : null
}

/** Fetches the page's files from a development server, so that the page keeps the app's own origin and policy in development too. */
export function devSource(server: URL): PageSource {
  return async (pathname, search) => {
    const response = await fetch(new URL(pathname + search, server), {
      headers: { accept: pathname === '/' ? 'text/html' : '*/*' },
      redirect: 'error',
    })
    if (!response.ok) return null
    const type = response.headers.get('content-type') ?? 'application/octet-stream'
    return { type, body: new Uint8Array(await response.arrayBuffer()) }
  }
}

/** The socket over which the development server announces changes. */
export const devSocket = (server: URL): string => `ws://${server.host}`
