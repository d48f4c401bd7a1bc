import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { createRuleResponse } from '../../../../electron/services/panel/overrides/rule-response.ts'
import { applyRuleChanges } from '../../../../electron/services/panel/overrides/changed-response.ts'
import type { PanelResponse } from '../../../../electron/services/panel/call/types.ts'
import type { overrideFaults, OverrideRule } from '../../../../shared/panel/overrides.ts'

type Answer = OverrideRule['answer']
const rule = (answer: Answer, delayMs = 0): OverrideRule => ({
  id: 'r',
  name: 'Rule',
  on: true,
  match: { method: '*', path: '*' },
  answer,
  delayMs,
})
const noHost = (): Promise<PanelResponse> => Promise.reject(new Error('no host is connected'))
const request = (method = 'GET', signal = new AbortController().signal) => ({ method, signal })

type Whole = Extract<PanelResponse, { kind: 'answer' }>
async function whole(answer: PanelResponse): Promise<Whole & { text: string }> {
  if (answer.kind !== 'answer') throw new Error('broken')
  const { body } = answer
  return { ...answer, text: body === null ? '' : Buffer.isBuffer(body) ? body.toString() : await text(body) }
}
const host =
  (body: Readable | Buffer | string, headers: Whole['headers'] = [], status = 200) =>
  (): Promise<PanelResponse> =>
    Promise.resolve({ kind: 'answer', status, headers, body: typeof body === 'string' ? Buffer.from(body) : body })

describe('a canned answer', () => {
  const canned = rule({
    kind: 'canned',
    status: 418,
    headers: [
      ['X-One', '1'],
      ['Content-Type', 'text/plain'],
    ],
    body: 'short and stout',
    base64: false,
  })

  test('is what the rule says, without a host', async () => {
    expect(await whole(await createRuleResponse(canned, request(), noHost))).toMatchObject({
      status: 418,
      headers: [
        ['X-One', '1'],
        ['Content-Type', 'text/plain'],
      ],
      text: 'short and stout',
    })
  })

  test('has the bytes of base64, and none where there may be none', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xd8])
    const of = (status: number): OverrideRule =>
      rule({ kind: 'canned', status, headers: [], body: bytes.toString('base64'), base64: true })
    expect(await createRuleResponse(of(200), request(), noHost)).toMatchObject({ body: bytes })
    expect(await createRuleResponse(of(204), request(), noHost)).toMatchObject({ body: null })
    expect(await createRuleResponse(of(200), request('HEAD'), noHost)).toMatchObject({ body: null })
  })
})

