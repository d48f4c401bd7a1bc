import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  parseRetryAfterSeconds,
  computeRetryDelay,
  isRetryable,
} from '../../../../electron/services/bridge/client/retry.ts'
import { getEndpoint, getEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { AppError } from '../../../../shared/errors.ts'
import * as does from '../../../support/hosts/behaviours.ts'
import { getSmallRead, expectAppError, createTarget, createTestClient } from '../../../support/services/test-client.ts'
import { startMisbehavingHost, type MisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'

const { client, exchanges } = createTestClient()
let host: MisbehavingHost

beforeAll(async () => {
  host = await startMisbehavingHost(does.respondJson({}))
})
afterAll(() => host.close())
beforeEach(() => {
  exchanges.length = 0
})

const busy = does.respondHostError(429, { code: 'SCAN_BUSY', message: 'busy' })
const good = does.respondJson({ ok: true })

describe('retry of a read', () => {
  test.each([
    ['a busy host', busy],
    ['a reset', does.resetConnection()],
    ['a truncated body', does.respondTruncated('{"a":1}', 3)],
    ['an error page with 502', does.respond('<html>', { status: 502, type: 'text/html' })],
  ])('follows %s', async (_, bad) => {
    // A kept-alive socket is replaced once more without counting as an attempt, so the test
    // closes it.
    client.close()
    host.setBehaviour(does.behaveInTurn(bad, bad, good))
    await client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() })
    expect(exchanges.map(({ attempt }) => attempt)).toEqual([1, 2, 3])
  })

  test('happens at most twice, or as often as the caller allows', async () => {
    host.setBehaviour(busy)
    await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))
    expect(exchanges).toHaveLength(3)
    await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead(), attempts: 1 }))
    expect(exchanges).toHaveLength(4)
  })

  test('also happens for a read that is a POST', async () => {
    host.setBehaviour(does.behaveInTurn(busy, good))
    await client.request(createTarget(host.baseUrl), { endpoint: getEndpoint('notes.batchGet'), body: { noteIds: [] } })
    expect(exchanges).toHaveLength(2)
  })

  test.each([400, 401, 403, 404, 408, 409, 422])(
    'does not follow status %i, whatever the body says',
    async (status) => {
      host.setBehaviour(does.respondHostError(status, { code: 'X', message: 'm', retryable: true }))
      await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))
      expect(exchanges).toHaveLength(1)
    },
  )

  test('does not follow a request for a very long delay', async () => {
    host.setBehaviour(does.respondHostError(429, { code: 'EXPORT_BUSY', message: 'm', retryAfterSeconds: 300 }))
    const failure = await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))
    expect(failure.wire.retryAfterSeconds).toBe(300)
    expect(exchanges).toHaveLength(1)
  })

  test('never happens for a write or a command that takes over the screen', async () => {
    for (const id of ['notes.move', 'notes.focus', 'writing.pencilCommit']) {
      for (const bad of [busy, does.resetConnection(), does.respondTruncated('{"a":1}', 3), does.respondHtml500()]) {
        host.setBehaviour(bad)
        const before = host.requests.length
        const params = id === 'notes.focus' ? { noteid: 'N' } : {}
        const target = createTarget(host.baseUrl, { isReadOnly: false })
        await expectAppError(client.request(target, { endpoint: getEndpointById(id), params, body: {}, attempts: 5 }))
        expect(host.requests.length - before).toBe(1)
      }
    }
  })
})

describe('delay before a retry', () => {
  const createError = (retryAfterSeconds?: number) =>
    new AppError({
      kind: 'host',
      message: 'm',
      retryable: true,
      status: 429,
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    })

  test('grows, is jittered, and is capped', () => {
    const spans = [2, 3, 4, 5, 20].map((next) => [
      computeRetryDelay(next, createError(), () => 0),
      computeRetryDelay(next, createError(), () => 1),
    ])
    expect(spans).toEqual([
      [125, 250],
      [250, 500],
      [500, 1000],
      [1000, 2000],
      [5000, 10_000],
    ])
  })

  test('is never shorter than the host asks for, and never zero', () => {
    expect(computeRetryDelay(2, createError(3), () => 0)).toBe(3000)
    expect(computeRetryDelay(2, createError(0), () => 0)).toBe(125)
    expect(isRetryable(createError(30))).toBe(true)
    expect(isRetryable(createError(31))).toBe(false)
  })

  test.each([
    [2.5, 2.5],
    ['7', 7],
    [' 7 ', 7],
    ['Fri, 20 Nov 2026 10:00:30 GMT', 30],
    ['Fri, 20 Nov 2026 09:00:00 GMT', 0],
    [-1, undefined],
    ['soon', undefined],
    ['', undefined],
    [null, undefined],
    [true, undefined],
    [Number.NaN, undefined],
  ])('%j is read as %j seconds', (value, seconds) => {
    expect(parseRetryAfterSeconds(value, Date.parse('2026-11-20T10:00:00Z'))).toBe(seconds)
  })
})
