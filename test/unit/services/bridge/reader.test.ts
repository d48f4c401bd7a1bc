import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startDemoHost } from '../../../../electron/demo-host/server.ts'
import { createBridgeClient } from '../../../../electron/services/bridge/client/client.ts'
import { createConnection } from '../../../../electron/services/bridge/connection/connection.ts'
import { createEndpointReader } from '../../../../electron/services/bridge/reading/reader.ts'
import { originOf } from '../../../../electron/services/profiles/base-url.ts'
import { findUnlistedReadIds } from '../../../../shared/bridge/capabilities.ts'
import type { Capabilities } from '../../../../shared/bridge/resources/state.ts'
import { getEndpointById, endpoints } from '../../../../shared/bridge/endpoints/index.ts'
import { responseMetaSchema, readInputSchema, type ReadInput } from '../../../../shared/ipc/bridge.ts'
import { expectAppError, createTestClient } from '../../../support/services/test-client.ts'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { startStores } from '../../../support/services/service-environment.ts'

const { client, exchanges } = createTestClient()
const never = new AbortController().signal
const createInput = (id: string, more: Partial<ReadInput> = {}): ReadInput => ({
  endpoint: id,
  params: {},
  query: {},
  ...more,
})

/**
 * Creates a reader that is online with its own demo host and an unlocked profile, so that only
 * the reader itself can refuse.
 */
async function createTestReader(options: { connect?: boolean } = {}) {
  const host = await startDemoHost({ nodes: 20 })
  const stores = await startStores(createTempDir())
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  const { profile } = stores.profiles.save({ name: '', baseUrl: host.baseUrl, auth, readOnly: false })
  await stores.vault.setToken(profile.id, host.token, originOf(profile.baseUrl), false)
  const connection = createConnection({ ...stores, client, heartbeatMs: () => 600_000 })
  onTestFinished(() => {
    connection.dispose()
    return host.close()
  })
  if (options.connect !== false) await connection.connect(profile.id)
  const before = host.log.length
  return { host, connection, read: createEndpointReader(client, connection), asked: () => host.log.length - before }
}

describe('read', () => {
  test('returns the bytes as the host sent them, in their own buffer, with their metadata', async () => {
    const { read, connection } = await createTestReader()
    const { bytes, meta } = await read(createInput('studySets.list'), never)
    expect(bytes).toBeInstanceOf(ArrayBuffer)
    expect(bytes.byteLength).toBe(meta.byteLength)
    expect(responseMetaSchema.parse(meta)).toMatchObject({
      endpoint: 'studySets.list',
      method: 'GET',
      path: '/library/study-sets',
      status: 200,
      epoch: connection.state().epoch,
    })
    expect(JSON.parse(Buffer.from(bytes).toString('utf8'))).toHaveProperty('studySets')
  })

  test('does not ask for a route that the host leaves out of its list', async () => {
    const { read, connection, asked } = await createTestReader()
    const input = { params: { bookmd5: 'nobody' } }
    const listRoutes = (routes: Capabilities['routes']) => {
      const target = { ...connection.target(), unlistedReadIds: findUnlistedReadIds({ routes }) }
      Object.assign(connection, { target: () => target })
    }
    listRoutes((connection.capabilities()?.routes ?? []).filter(({ path }) => !/outline|excerpts/.test(path)))
    for (const id of ['documents.outline', 'documents.excerpts']) {
      const failure = await expectAppError(read(createInput(id, input), never))
      expect([failure.code, failure.kind, failure.wire.status, asked()]).toEqual([
        'ROUTE_UNLISTED',
        'refused',
        undefined,
        0,
      ])
    }
    // A few links are no list of routes, and nothing is left out of it.
    listRoutes([{ method: 'GET', path: '/guide' }])
    expect((await expectAppError(read(createInput('documents.excerpts', input), never))).kind).toBe('host')
    expect(asked()).toBe(1)
  })

  test('works for a read that is a POST', async () => {
    const { read } = await createTestReader()
    const { meta } = await read(createInput('notes.batchGet', { body: { noteIds: ['A'] } }), never)
    expect(meta).toMatchObject({ method: 'POST', status: 200 })
  })

  test('is limited to its own size', async () => {
    const { read } = await createTestReader()
    const failure = await expectAppError(read(createInput('studySets.list', { maxBytes: 10 }), never))
    expect(failure.code).toBe('RESPONSE_TOO_LARGE')
  })

  test('asks for pages of a listing that are as large as the host allows, and of another read for what is given', async () => {
    const { read, connection, host } = await createTestReader()
    const limits = { ...connection.capabilities(), tree: { limit: { min: 2, max: 7 } } }
    Object.assign(connection, { capabilities: () => limits })
    const params = { topicid: host.state.library.sets[0]?.topicid ?? '' }
    const readPath = async (more: Partial<ReadInput>): Promise<string> =>
      (await read(createInput('studySets.tree', { params, ...more }), never)).meta.path
    for (const [limit, allowed] of [
      [5000, 7],
      [1, 2],
      [5, 5],
    ] as const) {
      expect(await readPath({ query: { limit }, readAhead: true })).toContain(`?limit=${allowed}`)
    }
    expect(await readPath({ query: {}, readAhead: true })).not.toContain('limit')
    expect(await readPath({ query: { limit: 50 } })).toContain('?limit=50')
  })

  test('ends with the call', async () => {
    const { read, host } = await createTestReader()
    host.setLatency(60_000)
    const abort = new AbortController()
    const pending = expectAppError(read(createInput('studySets.list'), abort.signal))
    abort.abort()
    expect((await pending).kind).toBe('cancelled')
  })

  test('makes the connection check if the host is gone or no longer accepts the token', async () => {
    const { read, host, connection } = await createTestReader()
    await host.close()
    expect((await expectAppError(read(createInput('studySets.list'), never))).kind).toBe('offline')
    await expect.poll(() => connection.state().phase).toBe('offline')
  })
})

