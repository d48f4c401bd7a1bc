import { AppError, createCancelledError, createRefusedError } from '../../shared/errors.ts'
import type { MethodInput, MethodResult, TransferList } from '../../shared/workers/worker-methods.ts'
import type { MapMethods } from './map.worker.ts'
import { PageWorker } from './page-worker.ts'

/** A map in a worker of its own. Every call rejects with an AppError if the worker fails. */
export class MapWorker {
  readonly #worker: PageWorker<MapMethods> | null
  #hasReplied = false
  #isClosed = false

  /** @param onRestored called when the worker can draw again, after a failure of the graphics */
  constructor(onRestored: () => void) {
    this.#worker = startWorker(onRestored)
  }

  /** @param onPart gets the percentage of a file that is written */
  async call<Name extends keyof MapMethods>(
    method: Name,
    input: MethodInput<MapMethods[Name]>,
    options: { transfer?: TransferList; signal?: AbortSignal; onPart?: (percent: number) => void } = {},
  ): Promise<MethodResult<MapMethods[Name]>> {
    if (this.#isClosed) throw createCancelledError()
    if (!this.#worker) throw createRefusedError('MAP_UNAVAILABLE', 'there are no workers')
    try {
      const result = await this.#worker.call(method, input, options as object)
      this.#hasReplied = true
      return result
    } catch (error) {
      if (error instanceof AppError) throw error
      const code = this.#hasReplied || !this.#worker.hasFailed ? 'MAP_STOPPED' : 'MAP_UNAVAILABLE'
      throw createRefusedError(code, error instanceof Error ? error.message : String(error))
    }
  }

  /** Sends what needs no reply. A failure shows in the next call that needs one. */
  send<Name extends keyof MapMethods>(
    method: Name,
    input: MethodInput<MapMethods[Name]>,
    transfer: TransferList = [],
  ): void {
    this.call(method, input, { transfer }).catch(() => undefined)
  }

  close(): void {
    this.#isClosed = true
    this.#worker?.end(createCancelledError())
  }
}

function startWorker(onRestored: () => void): PageWorker<MapMethods> | null {
  try {
    return new PageWorker<MapMethods>(
      new Worker(new URL('./map.worker.ts', import.meta.url), { type: 'module', name: 'map' }),
      { restored: onRestored },
    )
  } catch {
    return null
  }
}
