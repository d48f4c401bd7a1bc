import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as does from '../../../support/hosts/behaviours.ts'
import { aRead, failureOf, targetOf, testClient } from '../../../support/services/bridge.ts'
import { startMisbehavingHost, type MisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'

const MB = 1024 * 1024
const limit = 4 * MB
const { client, exchanges } = testClient({ maxBytes: limit })
let host: MisbehavingHost

beforeAll(async () => {
  host = await startMisbehavingHost(does.json({}))
})
afterAll(() => host.close())

/** Peak memory in bytes beyond what was in use before. */
async function peakOf(work: () => Promise<unknown>): Promise<number> {
  const used = (): number => {
    const { heapUsed, external, rss } = process.memoryUsage()
    return Math.max(heapUsed + external, rss)
  }
  const before = used()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, used())
  }, 2)
  await work()
  clearInterval(timer)
  return Math.max(peak, used()) - before
}

describe('an answer beyond the limit', () => {
  test.each([
    ['without end', does.endless(Buffer.alloc(64 * 1024, 32))],
    ['without end, in single bytes', does.endless('1\r\n{\r\n', { 'Transfer-Encoding': 'chunked' })],
    ['that becomes large when gzip is undone, without end', does.gzipBomb()],
    ['that becomes 256 MB when brotli is undone', does.brotliBomb()],
  ])('safety 34: a body %s is cut at the decoded limit, with bounded memory', async (_, behaviour) => {
    host.behave(behaviour)
    const peak = await peakOf(async () => {
      const failure = await failureOf(client.request(targetOf(host.baseUrl), { endpoint: aRead() }))
      expect(failure.wire).toMatchObject({
        kind: 'malformed',
        code: 'RESPONSE_TOO_LARGE',
        retryable: false,
        params: { limit, kept: expect.any(Number) },
      })
      expect(failure.wire.details).toEqual(expect.any(String))
    })
    expect(peak).toBeLessThan(160 * MB)
  })

  test('safety 34: the connection of an endless body is cut', async () => {
    host.behave(does.endless(Buffer.alloc(64 * 1024, 32)))
    await failureOf(client.request(targetOf(host.baseUrl), { endpoint: aRead() }))
    await expect.poll(() => host.connections().open).toBe(0)
  })

  test('safety 34: an announced length beyond the limit is refused before the body is read', async () => {
    host.behave(does.stall('{', 10 * limit))
    const failure = await failureOf(client.request(targetOf(host.baseUrl), { endpoint: aRead() }))
    expect(failure.code).toBe('RESPONSE_TOO_LARGE')
  })

  test('safety 34: the beginning of a cut answer is kept, and marked as a part', async () => {
    host.behave(does.answer(`["first",${' '.repeat(limit)}]`, { length: null }))
    const { wire } = await failureOf(client.request(targetOf(host.baseUrl), { endpoint: aRead() }))
    const details = String(wire.details)
    expect(details.startsWith('["first",')).toBe(true)
    expect(details).toHaveLength(Number(wire.params?.['kept']))
    expect(wire.message).toContain('cut off')
  })

  test('safety 34: an announced length reserves no memory that does not arrive', async () => {
    host.behave(does.stall('{', 3_000_000_000))
    const huge = { maxBytes: 4_000_000_000, idleTimeoutMs: 100 }
    const peak = await peakOf(() =>
      failureOf(client.request(targetOf(host.baseUrl), { endpoint: aRead(), limits: huge })),
    )
    expect(peak).toBeLessThan(160 * MB)
  })

  test('a body of exactly the limit passes, one byte more does not', async () => {
    const body = `[${' '.repeat(limit - 2)}]`
    for (const length of [undefined, null]) {
      host.behave(does.answer(body, length === null ? { length } : {}))
      const { bytes } = await client.request(targetOf(host.baseUrl), { endpoint: aRead() })
      expect(bytes.byteLength).toBe(limit)
      host.behave(does.answer(`${body} `, length === null ? { length } : {}))
      expect((await failureOf(client.request(targetOf(host.baseUrl), { endpoint: aRead() }))).code).toBe(
        'RESPONSE_TOO_LARGE',
      )
    }
  })

  test('the limit of one request can be raised on purpose, and it is not retried automatically', async () => {
    exchanges.length = 0
    host.behave(does.answer(`[${' '.repeat(limit)}]`))
    expect((await failureOf(client.request(targetOf(host.baseUrl), { endpoint: aRead() }))).code).toBe(
      'RESPONSE_TOO_LARGE',
    )
    expect(exchanges).toHaveLength(1)
    const raised = { endpoint: aRead(), limits: { maxBytes: 2 * limit } }
    expect((await client.request(targetOf(host.baseUrl), raised)).bytes.byteLength).toBe(limit + 2)
  })
})
