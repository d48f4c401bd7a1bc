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
import { targetOf } from './bridge.ts'
import { storedOperation } from './journal.ts'
import { ack, intent, PENCIL, sent } from './operation-events.ts'
import { surroundings } from './services.ts'

/** The host's answer to a check: a status and a body, or how long to wait; null = no answer. */
export type Said = { readonly status: number; readonly body?: unknown; readonly again?: number } | null

export const pendingResult: Said = { status: 200, body: { state: 'pending', settled: false } }
export const settledResult: Said = { status: 200, body: { settled: true, outcome: 'saved' } }
export const noRecord: Said = { status: 404, body: { error: { code: 'OPERATION_NOT_FOUND', message: 'm' } } }

/** A tracker on the test's clock, with a host that currently answers as `script` says. */
export function watched(options: { patienceMs?: number; journal?: Journal } = {}) {
  const { bus, events } = surroundings()
  const records = new OperationRecords({
    journal: options.journal ?? createMemoryJournal('test'),
    bus,
    onUnwritten: () => undefined,
  })
  const script = { online: true, says: pendingResult, latencyMs: 0, routes: [] as { method: string; path: string }[] }
  const asked: { at: number; endpoint: string; body: unknown }[] = []
  const seen = { atOnce: 0, most: 0 }
  const ended: string[] = []
  const failures: AppError[] = []

  async function once(...[, { endpoint, body, signal }]: Parameters<BridgeClient['sendOnce']>): Promise<SendResult> {
    asked.push({ at: Date.now(), endpoint: endpoint.id, body })
    seen.atOnce += 1
    seen.most = Math.max(seen.most, seen.atOnce)
    const error = await waited(script.latencyMs, signal)
    seen.atOnce -= 1
    const says = script.says
    if (error ?? !says) return { kind: 'failure', reached: 'maybe', error: error ?? offline(), exchangeId: 'x' }
    const { status, body: value, again } = says
    return {
      kind: 'answer',
      status,
      value,
      exchangeId: 'x',
      durationMs: 1,
      isTruncated: false,
      retryAfterSeconds: again ?? null,
    }
  }

  const tracker = new OperationTracker({
    client: { sendOnce: once } as unknown as BridgeClient,
    records,
    findReachableHost: () => (script.online ? here(script.routes) : null),
    onEnded: ({ id }) => void ended.push(id),
    onFailure: (error) => void failures.push(error),
    ...(options.patienceMs === undefined ? {} : { patienceMs: options.patienceMs }),
  })
  onTestFinished(() => {
    tracker.dispose()
    records.dispose()
  })

  /** A record that was sent and has this answer, by default an accepted pencil commit. */
  function record(id: string, more: { endpoint?: string; answer?: OperationEvent } = {}): OperationRecord {
    const made = records.create(
      storedOperation(id, { endpoint: more.endpoint ?? PENCIL, requestId: id, instanceNonce: 'n' }),
      intent,
    )
    records.append(made, sent)
    records.append(made, more.answer ?? ack)
    return made
  }

  return {
    tracker,
    records,
    record,
    script,
    asked,
    seen,
    ended,
    failures,
    events,
    wait: (ms: number) => vi.advanceTimersByTimeAsync(ms),
  }
}

function waited(ms: number, signal: AbortSignal | undefined): Promise<AppError | null> {
  if (ms === 0) return Promise.resolve(null)
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), ms)
    signal?.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve(createCancelledError())
    })
  })
}

const offline = (): AppError =>
  new AppError({ kind: 'offline', code: 'CONNECTION_REFUSED', message: 'm', retryable: true })

const here = (routes: { method: string; path: string }[]): ConnectedHost => ({
  target: targetOf('http://127.0.0.1:1/bridge/v1'),
  origin: 'http://127.0.0.1:1',
  profileId: 'p',
  profileName: 'P',
  isDemo: false,
  instanceNonce: 'n',
  isOnline: true,
  capabilities: { routes } as ConnectedHost['capabilities'],
})
