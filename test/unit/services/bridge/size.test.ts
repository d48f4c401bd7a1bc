import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as does from '../../../support/hosts/behaviours.ts'
import { getSmallRead, expectAppError, createTarget, createTestClient } from '../../../support/services/test-client.ts'
import { startMisbehavingHost, type MisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'

const MB = 1024 * 1024
const limit = 4 * MB
const { client, exchanges } = createTestClient({ maxBytes: limit })
let host: MisbehavingHost

beforeAll(async () => {
  host = await startMisbehavingHost(does.respondJson({}))
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
    ['without end', does.sendEndlessBody(Buffer.alloc(64 * 1024, 32))],
    ['without end, in single bytes', does.sendEndlessBody('1\r\n{\r\n', { 'Transfer-Encoding': 'chunked' })],
    ['that becomes large when gzip is undone, without end', does.sendGzipBomb()],
    ['that becomes 256 MB when brotli is undone', does.sendBrotliBomb()],
  ])('safety 34: a body %s is cut at the decoded limit, with bounded memory', async (_, behaviour) => {
    host.setBehaviour(behaviour)
    const peak = await peakOf(async () => {
      const failure = await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))
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
    host.setBehaviour(does.sendEndlessBody(Buffer.alloc(64 * 1024, 32)))
    await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))
    await expect.poll(() => host.countConnections().open).toBe(0)
  })

  test('safety 34: an announced length beyond the limit is refused before the body is read', async () => {
    host.setBehaviour(does.stallBody('{', 10 * limit))
    const failure = await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))
    expect(failure.code).toBe('RESPONSE_TOO_LARGE')
  })

  test('safety 34: the beginning of a cut answer is kept, and marked as a part', async () => {
    host.setBehaviour(does.respond(`["first",${' '.repeat(limit)}]`, { length: null }))
    const { wire } = await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))
    const details = String(wire.details)
    expect(details.startsWith('["first",')).toBe(true)
    expect(details).toHaveLength(Number(wire.params?.['kept']))
    expect(wire.message).toContain('cut off')
  })

  test('safety 34: an announced length reserves no memory that does not arrive', async () => {
    host.setBehaviour(does.stallBody('{', 3_000_000_000))
    const huge = { maxBytes: 4_000_000_000, idleTimeoutMs: 100 }
    const peak = await peakOf(() =>
      expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead(), limits: huge })),
    )
    expect(peak).toBeLessThan(160 * MB)
  })

  test('a body of exactly the limit passes, one byte more does not', async () => {
    const body = `[${' '.repeat(limit - 2)}]`
    for (const length of [undefined, null]) {
      host.setBehaviour(does.respond(body, length === null ? { length } : {}))
      const { bytes } = await client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() })
      expect(bytes.byteLength).toBe(limit)
      host.setBehaviour(does.respond(`${body} `, length === null ? { length } : {}))
      expect(
        (await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))).code,
      ).toBe('RESPONSE_TOO_LARGE')
    }
  })

  test('the limit of one request can be raised on purpose, and it is not retried automatically', async () => {
    exchanges.length = 0
    host.setBehaviour(does.respond(`[${' '.repeat(limit)}]`))
    expect((await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))).code).toBe(
      'RESPONSE_TOO_LARGE',
    )
    expect(exchanges).toHaveLength(1)
    const raised = { endpoint: getSmallRead(), limits: { maxBytes: 2 * limit } }
    expect((await client.request(createTarget(host.baseUrl), raised)).bytes.byteLength).toBe(limit + 2)
  })
})
