import type { ResponseMeta } from '../../shared/ipc/bridge.ts'

/** An answer that can be viewed as sent even though rendering it failed. */
export interface RecentResponse {
  /** `GET /library/study-sets`. */
  readonly title: string
  readonly raw: ArrayBuffer
}

const MAX_AT_HAND = 6
/** Newest first. Held weakly: an answer nothing else keeps is gone here as well. */
let recent: readonly { readonly title: string; readonly raw: WeakRef<ArrayBuffer> }[] = []

export function rememberResponse({ method, path }: ResponseMeta, raw: ArrayBuffer): void {
  const title = `${method} ${path}`.slice(0, 200)
  recent = [{ title, raw: new WeakRef(raw) }, ...recent.filter((one) => one.title !== title)].slice(0, MAX_AT_HAND)
}

/** The last answers to distinct requests, newest first. */
export function getRecentResponses(): readonly RecentResponse[] {
  return recent.flatMap(({ title, raw }) => {
    const held = raw.deref()
    return held ? [{ title, raw: held }] : []
  })
}

/** An answer that is kept so that ids can be looked up in it. */
interface SeenAnswer {
  readonly meta: ResponseMeta
  readonly raw: ArrayBuffer
}

/** Bounds of what is kept: the newest answers, without the few that would crowd out all others. */
const MAX_SEEN_BYTES = 16 * 1024 * 1024
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const MAX_SEEN = 80

/** Newest first. */
let kept: readonly SeenAnswer[] = []

/** Keeps an answer, in place of an earlier one to the same GET. */
export function cacheResponse(meta: ResponseMeta, raw: ArrayBuffer): void {
  if (raw.byteLength > MAX_ANSWER_BYTES) return
  const again = (one: SeenAnswer): boolean => one.meta.method === 'GET' && one.meta.path === meta.path
  let bytes = raw.byteLength
  const rest = kept.filter((one) => {
    if (again(one)) return false
    bytes += one.raw.byteLength
    return bytes <= MAX_SEEN_BYTES
  })
  kept = [{ meta, raw }, ...rest].slice(0, MAX_SEEN)
}

/** The answers of this host that are still kept, newest first. */
export const getCachedResponses = (): readonly SeenAnswer[] => kept

/** Another host has other things under the same ids. */
export function clearCachedResponses(): void {
  kept = []
}
