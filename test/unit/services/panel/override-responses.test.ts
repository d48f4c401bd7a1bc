import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createRuleResponse } from '../../../../electron/services/panel/overrides/rule-response.ts'
import { applyRuleChanges } from '../../../../electron/services/panel/overrides/changed-response.ts'
import type { PanelResponse } from '../../../../electron/services/panel/call/types.ts'
import type { overrideFaults, OverrideRule } from '../../../../shared/panel/overrides.ts'

type Answer = OverrideRule['answer']
const createRule = (action: Answer, delayMs = 0): OverrideRule => ({
  id: 'r',
  name: 'Rule',
  on: true,
  match: { method: '*', path: '*' },
  answer: action,
  delayMs,
})
const noHost = (): Promise<PanelResponse> => Promise.reject(new Error('no host is connected'))
const createRequest = (method = 'GET', signal = new AbortController().signal) => ({ method, signal })

type AnswerResponse = Extract<PanelResponse, { kind: 'answer' }>
async function readCompletely(response: PanelResponse): Promise<AnswerResponse & { text: string }> {
  if (response.kind !== 'answer') throw new Error('broken')
  const { body } = response
  return { ...response, text: body === null ? '' : Buffer.isBuffer(body) ? body.toString() : await text(body) }
}
const respondAsHost =
  (body: Readable | Buffer | string, headers: AnswerResponse['headers'] = [], status = 200) =>
  (): Promise<PanelResponse> =>
    Promise.resolve({ kind: 'answer', status, headers, body: typeof body === 'string' ? Buffer.from(body) : body })

describe('canned response', () => {
  const canned = createRule({
    kind: 'canned',
    status: 418,
    headers: [
      ['X-One', '1'],
      ['Content-Type', 'text/plain'],
    ],
    body: 'short and stout',
    base64: false,
  })

  test('is what the rule contains, without a host', async () => {
    expect(await readCompletely(await createRuleResponse(canned, createRequest(), noHost))).toMatchObject({
      status: 418,
      headers: [
        ['X-One', '1'],
        ['Content-Type', 'text/plain'],
      ],
      text: 'short and stout',
    })
  })

  test('has the decoded bytes of base64, and none where HTTP allows none', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xd8])
    const createBase64Rule = (status: number): OverrideRule =>
      createRule({ kind: 'canned', status, headers: [], body: bytes.toString('base64'), base64: true })
    expect(await createRuleResponse(createBase64Rule(200), createRequest(), noHost)).toMatchObject({ body: bytes })
    expect(await createRuleResponse(createBase64Rule(204), createRequest(), noHost)).toMatchObject({ body: null })
    expect(await createRuleResponse(createBase64Rule(200), createRequest('HEAD'), noHost)).toMatchObject({ body: null })
  })
})

