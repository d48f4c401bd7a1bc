import { afterEach, expect, test, vi } from 'vitest'
import { parseResponse } from '../../../renderer/workers/response-parser.ts'
import { serveMethods, type WorkerReply, type WorkerRequest } from '../../../shared/workers/worker-methods.ts'

afterEach(() => vi.unstubAllGlobals())

/** Parses as the page's own worker does, and counts its answers. */
function stubWorker(): { parsed: number } {
  const counts = { parsed: 0 }
  const methods = {
    parse({ endpoint, bytes }: { endpoint: 'studySets.list'; bytes: ArrayBuffer }) {
      counts.parsed += 1
      return parseResponse(endpoint, bytes)
    },
  }
  class Own {
    onmessage: ((event: { data: WorkerReply }) => void) | null = null
    readonly postMessage: (request: WorkerRequest) => void = serveMethods(methods, (data) => this.onmessage?.({ data }))
  }
  vi.stubGlobal('Worker', Own)
  return counts
}

test.each([
  ['an ordinary answer', { studySets: [{ topicid: 'A', title: 'Calculus' }] }, 0],
  ['a long one', { studySets: [{ topicid: 'A', title: 'x'.repeat(20_000) }] }, 1],
  ['a short one of thousands of values', { studySets: Array.from({ length: 5_000 }, () => 7) }, 1],
])('%s is parsed in the worker only if it would block the page', async (_, response, elsewhere) => {
  const counts = stubWorker()
  vi.resetModules()
  const { parseInWorker } = await import('../../../renderer/workers/parse-client.ts')
  const { buffer } = new Uint8Array(Buffer.from(JSON.stringify(response)))
  expect(await parseInWorker('studySets.list', buffer)).toMatchObject({ isJson: true })
  expect(counts.parsed).toBe(elsewhere)
})
