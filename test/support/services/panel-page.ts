import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { vi } from 'vitest'

/** Imports a module of a panel, whose code calls the globals `fetch` and `host`. */
export const importPanelModule = async (folder: string, name: string): Promise<Record<string, unknown>> =>
  (await import(pathToFileURL(path.resolve(folder, name)).href)) as Record<string, unknown>

/** Provides `host.api`, and a `fetch` that takes paths of the page, as a panel's page has them. */
export function installPanelPage(url: string): void {
  const globalFetch = globalThis.fetch
  const fetchFromPage = (target: string, init: RequestInit = {}): Promise<Response> =>
    globalFetch(new URL(target, url), init)
  vi.stubGlobal('fetch', fetchFromPage)
  vi.stubGlobal('host', {
    async api(target: string, init: RequestInit = {}) {
      const headers = { ...(init.headers as object), 'x-inspector-via': 'host.api' }
      const text = await (await fetchFromPage(`/bridge/v1${target}`, { ...init, headers })).text()
      try {
        return JSON.parse(text) as unknown
      } catch {
        return { error: { code: 'NOT_JSON' } }
      }
    },
  })
}
