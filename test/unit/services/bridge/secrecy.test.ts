import net, { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RequestLimits } from '../../../../electron/services/bridge/types.ts'
import { getEndpoint } from '../../../../shared/bridge/endpoints/index.ts'
import { toWireError } from '../../../../shared/errors.ts'
import * as does from '../../../support/hosts/behaviours.ts'
import {
  getSmallRead,
  expectAppError,
  createTarget,
  createTestClient,
  TOKEN,
} from '../../../support/services/test-client.ts'
import { createCertificate } from '../../../support/hosts/certificates.ts'
import { startMisbehavingHost, type MisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'
import { inspectError, expectNoSecret } from '../../../support/data/secrets.ts'

const { client, exchanges } = createTestClient({ maxBytes: 100_000 })
let host: MisbehavingHost

beforeAll(async () => {
  host = await startMisbehavingHost(does.respondJson({}))
})
afterAll(() => host.close())

const echoes: Record<string, string> = {
  raw: `no good: ${TOKEN}!`,
  header: `Authorization: Bearer ${TOKEN}\r\n`,
  base64: Buffer.from(TOKEN).toString('base64'),
  base64url: Buffer.from(TOKEN).toString('base64url'),
  'URL-encoded': encodeURIComponent(TOKEN),
  hex: Buffer.from(TOKEN).toString('hex'),
  'upper-case hex': Buffer.from(TOKEN).toString('hex').toUpperCase(),
  'cut off': `${'x'.repeat(80)} ${TOKEN}`,
}

describe('error without the token', () => {
  test.each<[string, does.Behaviour, Partial<RequestLimits>?]>([
    ['an error page', does.respondHtml500()],
    ['a redirect with a query', does.respondRedirect(302, `http://127.0.0.1:1/?t=${TOKEN}`)],
    ['a redirect with a user', does.respondRedirect(302, `http://${encodeURIComponent(TOKEN)}@127.0.0.1:1/`)],
    ['silence', does.neverRespond(), { idleTimeoutMs: 200 }],
    ['a reset', does.resetConnection()],
    ['a bad status line', does.respondRaw('nonsense\r\n\r\n')],
    ['too many bytes', does.sendEndlessBody('x'.repeat(1000))],
    ['half a body', does.respondTruncated('{"a":1}', 2)],
    ['an error of the host', does.respondHostError(401, { code: 'UNAUTHORIZED', message: 'bad token' })],
  ])('safety 2: follows %s', async (_, behaviour, limits = {}) => {
    host.setBehaviour(behaviour)
    const failure = await expectAppError(
      client.request(createTarget(host.baseUrl), { endpoint: getSmallRead(), attempts: 1, limits }),
    )
    expectNoSecret(inspectError(failure), TOKEN)
    expectNoSecret(JSON.stringify([toWireError(failure), exchanges]), TOKEN)
  })

  test.each(Object.entries(echoes))('safety 2: follows a response that echoes the token, %s', async (_, echo) => {
    const everywhere = { code: echo, message: `what: ${echo}`, details: { [echo]: [{ header: echo }] } }
    const behaviours = [
      does.respondHostError(401, everywhere),
      does.respondHostError(200, echo),
      does.respond(`<pre>${echo}</pre>`, { status: 500, type: `text/html; x="${echo}"` }),
      does.respond(echo, { type: 'text/plain' }),
      does.respond(`{"a":"${echo}"`, { status: 400 }),
      does.respond('x', { headers: { 'Content-Encoding': echo.slice(0, 40).replace(/[^\x20-\x7e]/g, '') } }),
    ]
    for (const behaviour of behaviours) {
      host.setBehaviour(behaviour)
      const request = { endpoint: getSmallRead(), attempts: 1 }
      const failure = await expectAppError(client.requestJson(createTarget(host.baseUrl), request))
      expectNoSecret(inspectError(failure), TOKEN)
      expectNoSecret(JSON.stringify([toWireError(failure), exchanges]), TOKEN)
    }
  })

  test('safety 2: keeps the rest of the host’s message', async () => {
    host.setBehaviour(
      does.respondHostError(401, { code: 'UNAUTHORIZED', message: `the token ${TOKEN} is unknown`, details: [1] }),
    )
    const failure = await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() }))
    expect(failure.wire).toMatchObject({
      message: 'the token [redacted] is unknown',
      code: 'UNAUTHORIZED',
      details: [1],
    })
  })

  test('safety 2: follows a refused certificate or connection, an unknown name, and a token that cannot be sent', async () => {
    const secure = await startMisbehavingHost(does.respondJson({}), { certificate: await createCertificate() })
    const targets = [
      createTarget(secure.baseUrl),
      createTarget(secure.baseUrl.replace('https', 'http')),
      createTarget(`http://127.0.0.1:${await findFreePort()}/bridge/v1`),
      createTarget('http://no-such-host.invalid/bridge/v1'),
      createTarget(host.baseUrl, { token: `${TOKEN}\r\nX: y` }),
      createTarget(host.baseUrl, { auth: { header: 'Origin', scheme: 'Bearer' } }),
    ]
    for (const target of targets) {
      const failure = await expectAppError(client.request(target, { endpoint: getSmallRead(), attempts: 1 }))
      expectNoSecret(inspectError(failure), TOKEN)
    }
    await secure.close()
  })

  test('safety 2: follows our own refusals', async () => {
    const request = { endpoint: getEndpoint('notes.move'), body: { confirm: true } }
    const failures = [
      await expectAppError(client.request(createTarget(host.baseUrl), request)),
      await expectAppError(client.request(createTarget(host.baseUrl), { endpoint: getSmallRead(), query: { x: 'y' } })),
    ]
    for (const failure of failures) expectNoSecret(inspectError(failure), TOKEN)
  })

  test('is checked by a helper that finds every form of the token', () => {
    for (const echo of Object.values(echoes)) expect(() => expectNoSecret(`… ${echo} …`, TOKEN)).toThrow()
    expectNoSecret('nothing here', TOKEN)
  })
})

