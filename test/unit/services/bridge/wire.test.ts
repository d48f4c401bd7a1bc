import { afterEach, describe, expect, test } from 'vitest'
import { toSocketError } from '../../../../electron/services/bridge/wire/wire-errors.ts'
import { getEndpoint, endpoints } from '../../../../shared/bridge/endpoints/index.ts'
import { respond, behaveInTurn, respondJson, type Behaviour } from '../../../support/hosts/behaviours.ts'
import {
  getSmallRead,
  expectAppError,
  createTarget,
  createTestClient,
  TOKEN,
} from '../../../support/services/test-client.ts'
import { startMisbehavingHost, type MisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'

const hosts: MisbehavingHost[] = []
const { client, exchanges } = createTestClient()

async function startHost(behaviour: Behaviour): Promise<MisbehavingHost> {
  const started = await startMisbehavingHost(behaviour)
  hosts.push(started)
  return started
}

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((started) => started.close()))
  exchanges.length = 0
})

describe('request on the wire', () => {
  test('safety 6: has the expected headers of a read, byte for byte', async () => {
    const server = await startHost(respondJson({ routes: [] }))
    await client.request(createTarget(server.baseUrl), { endpoint: getSmallRead() })
    expect(server.getReceivedBytes().toString('latin1')).toBe(
      [
        'GET /bridge/v1/capabilities HTTP/1.1',
        'Accept: application/json',
        'Accept-Encoding: gzip, deflate, br',
        'User-Agent: bridge-inspector/1.2.3',
        `Authorization: Bearer ${TOKEN}`,
        `Host: 127.0.0.1:${server.port}`,
        'Connection: keep-alive',
        '',
        '',
      ].join('\r\n'),
    )
  })

  test('safety 6: has only type and length as additional headers for a body', async () => {
    const server = await startHost(respondJson({ items: [] }))
    const body = { noteIds: ['Ä'] }
    await client.request(createTarget(server.baseUrl), { endpoint: getEndpoint('notes.batchGet'), body })
    expect(server.requests[0]?.headers.map(([name]) => name)).toEqual([
      'Accept',
      'Accept-Encoding',
      'User-Agent',
      'Authorization',
      'Content-Type',
      'Content-Length',
      'Host',
      'Connection',
    ])
    expect(server.requests[0]?.body.toString()).toBe('{"noteIds":["Ä"]}')
    expect(new Map(server.requests[0]?.headers).get('Content-Length')).toBe('18')
  })

  test('safety 6: has no other header for any row of the table', async () => {
    const server = await startHost(respondJson({}))
    const allowed =
      /^(accept|accept-encoding|user-agent|authorization|content-type|content-length|host|connection|transfer-encoding)$/i
    for (const row of endpoints) {
      const getRequiredValues = (place: 'path' | 'query') =>
        row.parameters
          .filter((parameter) => parameter.in === place && parameter.required)
          .map((parameter) => [parameter.name, String(parameter.values?.[0] ?? parameter.min ?? '1')])
      await client
        .request(createTarget(server.baseUrl, { isReadOnly: false }), {
          endpoint: row,
          params: Object.fromEntries(getRequiredValues('path')) as Record<string, string>,
          query: Object.fromEntries(getRequiredValues('query')) as Record<string, string>,
          ...(row.body ? { body: {} } : {}),
        })
        .catch((error: unknown) => {
          throw new Error(`${row.id} failed`, { cause: error })
        })
    }
    expect(server.requests).toHaveLength(endpoints.length)
    const names = new Set(server.requests.flatMap(({ headers }) => headers.map(([name]) => name)))
    expect([...names].filter((name) => !allowed.test(name))).toEqual([])
  })

  test('has the header name and scheme of the profile, and no such header without a token', async () => {
    const server = await startHost(respondJson({}))
    await client.request(createTarget(server.baseUrl, { auth: { header: 'X-Bridge-Token', scheme: '' } }), {
      endpoint: getSmallRead(),
    })
    await client.request(createTarget(server.baseUrl, { token: null }), { endpoint: getSmallRead() })
    expect(server.requests[0]?.head).toContain(`\r\nX-Bridge-Token: ${TOKEN}`)
    expect(server.requests[0]?.head).not.toContain('Authorization')
    expect(server.requests[1]?.head).not.toMatch(/authorization/i)
  })

  test.each([
    ['with a line break', 'good\r\nX-Evil: 1'],
    ['with a line feed', 'good\nbad'],
    ['beyond latin1', 'tökën✓'],
    ['empty', ''],
    ['with a NUL', 'a\u0000b'],
  ])('is refused if the token is %s', async (_, token) => {
    const server = await startHost(respondJson({}))
    const failure = await expectAppError(
      client.request(createTarget(server.baseUrl, { token }), { endpoint: getSmallRead() }),
    )
    expect(failure.wire).toMatchObject({ kind: 'refused', code: 'TOKEN_MALFORMED' })
    expect(server.countConnections().accepted).toBe(0)
    expect(exchanges).toEqual([])
  })

  test.each(['Origin', 'cookie', 'Host', 'Content-Length', 'Sec-Fetch-Site', 'Transfer-Encoding', 'Connection', 'a b'])(
    'is refused if the profile puts the token into %s',
    async (header) => {
      const server = await startHost(respondJson({}))
      const target = createTarget(server.baseUrl, { auth: { header, scheme: '' } })
      const failure = await expectAppError(client.request(target, { endpoint: getSmallRead() }))
      expect(failure.wire).toMatchObject({ kind: 'refused', code: 'AUTH_HEADER_RESERVED' })
      expect(server.countConnections().accepted).toBe(0)
    },
  )

  test('stays below the base address with any template from the host', async () => {
    const server = await startHost(respondJson({ nodes: [] }))
    for (const template of ['/../../../etc/{topicid}', '/%2e%2E/x/{topicid}', '/../v2/{topicid}']) {
      const target = createTarget(server.baseUrl, { pathOverrides: { 'studySets.tree': template } })
      const request = { endpoint: getEndpoint('studySets.tree'), params: { topicid: 'T' } }
      const failure = await expectAppError(client.request(target, request))
      expect(failure.code).toBe('PATH_OUTSIDE')
    }
    expect(server.requests).toEqual([])
  })
})