describe('refusal', () => {
  test('comes without a connection, and nothing is sent', async () => {
    const { read, host } = await createTestReader({ connect: false })
    expect((await expectAppError(read(createInput('studySets.list'), never))).code).toBe('NOT_CONNECTED')
    expect(host.log).toEqual([])
  })

  test.each(['', 'nope', '__proto__', 'constructor', 'toString', 'hasOwnProperty', 'studySets', 'studySets.list '])(
    'comes for an unknown endpoint: %j',
    async (id) => {
      const { read, asked } = await createTestReader()
      expect((await expectAppError(read(createInput(id), never))).code).toBe('ENDPOINT_UNKNOWN')
      expect(asked()).toBe(0)
    },
  )

  test('safety 40: comes for every row that is not a read, and nothing reaches the host', async () => {
    const { read, asked } = await createTestReader()
    const changingRows = endpoints.filter(({ access }) => access !== 'read')
    expect(changingRows.length).toBeGreaterThan(20)
    for (const row of changingRows) {
      const params = Object.fromEntries(
        row.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => [name, '1']),
      )
      const input = createInput(row.id, { params, body: { confirm: true, noteIds: [] } })
      const failure = await expectAppError(read(input, never))
      expect([row.id, failure.wire.kind, failure.code]).toEqual([row.id, 'refused', 'NOT_A_READ'])
    }
    expect(asked()).toBe(0)
    expect(exchanges.filter(({ endpoint: id }) => changingRows.some((row) => row.id === id))).toEqual([])
  })

  test('safety 40: prevents every parameter from turning a read into a write', async () => {
    const { read, host } = await createTestReader()
    const before = host.log.length
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '..',
        '.',
        '../delete',
        'X/delete',
        'X%2Fdelete',
        'X?confirm=1',
        'X#',
        '\\..\\delete',
        '\r\nX: y',
      ),
    )
    const reads = fc.constantFrom(...endpoints.filter((row) => row.access === 'read' && row.response.kind === 'json'))
    await fc.assert(
      fc.asyncProperty(reads, fc.array(text, { minLength: 4, maxLength: 4 }), async (row, values) => {
        const names = row.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
        const params = Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
        const input = readInputSchema.parse(
          createInput(row.id, { params, body: { noteIds: values, requestId: values[0] } }),
        )
        await read(input, never).catch(() => undefined)
      }),
      { numRuns: 300 },
    )
    const reachedEndpoints = new Set(host.log.slice(before).map((entry) => entry.endpoint))
    reachedEndpoints.delete(null)
    expect([...reachedEndpoints].filter((id) => getEndpointById(id ?? '').access !== 'read')).toEqual([])
    expect(reachedEndpoints.size).toBeGreaterThan(5)
  })

  test.each([
    [createInput('studySets.tree'), 'PARAM_MISSING'],
    [createInput('studySets.tree', { params: { topicid: '..' } }), 'PARAM_SEGMENT'],
    [createInput('studySets.tree', { params: { topicid: 'X' }, query: { limit: 9_999 } }), 'PARAM_RANGE'],
    [createInput('studySets.tree', { params: { topicid: 'X' }, query: { confirm: 1 } }), 'PARAM_UNKNOWN'],
    [createInput('notes.batchGet'), 'BODY_MISSING'],
    [createInput('documents.locate', { params: { bookmd5: 'X' }, body: { navigate: true } }), 'NOT_A_READ'],
  ])('comes for the input %j', async (input, code) => {
    const { read, asked } = await createTestReader()
    expect((await expectAppError(read(input, never))).code).toBe(code)
    expect(asked()).toBe(0)
  })
})