describe('absent host', () => {
  test('has its own message for a refused connection and for an unknown name', async () => {
    const port = await findFreePort()
    const closed = createTarget(`http://127.0.0.1:${port}/bridge/v1`)
    const failure = await expectAppError(client.request(closed, { endpoint: getSmallRead(), attempts: 1 }))
    expect(failure.wire).toMatchObject({
      kind: 'offline',
      code: 'CONNECTION_REFUSED',
      params: { host: `127.0.0.1:${port}` },
    })
    expect(failure.message).toContain('Is the host running')
    const unknown = createTarget('http://no-such-host.invalid/bridge/v1')
    expect(
      (await expectAppError(client.request(unknown, { endpoint: getSmallRead(), attempts: 1 }))).wire,
    ).toMatchObject({
      kind: 'offline',
      code: 'DNS_UNKNOWN',
      params: { host: 'no-such-host.invalid' },
    })
  })
})

async function findFreePort(): Promise<number> {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

describe('response without the token', () => {
  test.each(Object.entries(echoes))('safety 1: replaces a successful echo of the token, %s', async (_, echo) => {
    host.setBehaviour(does.respondJson({ title: `before ${echo} after`, [echo]: [echo] }))
    const { bytes, meta } = await client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() })
    const text = Buffer.from(bytes).toString('utf8')
    expectNoSecret(text, TOKEN)
    expect(text).toHaveLength(JSON.stringify({ title: `before ${echo} after`, [echo]: [echo] }).length)
    expect(JSON.parse(text)).toMatchObject({ title: expect.stringMatching(/^before .*\*{16,}/) })
    expect(meta.masked).toBeGreaterThanOrEqual(3)
  })

  test('safety 50: also has no encoded token, no token in its headers, and no short token', async () => {
    for (const token of [TOKEN, 'hunter-2']) {
      const coded = [...token]
        .map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
        .join('')
      const percent = [...token].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('')
      const body = `{"title":"before ${coded} after","${percent.toUpperCase()}":["Bearer ${token.toUpperCase()}"]}`
      host.setBehaviour(does.respond(body, { headers: { Server: `x (${token})`, ETag: `"${percent}"` } }))
      const { value, meta } = await client.requestJson(createTarget(host.baseUrl, { token }), {
        endpoint: getSmallRead(),
      })
      const text = decodeURIComponent(JSON.stringify([value, meta])).toLowerCase()
      expect(text).not.toContain(token.toLowerCase())
      expect(text).toMatch(/before \*+ after/)
      host.setBehaviour(
        does.respond(`{"error":{"code":"X","message":"bad ${coded}","details":"${percent}"}}`, { status: 401 }),
      )
      const request = { endpoint: getSmallRead(), attempts: 1 }
      const { wire } = await expectAppError(client.requestJson(createTarget(host.baseUrl, { token }), request))
      expect(wire).toMatchObject({ code: 'X', message: 'bad [redacted]', details: '[redacted]' })
    }
  })

  test('is unchanged if it contains no token', async () => {
    const value = { title: TOKEN.slice(0, 12), stars: '****************' }
    host.setBehaviour(does.respondJson(value))
    const { bytes, meta } = await client.request(createTarget(host.baseUrl), { endpoint: getSmallRead() })
    expect(Buffer.from(bytes).toString('utf8')).toBe(JSON.stringify(value))
    expect(meta).not.toHaveProperty('masked')
  })
})
