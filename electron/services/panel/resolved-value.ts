import { refused } from '../../../shared/errors.ts'
import type { Input, Output } from '../../../shared/ipc/index.ts'
import { hostApiValue, isHostApiFailure, toResponseText, type HostApiResponse } from '../../../shared/panel/host-api.ts'
import type { TrafficStore } from '../traffic/store.ts'
import type { PanelCalls } from './calls.ts'

/** Tells what `host.api` resolved to, or would have. Errors are those of `panel.resolvedValue`. */
export type GetResolvedValue = (asked: Input<'panel.resolvedValue'>) => Promise<Output<'panel.resolvedValue'>>

interface Options {
  readonly calls: Pick<PanelCalls, 'responseOf'>
  readonly store: Pick<TrafficStore, 'exchange' | 'body'>
}

/** Of a call of a panel, what its page got counts, override and gate included; of any other exchange, what the host sent. */
export function createGetResolvedValue({ calls, store }: Options): GetResolvedValue {
  return async ({ exchangeId }) => {
    const response = calls.responseOf(exchangeId) ?? (await recordedResponse(store, exchangeId))
    if (response === 'waiting') throw refused('STILL_WAITING', 'The response has not arrived yet.')
    return resolvedValue(response)
  }
}

/** The value as JSON text in UTF-8, and whether a caller has to take it for a failure. */
export function resolvedValue(response: HostApiResponse): Output<'panel.resolvedValue'> {
  const value = hostApiValue(response)
  const text = new TextEncoder().encode(JSON.stringify(value))
  return { meta: { isFailure: isHostApiFailure(value) }, bytes: text.buffer }
}

async function recordedResponse(store: Options['store'], id: string): Promise<HostApiResponse | 'waiting'> {
  const detail = await store.exchange({ id })
  if (!detail) throw refused('EXCHANGE_UNKNOWN', 'There is no such exchange (any more).')
  const { row, response } = detail
  if (row.state === 'pending') return 'waiting'
  if (row.state === 'cancelled') return 'aborted'
  if (row.state !== 'answered' || row.status === null) return 'broken'
  const body = response.kept === 0 ? null : await store.body(row.seq, 'response', 0, response.kept)
  const bytes = body?.bytes ?? new Uint8Array()
  if (response.missing !== null || bytes.byteLength < response.kept)
    throw refused('BODY_NOT_KEPT', 'Its body was not kept whole.')
  return { status: row.status, text: toResponseText(bytes) }
}
