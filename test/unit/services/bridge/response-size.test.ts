/** @module-tag slow */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as does from '../../../support/hosts/behaviours.ts'
import { getSmallRead, expectAppError, createTarget, createTestClient } from '../../../support/services/test-client.ts'
import { startMisbehavingHost, type MisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'

const MB = 1024 * 1024
const MAX_BYTES = 4 * MB
const { client, exchanges } = createTestClient({ maxBytes: MAX_BYTES })
let host: MisbehavingHost

beforeAll(async () => {
  host = await startMisbehavingHost(does.respondJson({}))
})
afterAll(() => host.close())

/** Returns the peak of additional memory in bytes. */
async function measurePeakBytes(work: () => Promise<unknown>): Promise<number> {
  const measureUsedBytes = (): number => {
    const { heapUsed, external, rss } = process.memoryUsage()
    return Math.max(heapUsed + external, rss)
  }
  const before = measureUsedBytes()
  let peak = before
  const timer = setInterval(() => {
    peak = Math.max(peak, measureUsedBytes())
  }, 2)
  await work()
  clearInterval(timer)
  return Math.max(peak, measureUsedBytes()) - before
}

describe('response over the size limit', () => {
  test.each([
    ['without end', does.sendEndlessBody(Buffer.alloc(64 * 1024, 32))],
    ['without end, in single bytes', does.sendEndlessBody('1\r\n{\r\n', { 'Transfer-Encoding': 'chunked' })],
    ['that becomes large when gzip is undone, without end', does.sendGzipBomb()],
    ['that becomes 256 MB when brotli is undone', does.sendBrotliBomb()],
  ])('safety 34: ends at the decoded limit with bounded memory if it is a body %s', async (_, behaviour) => {
    host.setBehaviour(behaviour)
    const peak = await measurePeakBytes(async () => {
      const failure = await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))
      expect(failure.wire).toMatchObject({
        kind: 'malformed',
        code: 'RESPONSE_TOO_LARGE',
        retryable: false,
        params: { limit: MAX_BYTES, kept: expect.any(Number) },
      })
      expect(failure.wire.details).toEqual(expect.any(String))
    })
    expect(peak).toBeLessThan(160 * MB)
  })

  test('safety 34: is cut off together with its connection', async () => {
    host.setBehaviour(does.sendEndlessBody(Buffer.alloc(64 * 1024, 32)))
    await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))
    await expect.poll(() => host.countConnections().open).toBe(0)
  })

  test('safety 34: is refused before its body is read if its announced length is too large', async () => {
    host.setBehaviour(does.stallBody('{', 10 * MAX_BYTES))
    const failure = await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))
    expect(failure.code).toBe('RESPONSE_TOO_LARGE')
  })

  test('safety 34: keeps its beginning, marked as a part', async () => {
    host.setBehaviour(does.respond(`["first",${' '.repeat(MAX_BYTES)}]`, { length: null }))
    const { wire } = await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))
    const details = String(wire.details)
    expect(details.startsWith('["first",')).toBe(true)
    expect(details).toHaveLength(Number(wire.params?.['kept']))
    expect(wire.message).toContain('cut off')
  })

  test('safety 34: reserves no memory for announced bytes that do not arrive', async () => {
    host.setBehaviour(does.stallBody('{', 3_000_000_000))
    const huge = { maxBytes: 4_000_000_000, idleTimeoutMs: 100 }
    const peak = await measurePeakBytes(() =>
      expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead(), limits: huge })),
    )
    expect(peak).toBeLessThan(160 * MB)
  })

  test('begins at one byte more than the limit', async () => {
    const body = `[${' '.repeat(MAX_BYTES - 2)}]`
    for (const length of [undefined, null]) {
      host.setBehaviour(does.respond(body, length === null ? { length } : {}))
      const { bytes } = await client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() })
      expect(bytes.byteLength).toBe(MAX_BYTES)
      host.setBehaviour(does.respond(`${body} `, length === null ? { length } : {}))
      expect(
        (await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))).code,
      ).toBe('RESPONSE_TOO_LARGE')
    }
  })

  test('is accepted with a higher limit for one request, and is not retried automatically', async () => {
    exchanges.length = 0
    host.setBehaviour(does.respond(`[${' '.repeat(MAX_BYTES)}]`))
    expect((await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))).code).toBe(
      'RESPONSE_TOO_LARGE',
    )
    expect(exchanges).toHaveLength(1)
    const raised = { endpoint: getSmallRead(), limits: { maxBytes: 2 * MAX_BYTES } }
    expect((await client.request(createTarget(host.baseUrl), raised)).bytes.byteLength).toBe(MAX_BYTES + 2)
  })
})
