import { defineStore } from 'pinia'
import { shallowRef } from 'vue'
import { getEndpoint } from '../../shared/bridge/endpoints/index.ts'
import { decodeUtf8 } from '../../shared/json/inspection.ts'
import type { ExchangeRow } from '../../shared/traffic/exchange.ts'
import { call } from '../ipc/call.ts'
import { readExchangeBody } from './exchange.ts'
import { onTrafficChange } from './traffic.ts'

/** Bounds of what is read: a few small answers, one after the other, so that nothing waits for them. */
const MAX_RESPONSES = 10
const MAX_RESPONSE_BYTES = 256 * 1024
/** What names most study sets, documents and cards comes first; then whatever was read last. */
const idRichEndpoints = ['studySets.list', 'studySets.documents', 'studySets.tree'] as const

/**
 * Answers that the recorder has kept of earlier runs with a host, parsed, so that what was seen then can be offered now. Without a database
 * nothing outlives a run, and there are none.
 */
export const usePastRunResponses = defineStore('earlier-answers', () => {
  const responses = shallowRef<readonly unknown[]>([])
  let host: string | null = null

  onTrafficChange(({ exchanges }) => {
    // Removed everywhere, so also here.
    if (exchanges === 0) responses.value = []
  })

  /** Reads what there is of the host at this base URL, once. */
  async function load(baseUrl: string): Promise<void> {
    if (baseUrl === host) return
    host = baseUrl
    responses.value = []
    try {
      for (const { seq } of await rowsOf(baseUrl)) {
        const value = await read(seq)
        if (host !== baseUrl) return
        if (value !== undefined) responses.value = [...responses.value, value]
      }
    } catch {
      // Suggestions are worth no error.
    }
  }

  return { answers: responses, load }
})

/** The newest answer to each of several requests, from before this run. */
async function rowsOf(host: string): Promise<readonly ExchangeRow[]> {
  const { kind, runStartedAt } = await call('traffic.info', {})
  if (kind === 'memory') return []
  const filter = { host, to: runStartedAt - 1, statuses: ['2' as const], states: ['answered' as const] }
  const found = new Map<string, ExchangeRow>()
  for (const template of [...idRichEndpoints.map((id) => getEndpoint(id).path), undefined]) {
    const some = template === undefined ? filter : { ...filter, template }
    const { rows } = await call('traffic.head', { filter: some, sort: { by: 'time', descending: true } })
    const small = rows.filter(({ mediaType, bytes }) => mediaType.includes('json') && bytes <= MAX_RESPONSE_BYTES)
    for (const row of template === undefined ? small : small.slice(0, 2)) {
      const key = `${row.method} ${row.path}`
      if (!found.has(key) && found.size < MAX_RESPONSES) found.set(key, row)
    }
  }
  return [...found.values()]
}

/** Undefined if it is not kept whole, or is no JSON. */
async function read(seq: number): Promise<unknown> {
  try {
    return JSON.parse(decodeUtf8(new Uint8Array(await readExchangeBody(seq, 'response'))).text) as unknown
  } catch {
    return undefined
  }
}
