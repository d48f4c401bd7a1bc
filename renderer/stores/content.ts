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
 * Opens the content that `source` names, reopens when the source changes, and opens none while it
 * is null. Call it in a component's or effect's scope, which also releases the content. Reopens
 * after the service process was gone, because a new process knows none of the old handles, and,
 * after a failure for lack of a host, once the host is back. `reload` asks the host again, whatever
 * is cached.
 */
export function useContent(source: () => ContentRef | null): Resource<OpenContent> {
  const connection = useConnection()
  let handle: string | null = null
  let acceptsCache = false

  function replaceHandle(next: string | null): void {
    if (handle !== null) release(handle)
    handle = next
  }

  const resource = useResource<OpenContent>(
    async (signal) => {
      const ref = source()
      if (ref === null) throw createCancelledError()
      const isFresh = !acceptsCache
      acceptsCache = false
      const facts = await open(ref, isFresh, signal)
      if (signal.aborted) release(facts.handle)
      else replaceHandle(facts.handle)
      return { ...facts, url: getContentUrl(facts.handle) }
    },
    ({ receivedAt, epoch, byteLength }) => ({ readAt: receivedAt, epoch, bytes: byteLength ?? 0 }),
    // Replacing a sound or document that the user is in would start it over.
    { getShownRead: source, isReplaceable: (facts) => facts.kind === 'image' },
  )

  function load(): void {
    if (source() === null) return
    acceptsCache = true
    void resource.reload()
  }

  watch(
    () => JSON.stringify(source()),
    () => {
      resource.reset()
      replaceHandle(null)
      load()
    },
    { immediate: true },
  )
  watch(
    () => connection.serviceReachable,
    (reachable) => {
      if (!reachable || handle === null) return
      handle = null
      load()
    },
  )
  onScopeDispose(() => replaceHandle(null))
  return resource
}

/**
 * Reads bytes `start` to `end` (exclusive, at most `MAX_SLICE_BYTES`) of an opened content; fewer
 * if it ends sooner.
 * @throws AppError
 */
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

/**
 * Reads all bytes of a content of this length, chunk by chunk; fewer if it ends sooner. @throws
 * what `read` throws
 */
export async function readAllBytes(
  read: (start: number, end: number, signal: AbortSignal) => Promise<{ readonly bytes: ArrayBuffer }>,
  length: number,
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  const chunks: ArrayBuffer[] = []
  for (let start = 0; start < length;) {
    const { bytes } = await read(start, Math.min(length, start + CHUNK_BYTES), signal)
    if (bytes.byteLength === 0) break
    chunks.push(bytes)
    start += bytes.byteLength
  }
  return new Blob(chunks).arrayBuffer()
}

function open({ params, query, ...ref }: ContentRef, isFresh: boolean, signal: AbortSignal): Promise<ContentFacts> {
  // Copied, because a reactive proxy cannot be cloned to the service process.
  const input = { ...ref, params: { ...params }, query: { ...query }, ...(isFresh ? { fresh: isFresh } : {}) }
  return call('content.open', input, { signal })
}

/** Not awaited; a service process that is gone has forgotten the handle anyway. */
function release(handle: string): void {
  call('content.release', { handle }).catch(() => undefined)
}
