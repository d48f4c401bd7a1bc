import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { curlOf, fetchOf, hostApiOf, shellWord } from '../../../../renderer/model/traffic/copies.ts'
import { harEntry } from '../../../../renderer/model/traffic/har.ts'
import { panelAnswer } from '../../../../renderer/model/traffic/panel-answer.ts'
import { exchangeDetail, wholeBody } from '../../../support/exchanges.ts'

/** The words that a shell makes of a command line in which `curl` prints its arguments. */
function wordsOf(line: string, token = ''): string[] {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; }\n${line}`
  const out = execFileSync('sh', ['-c', script], { env: { BRIDGE_TOKEN: token } })
  return out.toString('utf8').split('\0').slice(0, -1)
}

describe('a copy as cURL', () => {
  test('reaches curl exactly as it was, whatever is in it', () => {
    // A word of a command line cannot hold NUL, and neither can a text of lone surrogates.
    const text = fc
      .string({ unit: 'grapheme', maxLength: 60 })
      .filter((one) => !one.includes('\0') && one.isWellFormed())
    fc.assert(
      fc.property(text, text, (path, body) => {
        const detail = exchangeDetail({
          row: { method: 'POST', path: `/x?q=${path}` },
          request: wholeBody(body.length),
        })
        const words = wordsOf(curlOf({ detail, body }), 'a $token "quoted"')
        expect(words).toContain(`http://127.0.0.1:42340/bridge/v1/x?q=${path}`)
        expect(words).toContain('Authorization: Bearer a $token "quoted"')
        if (body === '') expect(words).not.toContain('--data-raw')
        else expect(words[words.indexOf('--data-raw') + 1]).toBe(body)
      }),
      { numRuns: 30 },
    )
  })

  test('names the token and never holds it', () => {
    const line = curlOf({ detail: exchangeDetail(), body: null })
    expect(line).toContain('"$BRIDGE_TOKEN"')
    expect(line).not.toContain('redacted')
    expect(line).not.toContain('Host:')
  })

  test('says what is missing of the body', () => {
    const request = { ...wholeBody(10), total: 20, missing: 'limit' as const }
    expect(curlOf({ detail: exchangeDetail({ request }), body: 'x' })).toMatch(/^# only 10 of 20 bytes/)
  })

  test('quotes a single quote', () => {
    expect(shellWord("it's")).toBe(String.raw`'it'\''s'`)
  })
})

describe('a copy as a call', () => {
  test('of fetch sends the body unchanged, also where a literal would change it', () => {
    for (const body of ['{"a":1}', '{"n":12345678901234567890}', '{"__proto__":1}', 'plain "text"\n', '{ "a": 1 }']) {
      const detail = exchangeDetail({ row: { method: 'POST' }, request: wholeBody(body.length) })
      const call = fetchOf({ detail, body }).replace('await fetch(', 'return [').replace(/\)$/, ']')
      const run = new Function('process', call) as (
        process: unknown,
      ) => [string, { body: string; headers: Record<string, string> }]
      const [url, options] = run({ env: { BRIDGE_TOKEN: 'secret' } })
      expect(url).toBe('http://127.0.0.1:42340/bridge/v1/library/study-sets')
      expect(options.body).toBe(body)
      expect(options.headers['Authorization']).toBe('Bearer secret')
    }
  })

  test('of host.api has the path that a panel uses, and no token', () => {
    expect(hostApiOf({ detail: exchangeDetail(), body: null })).toBe('await host.api("/library/study-sets")')
    const recorded = exchangeDetail({ row: { path: '/bridge/v1/library/study-sets' } })
    expect(hostApiOf({ detail: recorded, body: null })).toBe('await host.api("/library/study-sets")')
    const detail = exchangeDetail({ row: { method: 'POST', path: '/notes/batch-get' }, request: wholeBody(9) })
    expect(hostApiOf({ detail, body: '{"a":"b"}' })).toContain('body: JSON.stringify({"a":"b"}),')
  })
})

test.each([
  ['answered', '{"a":1}', { kind: 'value', text: '{"a":1}', failure: false }],
  ['answered', '{"error":{"code":"X"}}', { kind: 'value', text: '{"error":{"code":"X"}}', failure: true }],
  ['answered', '# Guide', { kind: 'error', why: 'not-json' }],
  ['failed', '{"a":1}', { kind: 'error', why: 'no-answer' }],
] as const)('host.api returns of a %s exchange with %s (spec §1)', (state, body, expected) => {
  expect(panelAnswer({ state }, body)).toEqual(expected)
})

test('an entry of an archive says what was cut', () => {
  const response = { ...wholeBody(10), total: 5_000, missing: 'limit' as const }
  const entry = harEntry(exchangeDetail({ response, row: { path: '/search?q=a%20b' } }), null, {
    text: '0123456789',
    base64: false,
  })
  expect(entry).toMatchObject({
    request: { url: 'http://127.0.0.1:42340/bridge/v1/search?q=a%20b', queryString: [{ name: 'q', value: 'a b' }] },
    response: { status: 200, content: { text: '0123456789', comment: '10 of 5000 bytes kept (limit)' } },
    timings: { blocked: 1, connect: 1, send: 1, wait: 12, receive: 5 },
  })
})
