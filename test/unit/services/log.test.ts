import fc from 'fast-check'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createLog, describeError as described, createFileSink } from '../../../electron/services/files/log.ts'
import { Redactor } from '../../../electron/services/redactor.ts'
import { createTempDir } from '../../support/data/temp-dir.ts'
import { inspectError, expectNoSecret } from '../../support/data/secrets.ts'

const TOKEN = 'mnb0.Zx7+Qe/9vKc2~hW4_tB8-rY1.pL6sD3fG5'

/** Creates a log in memory with a registered token. */
function createMemoryLog(token: string | null = TOKEN) {
  const lines: string[] = []
  const redactor = new Redactor()
  if (token !== null) redactor.register(token)
  return { lines, log: createLog((line) => lines.push(line), redactor) }
}

const encodings: readonly (readonly [string, (token: string) => string])[] = [
  ['raw', (token) => token],
  ['in a header', (token) => `Authorization: Bearer ${token}`],
  ['in JSON', (token) => JSON.stringify({ token })],
  ['URL-encoded', encodeURIComponent],
  ['URL-encoded in lower case', (token) => encodeURIComponent(token).toLowerCase()],
  ['base64', (token) => Buffer.from(token).toString('base64')],
  ['base64url', (token) => Buffer.from(token).toString('base64url')],
  ['Basic', (token) => `Basic ${Buffer.from(`user:${token}`).toString('base64')}`],
  ['base64 of JSON', (token) => Buffer.from(JSON.stringify({ a: 1, token, b: 2 })).toString('base64')],
  ['hex', (token) => Buffer.from(token).toString('hex')],
  ['hex in upper case', (token) => Buffer.from(token).toString('hex').toUpperCase()],
  ['a shown buffer', (token) => inspect(Buffer.from(token), { maxArrayLength: null })],
  ['the first 16 characters', (token) => `${token.slice(0, 16)}…`],
  ['an error', (token) => described(new Error(`bad token ${token}`))],
  ['an error with a cause', (token) => inspectError(new Error('bad', { cause: new Error(token) }))],
]

describe('safety 2: registered token', () => {
  test.each(encodings)('is in no log line, %s', (_, encode) => {
    const { log, lines } = createMemoryLog()
    log.info(encode(TOKEN), { a: encode(TOKEN), count: 3 })
    log.warn('warned', { nested: `before ${encode(TOKEN)} after` })
    log.error(`x${encode(TOKEN)}y`)
    expect(lines).toHaveLength(3)
    expectNoSecret(lines.join('\n'), TOKEN)
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: /info|warn|error/ })
  })

  test('is masked whatever it is and wherever it occurs', () => {
    // These characters are left out because `inspect` escapes them in its own way.
    const code = fc
      .integer({ min: 0x21, max: 0x7e })
      .filter((charCode) => !/["'`\\]/.test(String.fromCharCode(charCode)))
    const sized = fc.array(code, { minLength: 25, maxLength: 60 })
    fc.assert(
      fc.property(
        sized,
        fc.string(),
        fc.string(),
        fc.nat(encodings.length - 1),
        (codes, before, after, encodingIndex) => {
          const secret = String.fromCharCode(...codes)
          const { log, lines } = createMemoryLog(secret)
          const encode = encodings[encodingIndex]?.[1] ?? String
          log.error('failed', { reason: `${before}${encode(secret)}${after}` })
          expectNoSecret(lines.join('\n'), secret)
        },
      ),
      { numRuns: 300 },
    )
  })

  test('takes no extra time if it has odd characters', () => {
    const { log, lines } = createMemoryLog(`a${'\\'.repeat(30)}b${'.*'.repeat(20)}`)
    log.error('\\'.repeat(4_000), { reason: `a${'\\'.repeat(3_000)}` })
    expect(lines).toHaveLength(1)
  })

  test('is masked before a fact is truncated, so that no part of it remains', () => {
    for (let before = 3_955; before < 4_005; before += 1) {
      const { log, lines } = createMemoryLog()
      log.error('failed', { reason: `${'x'.repeat(before)}${TOKEN}` })
      expect(lines.join()).not.toContain(TOKEN.slice(0, 8))
      expect(lines.join().length).toBeLessThan(4_300)
    }
  })
})

describe('safety 2: text that looks like a secret', () => {
  test.each([
    [`the host said mnb0.abcDEF123 twice: mnb0.abcDEF123`, 'abcDEF123'],
    ['Authorization: MyScheme s3cr3t-value', 's3cr3t-value'],
    ['{"authorization":"Bearer s3cr3t-value"}', 's3cr3t-value'],
    [JSON.stringify(JSON.stringify({ authorization: 'Odd s3cr3t-value' })), 's3cr3t-value'],
    ['set-cookie: bridge-inspector-session=s3cr3t-value; HttpOnly', 's3cr3t-value'],
    ['x-mn-token: s3cr3t-value', 's3cr3t-value'],
    ['GET /?key=s3cr3t-value HTTP/1.1', 's3cr3t-value'],
    ['http://127.0.0.1/x?a=1&access_token=s3cr3t-value&b=2', 's3cr3t-value'],
    ['Bearer s3cr3t-value', 's3cr3t-value'],
    ['proxy-authorization: Basic dXNlcjpzM2NyM3Q=', 'dXNlcjpzM2NyM3Q'],
  ])('is masked without registration: %s', (text, secret) => {
    const { log, lines } = createMemoryLog(null)
    log.info(text)
    log.info('a fact', { text })
    expect(lines.join('\n')).not.toContain(secret)
  })

  test('is masked by the name of its fact', () => {
    const { log, lines } = createMemoryLog(null)
    log.info('set', { token: 's3cr3t-value', secret: 's3cr3t-value', authorization: 's3cr3t value' })
    expect(lines.join()).not.toContain('s3cr3t')
    expect(() => JSON.parse(lines[0] ?? '') as unknown).not.toThrow()
  })

  test('does not include ordinary sentences', () => {
    const { log, lines } = createMemoryLog()
    log.warn('The token of this profile is bound to http://127.0.0.1:42340.', { port: 42340, kept: true, none: null })
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      message: 'The token of this profile is bound to http://127.0.0.1:42340.',
      port: 42340,
      kept: true,
      none: null,
    })
  })
})

describe('log file', () => {
  test('contains one JSON line per entry, is private to the user, and is limited in size', () => {
    const dir = path.join(createTempDir(), 'data')
    const log = createLog(createFileSink(dir, 5_000), new Redactor())
    for (let n = 0; n < 300; n += 1) log.info('entry', { n })
    expect(readdirSync(dir).sort()).toEqual(['bridge-inspector.log', 'bridge-inspector.log.old'])
    const sizes = readdirSync(dir).map((name) => statSync(path.join(dir, name)).size)
    expect(Math.max(...sizes)).toBeLessThan(5_200)
    const lines = readFileSync(path.join(dir, 'bridge-inspector.log'), 'utf8').trimEnd().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 'info', message: 'entry', n: 299 })
    if (process.platform !== 'win32') {
      expect(statSync(path.join(dir, 'bridge-inspector.log')).mode & 0o777).toBe(0o600)
    }
  })

  test('survives a full disk', () => {
    const log = createLog(createFileSink('/dev/null/nowhere'), new Redactor())
    expect(() => log.error('lost')).not.toThrow()
  })

  test('is safe from entries with a forged level or time', () => {
    const { log, lines } = createMemoryLog()
    log.info('real', { level: 'error', at: 'never', message: 'forged' })
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'info', message: 'real' })
  })
})
