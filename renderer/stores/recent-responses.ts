import type { ResponseMeta } from '../../shared/ipc/bridge.ts'

/** A response that the user can view as sent even though rendering it failed. */
export interface RecentResponse {
  /** Method and path, such as `GET /library/study-sets`. */
  readonly title: string
  readonly raw: ArrayBuffer
}

const MAX_RECENT_RESPONSES = 6
/** Newest first. Weak, so that a response is collected if no view holds it. */
let recent: readonly { readonly title: string; readonly raw: WeakRef<ArrayBuffer> }[] = []

export function addRecentResponse({ method, path }: ResponseMeta, raw: ArrayBuffer): void {
  const title = `${method} ${path}`.slice(0, 200)
  recent = [{ title, raw: new WeakRef(raw) }, ...recent.filter((response) => response.title !== title)].slice(
    0,
    MAX_RECENT_RESPONSES,
  )
}

/** The last responses to distinct requests, newest first. */
export function getRecentResponses(): readonly RecentResponse[] {
  return recent.flatMap(({ title, raw }) => {
    const bytes = raw.deref()
    return bytes ? [{ title, raw: bytes }] : []
  })
}

/** A response that is kept so that ids can be looked up in it. */
interface CachedResponse {
  readonly meta: ResponseMeta
  readonly raw: ArrayBuffer
}

/** A single large response is not cached, because it would evict all others. */
const MAX_CACHE_BYTES = 16 * 1024 * 1024
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024
const MAX_CACHED_RESPONSES = 80

/** Newest first. */
let cachedResponses: readonly CachedResponse[] = []

/** Adds a response to the cache, in place of an earlier response to the same GET request. */
export function cacheResponse(meta: ResponseMeta, raw: ArrayBuffer): void {
  if (raw.byteLength > MAX_RESPONSE_BYTES) return
  const isReplaced = (response: CachedResponse): boolean =>
    response.meta.method === 'GET' && response.meta.path === meta.path
  let bytes = raw.byteLength
  const others = cachedResponses.filter((response) => {
    if (isReplaced(response)) return false
    bytes += response.raw.byteLength
    return bytes <= MAX_CACHE_BYTES
  })
  cachedResponses = [{ meta, raw }, ...others].slice(0, MAX_CACHED_RESPONSES)
}

export function getCachedResponses(): readonly CachedResponse[] {
  return cachedResponses
}

/** Called when a different host is connected, where the same ids name different objects. */
export function clearCachedResponses(): void {
  cachedResponses = []
}
