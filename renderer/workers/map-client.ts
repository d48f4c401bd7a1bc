import { createCancelledError, createRefusedError, type AppError } from '../../shared/errors.ts'
import type { MapBounds } from '../model/map/map-layout.ts'
import type {
  MapFile,
  MapFileRequest,
  MapFrame,
  MapFrameRequest,
  MapPlan,
  MapReply,
  MapRequest,
  MapTask,
} from './map-protocol.ts'

/** A map in a worker of its own. Every method rejects with an AppError if the worker fails. */
export class MapWorker {
  readonly #worker: Worker | null
  readonly #pending = new Map<number, PromiseWithResolvers<MapReply>>()
  #seq = 0
  #failure: AppError | null = null
  #onProgress: (percent: number) => void = () => undefined

  /** @param onRestored called when the worker can draw again, after a failure of the graphics */
  constructor(onRestored: () => void) {
    this.#worker = startWorker()
    if (!this.#worker) {
      this.#failure = createMapError('MAP_UNAVAILABLE', 'there are no workers')
      return
    }
    let hasReplied = false
    this.#worker.onmessage = ({ data }: MessageEvent<MapReply>) => {
      hasReplied = true
      if (data.kind === 'progress') return this.#onProgress(data.percent)
      if (data.kind === 'restored') return onRestored()
      const pending = this.#pending.get(data.seq)
      this.#pending.delete(data.seq)
      if (data.kind === 'failed') pending?.reject(createMapError(data.code, data.message, data.params))
      else pending?.resolve(data)
    }
    this.#worker.onerror = ({ message }) =>
      this.#fail(createMapError(hasReplied ? 'MAP_STOPPED' : 'MAP_UNAVAILABLE', message || 'the worker stopped'))
  }

  /** Sends what needs no reply. The data are copied, but for those that are transferred. */
  send(task: MapTask, transfer: Transferable[] = []): void {
    this.#ask(task, transfer).catch(() => undefined)
  }

  async layout(task: Extract<MapTask, { task: 'layout' }>, transfer: Transferable[]): Promise<MapPlan> {
    const reply = await this.#ask(task, transfer)
    if (reply.kind !== 'plan') throw new Error('unexpected reply')
    return reply.plan
  }

  async draw(frame: MapFrameRequest): Promise<MapFrame> {
    const reply = await this.#ask({ task: 'frame', frame })
    if (reply.kind !== 'frame') throw new Error('unexpected reply')
    return reply.frame
  }

  /** Returns null if the card is not visible. */
  async locate(node: number): Promise<MapBounds | null> {
    const reply = await this.#ask({ task: 'locate', node })
    return reply.kind === 'box' ? reply.box : null
  }

  /** Returns null if `stopExport` was called. */
  async export(request: MapFileRequest, onProgress: (percent: number) => void): Promise<MapFile | null> {
    this.#onProgress = onProgress
    const reply = await this.#ask({ task: 'export', ...request })
    if (reply.kind !== 'file') throw new Error('unexpected reply')
    return reply.file
  }

  stopExport(): void {
    this.send({ task: 'stopExport' })
  }

  close(): void {
    this.#worker?.terminate()
    this.#fail(createCancelledError())
  }

  #ask(task: MapTask, transfer: Transferable[] = []): Promise<MapReply> {
    if (this.#failure) return Promise.reject(this.#failure)
    this.#seq += 1
    const pending = Promise.withResolvers<MapReply>()
    this.#pending.set(this.#seq, pending)
    const request: MapRequest = { ...task, seq: this.#seq }
    this.#worker?.postMessage(request, transfer)
    return pending.promise
  }

  #fail(error: AppError): void {
    this.#failure = error
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }
}

function startWorker(): Worker | null {
  try {
    return new Worker(new URL('./map.worker.ts', import.meta.url), { type: 'module', name: 'map' })
  } catch {
    return null
  }
}

const createMapError = (code: string, message: string, params: Readonly<Record<string, number>> = {}): AppError =>
  createRefusedError(code, message, { ...params })
