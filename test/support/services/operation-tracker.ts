import { onTestFinished, vi } from 'vitest'
import type { OperationEvent } from '../../../shared/operations/operation-events.ts'
import { AppError, createCancelledError } from '../../../shared/errors.ts'
import type { BridgeClient, SendResult } from '../../../electron/services/bridge/types.ts'
import { createMemoryJournal } from '../../../electron/services/journal/memory-journal.ts'
import type { Journal } from '../../../electron/services/journal/types.ts'
import type { ConnectedHost } from '../../../electron/services/bridge/connection/connected-host.ts'
import type { OperationRecord } from '../../../electron/services/operations/records/record.ts'
import { OperationRecords } from '../../../electron/services/operations/records/records.ts'
import { OperationTracker } from '../../../electron/services/operations/watch/tracker.ts'
import { createTarget } from './test-client.ts'
import { createStoredOperation } from './journal.ts'
import { ack, intent, PENCIL, sentEvent } from './operation-events.ts'
import { createServiceEnvironment } from './service-environment.ts'

/** The host's response to a check: a status and a body, or how long to wait; null = no response. */
export type PollResponse = {
  readonly status: number
  readonly body?: unknown
  readonly retryAfterSeconds?: number
} | null

export const pendingResult: PollResponse = { status: 200, body: { state: 'pending', settled: false } }
export const settledResult: PollResponse = { status: 200, body: { settled: true, outcome: 'saved' } }
export const noRecord: PollResponse = { status: 404, body: { error: { code: 'OPERATION_NOT_FOUND', message: 'm' } } }

/** Starts a tracker on the test's clock, with a host that responds by `script`. */
export function startTracker(options: { patienceMs?: number; journal?: Journal } = {}) {
  const { bus, events } = createServiceEnvironment()
  const records = new OperationRecords({
    journal: options.journal ?? createMemoryJournal('test'),
    bus,
    onUnwritten: () => undefined,
  })
  const script = {
    isOnline: true,
    response: pendingResult,
    latencyMs: 0,
    routes: [] as { method: string; path: string }[],
  }
  const requests: { at: number; endpoint: string; body: unknown }[] = []
  const concurrency = { current: 0, max: 0 }
  const ended: string[] = []
  const failures: AppError[] = []

  async function sendOnce(
    ...[, { endpoint, body, signal }]: Parameters<BridgeClient['sendOnce']>
  ): Promise<SendResult> {
    requests.push({ at: Date.now(), endpoint: endpoint.id, body })
    concurrency.current += 1
    concurrency.max = Math.max(concurrency.max, concurrency.current)
    const error = await waitForLatency(script.latencyMs, signal)
    concurrency.current -= 1
    const says = script.response
    if (error ?? !says)
      return { kind: 'failure', reached: 'maybe', error: error ?? createOfflineError(), exchangeId: 'x' }
    const { status, body: value, retryAfterSeconds } = says
    return {
      kind: 'answer',
      status,
      value,
      exchangeId: 'x',
      durationMs: 1,
      isTruncated: false,
      retryAfterSeconds: retryAfterSeconds ?? null,
    }
  }

  const tracker = new OperationTracker({
    client: { sendOnce } as unknown as BridgeClient,
    records,
    findReachableHost: () => (script.isOnline ? createConnectedHost(script.routes) : null),
    onEnded: ({ id }) => void ended.push(id),
    onFailure: (error) => void failures.push(error),
    ...(options.patienceMs === undefined ? {} : { patienceMs: options.patienceMs }),
  })
  onTestFinished(() => {
    tracker.dispose()
    records.dispose()
  })

  /** Creates a record that was sent and has this response, by default an accepted pencil commit. */
  function createRecord(id: string, more: { endpoint?: string; answer?: OperationEvent } = {}): OperationRecord {
    const created = records.create(
      createStoredOperation(id, { endpoint: more.endpoint ?? PENCIL, requestId: id, instanceNonce: 'n' }),
      intent,
    )
    records.append(created, sentEvent)
    records.append(created, more.answer ?? ack)
    return created
  }

  return {
    tracker,
    records,
    createRecord,
    script,
    requests,
    concurrency,
    ended,
    failures,
    events,
    wait: (ms: number) => vi.advanceTimersByTimeAsync(ms),
  }
}

function waitForLatency(ms: number, signal: AbortSignal | undefined): Promise<AppError | null> {
  if (ms === 0) return Promise.resolve(null)
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve(createCancelledError())
    })
  })
}

const createOfflineError = (): AppError =>
  new AppError({ kind: 'offline', code: 'CONNECTION_REFUSED', message: 'm', retryable: true })

const createConnectedHost = (routes: { method: string; path: string }[]): ConnectedHost => ({
  target: createTarget('http://127.0.0.1:1/bridge/v1'),
  origin: 'http://127.0.0.1:1',
  profileId: 'p',
  profileName: 'P',
  isDemo: false,
  instanceNonce: 'n',
  isOnline: true,
  capabilities: { routes } as ConnectedHost['capabilities'],
})