describe('reading ahead', () => {
  const createListingReader = async () => {
    const testReader = await createTestReader()
    const params = { topicid: testReader.host.state.generatedSet.topicid }
    const createPageInput = (query: ReadInput['query'], more: Partial<ReadInput> = {}): ReadInput =>
      createInput('studySets.tree', { params, query, readAhead: true, ...more })
    return { ...testReader, page: createPageInput }
  }

  test('fetches the next page of a listing once, before it is requested', async () => {
    const { read, asked, page } = await createListingReader()
    const first = await read(page({ limit: 8 }), never)
    const { nextCursor } = JSON.parse(Buffer.from(first.bytes).toString('utf8')) as { nextCursor: string }
    await expect.poll(asked).toBe(2)
    const second = await read(page({ limit: 8, cursor: nextCursor }), never)
    expect(second.meta.path).toContain('cursor=')
    await expect.poll(asked).toBe(3)
    const plain = await read(page({ limit: 8, cursor: nextCursor }, { readAhead: false }), never)
    expect(Buffer.from(second.bytes)).toEqual(Buffer.from(plain.bytes))
    expect(asked()).toBe(4)
  })

  test('requests the next page before this one is recorded', async () => {
    const { connection, page } = await createListingReader()
    const events: string[] = []
    const getPageName = ({ path }: { path: string }): string => (path.includes('cursor=') ? 'second' : 'first')
    const recorder = {
      getMaxStreamedBytes: () => 0,
      recordStart: (exchange: { path: string }) => void events.push(`began ${getPageName(exchange)}`),
      recordEnd: (exchange: { path: string }) => void events.push(`ended ${getPageName(exchange)}`),
    }
    const limits = { connectTimeoutMs: 60_000, idleTimeoutMs: 60_000, totalTimeoutMs: 60_000, maxBytes: 1_000_000 }
    const ownClient = createBridgeClient({ recorder, limits: () => limits })
    onTestFinished(() => ownClient.close())
    await createEndpointReader(ownClient, connection)(page({ limit: 8 }), never)
    expect(events.slice(0, 3)).toEqual(['began first', 'began second', 'ended first'])
  })

  test('does not follow a cursor with the token, because the page gets it masked', async () => {
    const { connection, page, host, asked } = await createListingReader()
    const response = { nodes: [], nextCursor: `at-${host.token}` }
    const bytes = new TextEncoder().encode(JSON.stringify(response))
    let requests = 0
    const echoing = {
      ...client,
      async request(_target: unknown, request: { onArrived?: (bytes: Uint8Array) => void }) {
        requests += 1
        request.onArrived?.(bytes)
        return { bytes, meta: {} as never }
      },
    }
    await createEndpointReader(echoing, connection)(page({ limit: 8 }), never)
    expect([requests, asked()]).toEqual([1, 0])
  })

  test('repeats a guess that fails while it is awaited', async () => {
    const { read, page, host } = await createListingReader()
    host.setLatency(100)
    const first = await read(page({ limit: 8 }), never)
    const { nextCursor } = JSON.parse(Buffer.from(first.bytes).toString('utf8')) as { nextCursor: string }
    const second = read(page({ limit: 8, cursor: nextCursor }), never)
    host.setFault('reset')
    setTimeout(() => host.setFault(null), 150)
    expect((await second).meta.status).toBe(200)
  })

  test('keeps no page that was fetched for an aborted call', async () => {
    const { read, asked, page } = await createListingReader()
    const abort = new AbortController()
    const { bytes } = await read(page({ limit: 8 }), abort.signal)
    const { nextCursor } = JSON.parse(Buffer.from(bytes).toString('utf8')) as { nextCursor: string }
    await expect.poll(asked).toBe(2)
    abort.abort()
    await read(page({ limit: 8, cursor: nextCursor }), never)
    // One request is for that page, and the other is a guess at the next one.
    await expect.poll(asked).toBe(4)
  })

  test('fetches nothing after the last page, and nothing without a cursor', async () => {
    const { read, asked, page } = await createListingReader()
    await read(page({}), never)
    await read(page({ limit: 8 }, { readAhead: false }), never)
    await new Promise((done) => setTimeout(done, 50))
    expect(asked()).toBe(2)
  })
})