describe('a fault', () => {
  const fault = (name: (typeof overrideFaults)[number], retryAfterSeconds?: number) =>
    createRuleResponse(
      rule({ kind: 'fault', fault: name, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) }),
      request(),
      noHost,
    )

  test.each(['offline', 'reset'] as const)('%s ends the connection without an answer', async (name) => {
    expect(await fault(name)).toEqual({ kind: 'broken' })
  })

  test('rate-limit is a 429 in the error shape of the contract', async () => {
    const { status, headers, text: body } = await whole(await fault('rate-limit', 7))
    expect(status).toBe(429)
    expect(headers).toContainEqual(['Retry-After', '7'])
    expect(JSON.parse(body)).toEqual({
      error: { code: 'RATE_LIMITED', message: 'Too many requests. Try again in 7 s.', retryAfterSeconds: 7 },
    })
  })

  test('html-error is a 500 with a page', async () => {
    const { status, headers, text: body } = await whole(await fault('html-error'))
    expect([status, headers]).toEqual([500, [['Content-Type', 'text/html; charset=utf-8']]])
    expect(body).toMatch(/^<!doctype html>/)
  })

  test('cut begins a body and breaks off', async () => {
    const answer = await fault('cut')
    if (answer.kind !== 'answer' || !(answer.body instanceof Readable)) throw new Error('no stream')
    const pieces: string[] = []
    await expect(
      (async () => {
        for await (const piece of answer.body as Readable) pieces.push(String(piece))
      })(),
    ).rejects.toThrow('cut off')
    expect(pieces.join('')).toMatch(/^\{"/)
  })

  test('malformed is a whole answer that is not JSON', async () => {
    const { status, text: body } = await whole(await fault('malformed'))
    expect(status).toBe(200)
    expect(() => JSON.parse(body) as unknown).toThrow(SyntaxError)
  })

  test('hang answers nothing until the call is given up', async () => {
    const abort = new AbortController()
    let over = false
    const answer = createRuleResponse(rule({ kind: 'fault', fault: 'hang' }), request('GET', abort.signal), noHost)
    void answer.then(() => (over = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(over).toBe(false)
    abort.abort()
    expect(await answer).toEqual({ kind: 'broken' })
  })
})

describe('a delay', () => {
  test('ends with the call, and the host is not asked', async () => {
    const abort = new AbortController()
    const delayed = rule({ kind: 'change', changes: [] }, 600_000)
    const answer = createRuleResponse(delayed, request('GET', abort.signal), noHost)
    abort.abort()
    expect(await answer).toEqual({ kind: 'broken' })
    expect(await createRuleResponse(delayed, request('GET', abort.signal), noHost)).toEqual({ kind: 'broken' })
  })

  test('comes before the answer', async () => {
    const canned: Answer = { kind: 'canned', status: 200, headers: [], body: 'x', base64: false }
    expect(await createRuleResponse(rule(canned, 1), request(), noHost)).toMatchObject({ status: 200 })
  })
})

describe('a change of the host’s own answer', () => {
  const titled = rule({
    kind: 'change',
    changes: [
      { do: 'set', at: '/title', value: 'Other' },
      { do: 'remove', at: '/extra' },
    ],
  })
  const sent = '{"id": 12345678901234567890, "title": "Mine", "extra": 1}'
  const expected = '{"id": 12345678901234567890, "title": "Other"}'

  test('keeps all else byte for byte, and says what it did', async () => {
    const answer = await createRuleResponse(
      titled,
      request(),
      host(
        sent,
        [
          ['Content-Type', 'application/json'],
          ['Content-Length', '57'],
          ['ETag', '"1"'],
        ],
        202,
      ),
    )
    expect(await whole(answer)).toMatchObject({
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
    ['gzip', gzipSync(sent)],
    ['br', brotliCompressSync(sent)],
  ])('takes %s off first', async (encoding, bytes) => {
    for (const body of [bytes, Readable.from([bytes.subarray(0, 9), bytes.subarray(9)])]) {
      const answer = await whole(
        await createRuleResponse(titled, request(), host(body, [['content-encoding', encoding]])),
      )
      expect([answer.text, answer.headers]).toEqual([expected, []])
    }
  })

  test('says which change leads nowhere, and makes the others', async () => {
    const deep = rule({
      kind: 'change',
      changes: [
        { do: 'set', at: '/title/deep', value: 1 },
        { do: 'set', at: '/n', value: 2 },
      ],
    })
    expect(await whole(await createRuleResponse(deep, request(), host('{"title":"t"}')))).toMatchObject({
      text: '{"title":"t","n":2}',
      changes: [
        { member: '/title/deep', why: 'override-missed' },
        { member: '/n', why: 'override' },
      ],
    })
  })

  test.each([
    ['not JSON', host('<html>'), 'not JSON'],
    ['no body', host('', [], 204), 'not JSON'],
    ['a part of a body', host('{}', [], 206), 'only a part'],
    ['an unknown encoding', host('{}', [['Content-Encoding', 'zstd']]), 'zstd'],
  ])('fails aloud where the answer is %s', async (_, ask, why) => {
    const { status, text: body } = await whole(await createRuleResponse(titled, request(), ask))
    expect(status).toBe(502)
    expect(body).toContain('OVERRIDE_FAILED')
    expect(body).toContain(why)
  })

  test('holds no more of an answer than it may, however small it was packed', async () => {
    const change = { kind: 'change' as const, changes: [] }
    for (const [body, headers] of [
      [Buffer.alloc(2_000), []],
      [Readable.from([Buffer.alloc(600), Buffer.alloc(600)]), []],
      [gzipSync(Buffer.alloc(100_000)), [['Content-Encoding', 'gzip']]],
    ] as const) {
      const answer = await applyRuleChanges(titled, change, await host(body, headers)(), 1_000)
      expect((await whole(answer)).text).toContain('longer than 1000 bytes')
    }
  })

  test('is broken where the host breaks off', async () => {
    const broken = new Readable({
      read() {
        this.destroy(new Error('reset'))
      },
    })
    expect(await createRuleResponse(titled, request(), host(broken))).toEqual({ kind: 'broken' })
    expect(await createRuleResponse(titled, request(), () => Promise.resolve({ kind: 'broken' }))).toEqual({
      kind: 'broken',
    })
  })
})
