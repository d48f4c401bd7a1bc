import { defineStore } from './define-store.ts'
import { shallowRef } from 'vue'
import { getEndpoint } from '../../shared/bridge/endpoints/index.ts'
import { decodeUtf8 } from '../../shared/json/inspection.ts'
import type { ExchangeRow } from '../../shared/traffic/exchange.ts'
import { call } from '../ipc/call.ts'
import { readExchangeBody } from './exchange.ts'
import { onTrafficChange } from './traffic.ts'

/** Only a few small responses are read, one after the other, so that no other call has to wait. */
const MAX_RESPONSES = 10
const MAX_RESPONSE_BYTES = 256 * 1024
/** Responses with many ids are read first, then the most recent ones. */
const idRichEndpoints = ['studySets.list', 'studySets.documents', 'studySets.tree'] as const

/**
 * Responses of a host that were recorded in earlier runs of the program. Input fields suggest the
 * ids in them. Without a database no recording outlives a run, and the list is empty.
 */
export const usePastRunResponses = defineStore('past-run-responses', () => {
  const responses = shallowRef<readonly unknown[]>([])
  let host: string | null = null

  onTrafficChange(({ exchanges }) => {
    // The user cleared the recorded traffic.
    if (exchanges === 0) responses.value = []
  })

  async function load(baseUrl: string): Promise<void> {
    if (baseUrl === host) return
    host = baseUrl
    responses.value = []
    try {
      for (const { seq } of await findResponseRows(baseUrl)) {
        const value = await readJson(seq)
        if (host !== baseUrl) return
        if (value !== undefined) responses.value = [...responses.value, value]
      }
    } catch {
      // Missing suggestions are not worth an error message.
    }
  }

  return { responses, load }
})

/** Finds the newest response to each of several requests from earlier runs. */
async function findResponseRows(host: string): Promise<readonly ExchangeRow[]> {
  const { kind, runStartedAt } = await call('traffic.info', {})
  if (kind === 'memory') return []
  const filter = { host, to: runStartedAt - 1, statuses: ['2' as const], states: ['answered' as const] }
  const rowsByRequest = new Map<string, ExchangeRow>()
  for (const template of [...idRichEndpoints.map((id) => getEndpoint(id).path), undefined]) {
    const templateFilter = template === undefined ? filter : { ...filter, template }
    const { rows } = await call('traffic.head', { filter: templateFilter, sort: { by: 'time', descending: true } })
    const smallRows = rows.filter(({ mediaType, bytes }) => mediaType.includes('json') && bytes <= MAX_RESPONSE_BYTES)
    for (const row of template === undefined ? smallRows : smallRows.slice(0, 2)) {
      const requestKey = `${row.method} ${row.path}`
      if (!rowsByRequest.has(requestKey) && rowsByRequest.size < MAX_RESPONSES) rowsByRequest.set(requestKey, row)
    }
  }
  return [...rowsByRequest.values()]
}

/** Returns undefined if the body was not stored completely or is not JSON. */
async function readJson(seq: number): Promise<unknown> {
  try {
    return JSON.parse(decodeUtf8(new Uint8Array(await readExchangeBody(seq, 'response'))).text) as unknown
  } catch {
    return undefined
  }
}
