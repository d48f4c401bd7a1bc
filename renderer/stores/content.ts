import { onScopeDispose, watch } from 'vue'
import { createCancelledError } from '../../shared/errors.ts'
import type { ContentFacts, ContentRef } from '../../shared/ipc/content.ts'
import { call, getContentUrl } from '../ipc/call.ts'
import { useConnection } from './connection.ts'
import { useResource, type Resource } from './resource.ts'

export { saveContent } from '../ipc/call.ts'

interface OpenContent extends ContentFacts {
  /** The address for the `src` of an element. */
  readonly url: string
}

/**
 * Opens the content that `source` names, and opens again when the source changes; null opens
 * nothing. Call it in the scope of a component or effect; the end of the scope releases the
 * content. The content is opened again after the service process was unreachable, because a new
 * process does not know the old handles, and after a failure without a connection once the host is
 * back. `reload` requests the content from the host even if it is cached.
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
    // Replacing a sound or a document would start it over while the user plays or reads it.
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
 * Reads the bytes from `start` to `end` (exclusive, at most `MAX_SLICE_BYTES`) of an opened
 * content. Returns fewer bytes if the content ends before `end`.
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

/** Chunk by chunk; fewer bytes if the content is shorter. @throws what `read` throws */
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

/** Compares bytes; null if `MAX_COMPARED_BYTES` are the same and more follow. @throws AppError */
export async function areSameBytes(handles: readonly [string, string], signal: AbortSignal): Promise<boolean | null> {
  for (let start = 0; start < MAX_COMPARED_BYTES; start += CHUNK_BYTES) {
    const slices = await Promise.all(
      handles.map((handle) => readContentSlice(handle, start, start + CHUNK_BYTES, signal)),
    )
    const [first, second] = slices.map(({ bytes }) => new Uint8Array(bytes)) as [Uint8Array, Uint8Array]
    if (first.length !== second.length || first.some((byte, index) => byte !== second[index])) return false
    if (first.length < CHUNK_BYTES) return true
  }
  return null
}
const MAX_COMPARED_BYTES = 8 * CHUNK_BYTES

function open({ params, query, ...ref }: ContentRef, isFresh: boolean, signal: AbortSignal): Promise<ContentFacts> {
  // The values are copied, because a reactive proxy cannot be cloned to the service process.
  const input = { ...ref, params: { ...params }, query: { ...query }, ...(isFresh ? { fresh: isFresh } : {}) }
  return call('content.open', input, { signal })
}

/** Nobody waits for the release: if the service process is gone, the handle is gone as well. */
function release(handle: string): void {
  call('content.release', { handle }).catch(() => undefined)
}
