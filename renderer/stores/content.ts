import { computed, onScopeDispose, watch, type ComputedRef, type ShallowRef } from 'vue'
import { cancelled, type AppError } from '../../shared/errors.ts'
import type { DataChange } from '../../shared/bridge/data-change.ts'
import type { Gap } from '../../shared/ipc/connection.ts'
import type { ContentFacts, ContentRef } from '../../shared/ipc/content.ts'
import { call } from '../ipc/call.ts'
import { contentUrl } from '../ipc/content.ts'
import { useConnection } from './connection.ts'
import { useResource, type ResourceStatus } from './resource.ts'

export { saveContent } from '../ipc/content.ts'

/** A content from the host as a viewer shows it. */
interface OpenContent {
  readonly status: ComputedRef<ResourceStatus>
  /** What is known about it; stays while it is reopened. */
  readonly facts: Readonly<ShallowRef<ContentFacts | null>>
  /** For `src` of an element; null while nothing is open. */
  readonly url: ComputedRef<string | null>
  readonly error: Readonly<ShallowRef<AppError | null>>
  /** Opening for more than 150 ms: time to show a spinner. */
  readonly slow: ComputedRef<boolean>
  /** Opened before the connection was interrupted. */
  readonly stale: ComputedRef<boolean>
  readonly staleReason: ComputedRef<Gap['reason'] | null>
  /** As of a resource. */
  readonly changed: ComputedRef<DataChange | null>
  /** Asks the host again, whatever is cached. Never rejects. */
  reload(): Promise<void>
  cancel(): void
}

/**
 * Opens the content `source` names, another one when that changes, none while it returns null. Must be called in a component's or effect's
 * scope, which also releases it. Reopens after the service process was gone, because it then knows none of our handles, and, if it failed
 * for lack of a host, once the host is back.
 */
export function useContent(source: () => ContentRef | null): OpenContent {
  const connection = useConnection()
  let held: string | null = null
  let fresh = false

  function hold(handle: string | null): void {
    if (held !== null) release(held)
    held = handle
  }

  const resource = useResource<ContentFacts>(
    async (signal, isAutomatic) => {
      const wanted = source()
      if (wanted === null) throw cancelled()
      const facts = await open(wanted, fresh || isAutomatic, signal)
      if (signal.aborted) release(facts.handle)
      else hold(facts.handle)
      return facts
    },
    ({ receivedAt, epoch, byteLength }) => ({ readAt: receivedAt, epoch, bytes: byteLength ?? 0 }),
    // What is being played or leafed through would start over.
    { shown: source, isReplaceable: (facts) => facts.kind === 'image' },
  )

  async function load(anew: boolean): Promise<void> {
    fresh = anew
    if (source() !== null) await resource.reload()
  }

  watch(
    () => JSON.stringify(source()),
    () => {
      resource.reset()
      hold(null)
      void load(false)
    },
    { immediate: true },
  )
  watch(
    () => connection.serviceReachable,
    (reachable) => {
      if (!reachable || held === null) return
      held = null
      void load(false)
    },
  )
  onScopeDispose(() => hold(null))

  return {
    status: resource.status,
    facts: resource.value,
    url: computed(() => resource.value.value && contentUrl(resource.value.value.handle)),
    error: resource.error,
    slow: resource.slow,
    stale: resource.stale,
    staleReason: resource.staleReason,
    changed: resource.changed,
    reload: () => load(true),
    cancel: resource.cancel,
  }
}

/** Bytes `start` to `end` (exclusive, at most `MAX_SLICE`) of an opened content; fewer if it ends sooner. Throws `AppError`. */
export async function readSlice(
  handle: string,
  start: number,
  end: number,
  signal?: AbortSignal,
): Promise<{ bytes: ArrayBuffer; start: number; total: number | null }> {
  const { meta, bytes } = await call('content.slice', { handle, start, end }, signal ? { signal } : {})
  return { ...meta, bytes }
}

const PIECE = 4 * 1024 * 1024

/** All bytes of a content of this length, read piece by piece; fewer if it ends sooner. Throws what `read` throws. */
export async function readWhole(
  read: (start: number, end: number, signal: AbortSignal) => Promise<{ readonly bytes: ArrayBuffer }>,
  length: number,
  signal: AbortSignal,
): Promise<ArrayBuffer> {
  const pieces: ArrayBuffer[] = []
  for (let start = 0; start < length;) {
    const { bytes } = await read(start, Math.min(length, start + PIECE), signal)
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
