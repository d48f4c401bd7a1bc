import { afterEach, describe, expect, test } from 'vitest'
import { createRuleFromExchange } from '../../../../electron/services/panel/overrides/recorded-rule.ts'
import { createRuleResponse } from '../../../../electron/services/panel/overrides/rule-response.ts'
import { createCallMatcher } from '../../../../shared/panel/call-match.ts'
import { overrideRuleSchema } from '../../../../shared/panel/overrides.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { addAll, createBody, openDiskStore, createEntry, type OpenedStore } from '../../../support/services/traffic.ts'

let openStore: OpenedStore | null = null
afterEach(() => {
  openStore?.store.close()
  openStore = null
})

async function createRule(entry: Parameters<typeof createEntry>[0]) {
  openStore = openDiskStore(createTempDir())
  const [seq = 0] = addAll(openStore, [createEntry(entry)])
  const rule = await createRuleFromExchange(openStore.store.reader, seq)
  expect(overrideRuleSchema.parse(rule)).toEqual(rule)
  return rule
}

const noHost = () => Promise.reject(new Error('no host'))

describe('rule from a recorded exchange', () => {
  test('returns the same status, headers and bytes for the same request', async () => {
    const body = '{"title": "Zwölf", "id": 12345678901234567890 }'
    const rule = await createRule({
      row: { path: '/study-sets/S%20{1}/cards?limit=5&cursor=a%2Bb', status: 404 },
      responseHeaders: [
        ['Content-Type', 'application/json'],
        ['X-Host', 'yes'],
        ['Content-Length', '50'],
        ['Content-Encoding', 'gzip'],
        ['Date', 'today'],
        ['Set-Cookie', '[redacted]'],
        ['X-Token', '[redacted]'],
      ],
      response: createBody(body),
    })
    expect(rule).toMatchObject({
      name: 'GET /study-sets/S%20{1}/cards',
      on: true,
      match: { method: 'GET', query: { limit: '5', cursor: 'a+b' } },
      answer: {
        kind: 'canned',
        status: 404,
        headers: [
          ['Content-Type', 'application/json'],
          ['X-Host', 'yes'],
        ],
        body,
        base64: false,
      },
    })
    const isMatching = createCallMatcher(rule.match)
    expect(isMatching({ method: 'GET', path: '/study-sets/S%20%7B1%7D/cards?cursor=a%2Bb&limit=5' })).toBe(true)
    expect(isMatching({ method: 'GET', path: '/study-sets/other/cards?cursor=a%2Bb&limit=5' })).toBe(false)
  })

  test('keeps bytes that are no text', async () => {
    const bytes = Buffer.from([0x89, 0x50, 0xff, 0x00])
    const rule = await createRule({ response: createBody(bytes, 'image/png') })
    const request = { method: 'GET', signal: new AbortController().signal }
    expect(await createRuleResponse(rule, request, noHost)).toMatchObject({ status: 200, body: bytes })
  })

  test.each([
    ['CONNECTION_REFUSED', 'failed', 'offline'],
    ['CONNECTION_RESET', 'failed', 'reset'],
    ['TIMEOUT_IDLE', 'failed', 'hang'],
    [null, 'cancelled', 'hang'],
  ] as const)('reproduces the fault of an exchange without a response: %s', async (errorCode, state, fault) => {
    const rule = await createRule({ row: { status: null, state, errorCode }, response: createBody(null) })
    expect(rule.answer).toEqual({ kind: 'fault', fault })
  })

  test('is cut if the response broke off', async () => {
    const rule = await createRule({ row: { status: 200, state: 'failed', errorCode: 'TRUNCATED' } })
    expect(rule.answer).toEqual({ kind: 'fault', fault: 'cut' })
  })

  test('needs the complete body, and an exchange that still exists', async () => {
    await expect(
      createRule({ response: { ...createBody('{"a'), total: 100, missing: 'limit' } }),
    ).rejects.toMatchObject({
      code: 'BODY_NOT_KEPT',
    })
    await expect(createRuleFromExchange({ exchange: () => null, body: () => null }, 9)).rejects.toMatchObject({
      code: 'EXCHANGE_UNKNOWN',
    })
  })
})
