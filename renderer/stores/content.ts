import { onScopeDispose, watch } from 'vue'
import { createCancelledError } from '../../shared/errors.ts'
import type { ContentFacts, ContentRef } from '../../shared/ipc/content.ts'
import { call, getContentUrl } from '../ipc/call.ts'
import { useConnection } from './connection.ts'
import { useResource, type Resource } from './resource.ts'

export { saveContent } from '../ipc/call.ts'

/** What is known about an opened content. */
interface OpenContent extends ContentFacts {
  /** For `src` of an element. */
  readonly url: string
}

/**
 * Opens the content `source` names, another one when that changes, none while it returns null. Must be called in a component's or effect's
 * scope, which also releases it. Reopens after the service process was gone, because it then knows none of our handles, and, if it failed
 * for lack of a host, once the host is back. `reload` asks the host again, whatever is cached.
 */
export function useContent(source: () => ContentRef | null): Resource<OpenContent> {
  const connection = useConnection()
  let held: string | null = null
  let isCacheEnough = false

  function hold(handle: string | null): void {
    if (held !== null) release(held)
    held = handle
  }

  const resource = useResource<OpenContent>(
    async (signal) => {
      const wanted = source()
      if (wanted === null) throw createCancelledError()
      const isFresh = !isCacheEnough
      isCacheEnough = false
      const facts = await open(wanted, isFresh, signal)
      if (signal.aborted) release(facts.handle)
      else hold(facts.handle)
      return { ...facts, url: getContentUrl(facts.handle) }
    },
    ({ receivedAt, epoch, byteLength }) => ({ readAt: receivedAt, epoch, bytes: byteLength ?? 0 }),
    // What is being played or leafed through would start over.
    { getShownRead: source, isReplaceable: (facts) => facts.kind === 'image' },
  )

  function load(): void {
    if (source() === null) return
    isCacheEnough = true
    void resource.reload()
  }

  watch(
    () => JSON.stringify(source()),
    () => {
      resource.reset()
      hold(null)
      load()
    },
    { immediate: true },
  )
  watch(
    () => connection.serviceReachable,
    (reachable) => {
      if (!reachable || held === null) return
      held = null
      load()
    },
  )
  onScopeDispose(() => hold(null))
  return resource
}

/** Bytes `start` to `end` (exclusive, at most `MAX_SLICE`) of an opened content; fewer if it ends sooner. Throws `AppError`. */
export async function readContentSlice(
  handle: string,
  start: number,
  end: number,
  signal?: AbortSignal,
): Promise<{ bytes: ArrayBuffer; start: number; total: number | null }> {
  const { meta, bytes } = await call('content.slice', { handle, start, end }, signal ? { signal } : {})
  return { ...meta, bytes }
}

const CHUNK_BYTES = 4 * 1024 * 1024

/** All bytes of a content of this length, read piece by piece; fewer if it ends sooner. Throws what `read` throws. */
export async function readAllBytes(
  read: (start: number, end: number, signal: AbortSignal) => Promise<{ readonly bytes: ArrayBuffer }>,
  length: number,
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  const pieces: ArrayBuffer[] = []
  for (let start = 0; start < length;) {
    const { bytes } = await read(start, Math.min(length, start + CHUNK_BYTES), signal)
    if (bytes.byteLength === 0) break
    pieces.push(bytes)
    start += bytes.byteLength
  }
  return new Blob(pieces).arrayBuffer()
}

function open({ params, query, ...ref }: ContentRef, fresh: boolean, signal: AbortSignal): Promise<ContentFacts> {
  // Copied, because a reactive proxy does not survive the trip to the service process.
  const input = { ...ref, params: { ...params }, query: { ...query }, ...(fresh ? { fresh } : {}) }
  return call('content.open', input, { signal })
}

/** Nothing waits for this call; a service process that is gone has forgotten the handle anyway. */
function release(handle: string): void {
  call('content.release', { handle }).catch(() => undefined)
}
