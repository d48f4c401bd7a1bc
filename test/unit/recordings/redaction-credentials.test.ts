import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RedactionPolicy } from '../../../shared/recordings/recording.ts'
import {
  buildExchanges,
  readAllText,
  redactExchanges,
  type ExchangeFacts,
} from '../../support/data/redacted-exchanges.ts'

const KEEP_ALL: RedactionPolicy = { texts: 'keep', ids: 'keep', pictures: 'keep' }
const policies: RedactionPolicy[] = [KEEP_ALL, { texts: 'placeholder', ids: 'map', pictures: 'grey' }]

/** Names of RFC 6749, 6750, 7009, 7523 and 8628, and of common usage. */
const parameters = [
  ...['access_token', 'refresh_token', 'id_token', 'client_secret', 'client_assertion', 'assertion', 'code'],
  ...['code_verifier', 'device_code', 'token', 'password', 'apiKey', 'accessToken', 'refreshToken', 'clientSecret'],
]

/** Each place has the credential once, under a name that says what it is. */
const places: Readonly<Record<string, (name: string, secret: string) => Partial<ExchangeFacts>>> = {
  query: (name, secret) => ({ path: `/x?a=1&${name}=${encodeURIComponent(secret)}` }),
  fragment: (name, secret) => ({
    responseHeaders: [['Location', `https://panel.local/back#${name}=${encodeURIComponent(secret)}&token_type=bearer`]],
  }),
  form: (name, secret) => ({
    method: 'POST',
    request: new URLSearchParams({ grant_type: 'password', [name]: secret }).toString(),
    requestType: 'application/x-www-form-urlencoded',
  }),
  'request member': (name, secret) => ({ method: 'POST', request: JSON.stringify({ deep: [{ [name]: secret }] }) }),
  'response member': (name, secret) => ({ response: JSON.stringify({ [name]: secret, token_type: 'Bearer' }) }),
  bearer: (_, secret) => ({ requestHeaders: [['Authorization', `Bearer ${secret}`]] }),
  basic: (_, secret) => ({
    requestHeaders: [['authorization', `Basic ${Buffer.from(`anna:${secret}`).toString('base64')}`]],
  }),
  cookie: (_, secret) => ({ responseHeaders: [['Set-Cookie', `session=${secret}; Path=/`]] }),
  'header of a key': (_, secret) => ({ requestHeaders: [['X-Api-Key', secret]] }),
}

/** The exchange says the credential again, where nothing tells what it is. */
const echoes: Readonly<Record<string, (secret: string) => Partial<ExchangeFacts>>> = {
  text: (secret) => ({ response: `You sent ${secret}.`, responseType: 'text/plain' }),
  message: (secret) => ({
    status: 401,
    response: JSON.stringify({ error: { code: 'UNAUTHORIZED', message: `${secret} is no token` } }),
  }),
  member: (secret) => ({ response: JSON.stringify({ seen: [secret] }) }),
  base64: (secret) => ({ response: JSON.stringify({ seen: Buffer.from(secret).toString('base64') }) }),
  header: (secret) => ({ responseHeaders: [['X-Seen', secret]] }),
  path: (secret) => ({ path: `/seen/${encodeURIComponent(secret)}` }),
}

const characters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~'
const secret = fc
  .array(fc.constantFrom(...characters), { minLength: 20, maxLength: 60 })
  .map((letters) => `s3${letters.join('')}`)

describe('safety 77: a credential', () => {
  it.each(Object.keys(places))('in a %s is in no entry, nor where it is said again', async (place) => {
    await fc.assert(
      fc.asyncProperty(
        secret,
        fc.constantFrom(...parameters),
        fc.constantFrom(...Object.values(echoes)),
        fc.constantFrom(...policies),
        async (value, name, echo, policy) => {
          const { path = '/x', ...facts } = places[place]?.(name, value) ?? {}
          const built = buildExchanges([
            { path: '/echo', ...echo(value) },
            { path, ...facts },
          ])
          const text = readAllText(await redactExchanges(built, policy))
          for (const form of [
            value,
            encodeURIComponent(value),
            Buffer.from(value).toString('base64').replace(/=+$/, ''),
          ])
            expect(text).not.toContain(form)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('is all that is removed where texts are kept', async () => {
    const value = 's3cret-value-of-a-token'
    const stars = '*'.repeat(value.length)
    const built = buildExchanges([
      {
        method: 'POST',
        path: `/token?access_token=${value}&q=Anatomy#part`,
        request: JSON.stringify({ code: value, title: 'Anatomy of the arm', nextPageToken: 'page-2', tokens: 5 }),
        response: JSON.stringify({
          code: 'NOT_FOUND',
          access_token: value,
          error: { code: 'X_Y', message: 'no title' },
        }),
        requestHeaders: [
          ['X-Note', 'Anatomy'],
          ['Authorization', `Bearer ${value}`],
        ],
        responseHeaders: [
          ['ETag', '"a b"'],
          ['Location', 'https://annas-laptop.local/x?y=z'],
        ],
      },
    ])
    const redacted = await redactExchanges(built, KEEP_ALL)
    const mask = (text: string): string =>
      text.replaceAll(value, stars).replace(/"(?:request|response)Body":"[^"]*"/g, '')
    expect(mask(readAllText(redacted))).toBe(mask(readAllText(built)))
  })
})