describe('socket', () => {
  test('is kept alive and shared by reads', async () => {
    const server = await startHost(respondJson({}))
    for (let count = 0; count < 3; count += 1) {
      await client.request(createTarget(server.baseUrl), { endpoint: getSmallRead() })
    }
    expect(server.countConnections().accepted).toBe(1)
  })

  test('is replaced if the host has closed it, also with a single attempt', async () => {
    const used = new WeakSet()
    const server = await startHost((socket, request) => {
      if (used.has(socket)) socket.resetAndDestroy()
      else void respondJson({ n: server.countConnections().accepted })(socket, request)
      used.add(socket)
    })
    await client.request(createTarget(server.baseUrl), { endpoint: getSmallRead(), attempts: 1 })
    const second = await client.requestJson(createTarget(server.baseUrl), { endpoint: getSmallRead(), attempts: 1 })
    expect(second.value).toEqual({ n: 2 })
    expect(server.countConnections().accepted).toBe(2)
  })

  test('is new for each write, so that a dead socket never leaves the outcome unknown', async () => {
    const server = await startHost(respondJson({}))
    await client.request(createTarget(server.baseUrl), { endpoint: getSmallRead() })
    const target = createTarget(server.baseUrl, { isReadOnly: false })
    await client.request(target, { endpoint: getEndpoint('notes.move'), body: { confirm: true } })
    expect(server.countConnections().accepted).toBe(2)
    expect(new Map(server.requests[1]?.headers).get('Connection')).toBe('close')
  })
})

describe('successful response', () => {
  test('has the bytes as sent and their metadata', async () => {
    const text = '{ "nodes" : [ 12345678901234567890 ] }\n'
    const server = await startHost(respond(text, { headers: { 'Set-Cookie': 'a=b', ETag: '"1"', 'X-Other': 'x' } }))
    const { bytes, meta } = await client.request(createTarget(server.baseUrl, { epoch: 7 }), {
      endpoint: getEndpoint('studySets.tree'),
      params: { topicid: 'A/B' },
      query: { limit: 5 },
    })
    expect(Buffer.from(bytes).toString()).toBe(text)
    expect(bytes.buffer.byteLength).toBe(bytes.byteLength)
    expect(meta).toMatchObject({
      endpoint: 'studySets.tree',
      method: 'GET',
      path: '/study-sets/A%2FB/tree?limit=5',
      status: 200,
      contentType: 'application/json',
      epoch: 7,
      byteLength: text.length,
      headers: { 'content-type': 'application/json', 'content-length': String(text.length), etag: '"1"' },
    })
    expect(Object.keys(meta.headers).sort()).toEqual(['content-length', 'content-type', 'etag'])
    expect(exchanges).toEqual([
      expect.objectContaining({ id: meta.exchangeId, attempt: 1, status: 200, bytes: text.length, error: null }),
    ])
  })

  test('is reported with every attempt', async () => {
    const busy = respondJson({ error: { code: 'SCAN_BUSY', message: 'busy', retryable: true } }, { status: 429 })
    const server = await startHost(behaveInTurn(busy, respondJson({ ok: 1 })))
    await client.request(createTarget(server.baseUrl), { endpoint: getSmallRead() })
    expect(exchanges.map(({ attempt, status, error }) => [attempt, status, error])).toEqual([
      [1, 429, { kind: 'host', code: 'SCAN_BUSY' }],
      [2, 200, null],
    ])
  })
})

test('an error shows the name of the host even if it contains replacement patterns', () => {
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
  expect(toSocketError(refused, '$&.test:80').message).toContain('$&.test:80')
})