describe('fault of a rule', () => {
  const requestFault = (name: (typeof overrideFaults)[number], retryAfterSeconds?: number) =>
    createRuleResponse(
      createRule({ kind: 'fault', fault: name, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }),
      createRequest(),
      noHost,
    )

  test.each(['offline', 'reset'] as const)('%s ends the connection without a response', async (name) => {
    expect(await requestFault(name)).toEqual({ kind: 'broken' })
  })

  test('rate-limit is a 429 with the error shape of the contract', async () => {
    const { status, headers, text: body } = await readCompletely(await requestFault('rate-limit', 7))
    expect(status).toBe(429)
    expect(headers).toContainEqual(['Retry-After', '7'])
    expect(JSON.parse(body)).toEqual({
      error: { code: 'RATE_LIMITED', message: 'Too many requests. Try again in 7 s.', retryAfterSeconds: 7 },
    })
  })

  test('html-error is a 500 with a page', async () => {
    const { status, headers, text: body } = await readCompletely(await requestFault('html-error'))
    expect([status, headers]).toEqual([500, [['Content-Type', 'text/html; charset=utf-8']]])
    expect(body).toMatch(/^<!doctype html>/)
  })

  test('cut begins a body and breaks off', async () => {
    const response = await requestFault('cut')
    if (response.kind !== 'answer' || !(response.body instanceof Readable)) throw new Error('no stream')
    const pieces: string[] = []
    await expect(
      (async () => {
        for await (const piece of response.body as Readable) pieces.push(String(piece))
      })(),
    ).rejects.toThrow('cut off')
    expect(pieces.join('')).toMatch(/^\{"/)
  })

  test('malformed is a complete response that is not JSON', async () => {
    const { status, text: body } = await readCompletely(await requestFault('malformed'))
    expect(status).toBe(200)
    expect(() => JSON.parse(body) as unknown).toThrow(SyntaxError)
  })

  test('hang sends nothing until the call is aborted', async () => {
    const abort = new AbortController()
    let hasEnded = false
    const pendingResponse = createRuleResponse(
      createRule({ kind: 'fault', fault: 'hang' }),
      createRequest('GET', abort.signal),
      noHost,
    )
    void pendingResponse.then(() => (hasEnded = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(hasEnded).toBe(false)
    abort.abort()
    expect(await pendingResponse).toEqual({ kind: 'broken' })
  })
})

describe('delay of a rule', () => {
  test('ends with the call, without a request to the host', async () => {
    const abort = new AbortController()
    const delayed = createRule({ kind: 'change', changes: [] }, 600_000)
    const pendingResponse = createRuleResponse(delayed, createRequest('GET', abort.signal), noHost)
    abort.abort()
    expect(await pendingResponse).toEqual({ kind: 'broken' })
    expect(await createRuleResponse(delayed, createRequest('GET', abort.signal), noHost)).toEqual({ kind: 'broken' })
  })

  test('comes before the response', async () => {
    const canned: Answer = { kind: 'canned', status: 200, headers: [], body: 'x', base64: false }
    expect(await createRuleResponse(createRule(canned, 1), createRequest(), noHost)).toMatchObject({ status: 200 })
  })
})

describe('change of the host’s response', () => {
  const titled = createRule({
    kind: 'change',
    changes: [
      { do: 'set', at: '/title', value: 'Other' },
      { do: 'remove', at: '/extra' },
    ],
  })
  const originalBody = '{"id": 12345678901234567890, "title": "Mine", "extra": 1}'
  const expected = '{"id": 12345678901234567890, "title": "Other"}'

  test('keeps everything else byte for byte, and reports what it changed', async () => {
    const response = await createRuleResponse(
      titled,
      createRequest(),
      respondAsHost(
        originalBody,
        [
          ['Content-Type', 'application/json'],
          ['Content-Length', '57'],
          ['ETag', '"1"'],
        ],
        202,
      ),
    )
    expect(await readCompletely(response)).toMatchObject({
      status: 202,
      headers: [['Content-Type', 'application/json']],
      text: expected,
      changes: [
        { where: 'answer', member: '/title', from: '"Mine"', to: '"Other"', why: 'override' },
        { where: 'answer', member: '/extra', from: '1', to: null, why: 'override' },
      ],
    })
  })

  test.each([
    ['gzip', gzipSync(originalBody)],
    ['br', brotliCompressSync(originalBody)],
  ])('decodes %s first', async (encoding, bytes) => {
    for (const body of [bytes, Readable.from([bytes.subarray(0, 9), bytes.subarray(9)])]) {
      const response = await readCompletely(
        await createRuleResponse(titled, createRequest(), respondAsHost(body, [['content-encoding', encoding]])),
      )
      expect([response.text, response.headers]).toEqual([expected, []])
    }
  })

  test('reports a change without a target, and makes the others', async () => {
    const deep = createRule({
      kind: 'change',
      changes: [
        { do: 'set', at: '/title/deep', value: 1 },
        { do: 'set', at: '/n', value: 2 },
      ],
    })
    expect(
      await readCompletely(await createRuleResponse(deep, createRequest(), respondAsHost('{"title":"t"}'))),
    ).toMatchObject({
      text: '{"title":"t","n":2}',
      changes: [
        { member: '/title/deep', why: 'override-missed' },
        { member: '/n', why: 'override' },
      ],
    })
  })

  test.each([
    ['not JSON', respondAsHost('<html>'), 'not JSON'],
    ['no body', respondAsHost('', [], 204), 'not JSON'],
    ['a part of a body', respondAsHost('{}', [], 206), 'only a part'],
    ['an unknown encoding', respondAsHost('{}', [['Content-Encoding', 'lzma']]), 'lzma'],
  ])('fails with a message if the response is %s', async (_, respond, explanation) => {
    const { status, text: body } = await readCompletely(await createRuleResponse(titled, createRequest(), respond))
    expect(status).toBe(502)
    expect(body).toContain('OVERRIDE_FAILED')
    expect(body).toContain(explanation)
  })

  test('is limited to a response size, also after decompression', async () => {
    const change = { kind: 'change' as const, changes: [{ do: 'remove' as const, at: '/x' }] }
    for (const [body, headers] of [
      [Buffer.alloc(2_000), []],
      [Readable.from([Buffer.alloc(600), Buffer.alloc(600)]), []],
      [gzipSync(Buffer.alloc(100_000)), [['Content-Encoding', 'gzip']]],
    ] as const) {
      const response = await applyRuleChanges(titled, change, await respondAsHost(body, headers)(), 1_000)
      expect((await readCompletely(response)).text).toContain('longer than 1000 bytes')
    }
  })

  test('is broken if the host breaks off', async () => {
    const brokenBody = new Readable({
      read() {
        this.destroy(new Error('reset'))
      },
    })
    expect(await createRuleResponse(titled, createRequest(), respondAsHost(brokenBody))).toEqual({ kind: 'broken' })
    expect(await createRuleResponse(titled, createRequest(), () => Promise.resolve({ kind: 'broken' }))).toEqual({
      kind: 'broken',
    })
  })
})
