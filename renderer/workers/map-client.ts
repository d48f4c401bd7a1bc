import type { MapBounds } from '../model/map/map-layout.ts'
import type { MapFrame, MapFrameRequest, MapPlan, MapReply, MapRequest, MapTask } from './map-protocol.ts'

/** A map in a worker of its own. Every method rejects with a plain Error if the worker fails. */
export class MapWorker {
  readonly #worker = new Worker(new URL('./map.worker.ts', import.meta.url), { type: 'module', name: 'map' })
  readonly #pending = new Map<number, PromiseWithResolvers<MapReply>>()
  #seq = 0

  constructor() {
    this.#worker.onmessage = ({ data }: MessageEvent<MapReply>) => {
      const pending = this.#pending.get(data.seq)
      this.#pending.delete(data.seq)
      if (data.kind === 'failed') pending?.reject(new Error(data.message))
      else pending?.resolve(data)
    }
    this.#worker.onerror = (event) => this.#failAll(event.message || 'the worker stopped')
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

  async export(frame: MapFrameRequest, format: 'png' | 'svg'): Promise<Blob> {
    const reply = await this.#ask({ task: 'export', frame, format })
    if (reply.kind !== 'file') throw new Error('unexpected reply')
    return reply.file
  }

  close(): void {
    this.#worker.terminate()
    this.#failAll('closed')
  }

  #ask(task: MapTask, transfer: Transferable[] = []): Promise<MapReply> {
    this.#seq += 1
    const pending = Promise.withResolvers<MapReply>()
    this.#pending.set(this.#seq, pending)
    const request: MapRequest = { ...task, seq: this.#seq }
    this.#worker.postMessage(request, transfer)
    return pending.promise
  }

  #failAll(message: string): void {
    for (const { reject } of this.#pending.values()) reject(new Error(message))
    this.#pending.clear()
  }
}
