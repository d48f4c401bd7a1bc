import { compareBodies } from './compare.ts'
import type { Compared, CompareReply, CompareRequest } from './compare-protocol.ts'

/** Compares two bodies off the main thread, in a worker of its own that ends with it. The bytes are handed over. */
export function compareInWorker(request: CompareRequest, signal: AbortSignal): Promise<Compared> {
  if (typeof Worker === 'undefined') return Promise.resolve(compareBodies(request))
  const worker = new Worker(new URL('./compare.worker.ts', import.meta.url), { type: 'module', name: 'compare' })
  const { promise, resolve, reject } = Promise.withResolvers<Compared>()
  worker.onmessage = ({ data }: MessageEvent<CompareReply>) => {
    if (data.ok) resolve(data.result)
    else reject(new Error(data.message))
  }
  worker.onerror = (event) => {
    reject(new Error(event.message || 'the worker stopped'))
  }
  signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')), { once: true })
  worker.postMessage(request, [request.before, request.after])
  return promise.finally(() => worker.terminate())
}
