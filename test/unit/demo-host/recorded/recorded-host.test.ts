import { afterEach, describe, expect, it } from 'vitest'
import {
  startServedRecording,
  type ServedRecordingOptions,
} from '../../../../electron/demo-host/recorded/recorded-host.ts'
import type { RecordedExchange } from '../../../../shared/recordings/recording.ts'
import type { DemoHostOptions } from '../../../../electron/demo-host/server.ts'
import {
  sendToServed,
  startReplayRecording,
  type ReceivedResponse,
  type SentRequest,
} from '../../../support/services/replay-recording.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

type Recording = Awaited<ReturnType<typeof startReplayRecording>>

async function record(options: DemoHostOptions = {}): Promise<Recording> {
  const recording = await startReplayRecording(options)
  closing.push(recording.close)
  return recording
}

async function serve(
  recording: Recording,
  options: ServedRecordingOptions = {},
  change: (exchanges: RecordedExchange[]) => RecordedExchange[] = (exchanges) => exchanges,
) {
  const source = await recording.toSource()
  const exchanges = change(await recording.listExchanges())
  const host = await startServedRecording({ ...source, readExchanges: () => exchanges }, options)
  closing.push(host.close)
  return { host, send: (request: SentRequest) => sendToServed(host, request) }
}

const toJson = ({ bytes }: ReceivedResponse): Record<string, unknown> =>
  JSON.parse(bytes.toString()) as Record<string, unknown>
const toError = (response: ReceivedResponse) => {
  const { error } = toJson(response) as {
    error: { code: string; message: string; details?: { reason: string; nearest?: { differs: string[] } } }
  }
  return { status: response.status, code: error.code, message: error.message, ...error.details }
}
const expectSame = (served: ReceivedResponse, recorded: ReceivedResponse): void =>
  expect([served.status, served.bytes.toString()]).toEqual([recorded.status, recorded.bytes.toString()])

const post = (path: string, body: object): SentRequest => ({ method: 'POST', path, body })
const readCard = (noteid: string): SentRequest => post('/notes/batch-get', { noteIds: [noteid] })
const rename = (noteid: string, text: string): SentRequest => post(`/notes/${noteid}/title`, { text, confirm: true })
/** A study set with its cards: a root, and cards below it. */
const pickSet = ({ host }: Recording) => {
  const set = host.state.library.sets[1]
  const ids = set?.cards.map(({ noteid }) => noteid) ?? []
  const [root = '', first = '', second = ''] = ids
  const last = ids.at(-1) ?? ''
  // A card with an excerpt would only be hidden if it is deleted.
  const plain = set?.cards.find(({ docBookmd5, noteid }) => docBookmd5 === null && !ids.slice(0, 2).includes(noteid))
  return {
    topicid: set?.topicid ?? '',
    root,
    first,
    second,
    last,
    removable: plain?.noteid ?? '',
    tree: { path: `/study-sets/${set?.topicid}/tree` },
  }
}

describe('reads', () => {
  it('return what was recorded in order, and then the last of it', async () => {
    const recording = await record()
    const { first } = pickSet(recording)
    const responses: ReceivedResponse[] = []
    for (const title of ['One', 'Two']) {
      // The user of the host renames a card; no request tells of it.
      const card = recording.host.state.library.cards.get(first)
      if (card) card.title = title
      responses.push(await recording.send(readCard(first)))
    }
    const { send, host } = await serve(recording)
    for (const response of [...responses, ...responses.slice(1)]) expectSame(await send(readCard(first)), response)
    host.rewind()
    for (const response of responses) expectSame(await send(readCard(first)), response)
  })

  it('mean the same however they are spelled', async () => {
    const recording = await record()
    const { tree, first } = pickSet(recording)
    const listing = await recording.send({ path: `${tree.path}?limit=5000&sort=document` })
    const card = await recording.send(readCard(first))
    const { send } = await serve(recording)
    expectSame(await send({ path: `${tree.path}?sort=document` }), listing)
    expectSame(await send({ path: `${tree.path.replace('tree', '%74ree')}?sort=document&limit=5000` }), listing)
    const spelled = await fetch(`${(await serve(recording)).host.baseUrl}/status`)
    expect(spelled.status).toBe(200)
    expectSame(await send({ ...readCard(first), headers: { 'content-type': 'application/json' } }), card)
  })

  it('that were not recorded are 404 NOT_RECORDED, which names the nearest and what differs', async () => {
    const recording = await record()
    const { tree, first, second, root } = pickSet(recording)
    await recording.send({ path: `${tree.path}?limit=2` })
    await recording.send(readCard(first))
    const { send } = await serve(recording)
    const listing = toError(await send({ path: `${tree.path}?limit=2&cursor=x` }))
    expect(listing).toMatchObject({ status: 404, code: 'NOT_RECORDED', reason: 'unknown' })
    expect(listing.nearest).toMatchObject({ path: `${tree.path}?limit=2`, differs: ['cursor'] })
    expect(listing.message).toContain('which differs in cursor')
    expect(toError(await send(readCard(second))).nearest).toMatchObject({ differs: ['noteIds'] })
    expect(toError(await send({ path: `/notes/${root}/render` })).nearest).toBeUndefined()
  })

  it('need the token of the server, and get its own status if none was recorded', async () => {
    const recording = await record()
    const { tree } = pickSet(recording)
    await recording.send(tree)
    const { host } = await serve(recording)
    const ask = async (path: string, token: string | null) => {
      const response = await fetch(host.baseUrl + path, token === null ? {} : { headers: { authorization: token } })
      return { status: response.status, ...((await response.json()) as object) }
    }
    expect(await ask(tree.path, null)).toMatchObject({ status: 401, error: { code: 'UNAUTHORIZED' } })
    expect(await ask('/unknown', null)).toMatchObject({ status: 401 })
    expect(await ask('/status', null)).toMatchObject({ status: 200, app: 'Recording', authorized: false })
    expect(await ask('/status', `Bearer ${host.token}`)).toMatchObject({ authorized: true })
    await recording.send({ path: '/status' })
    const second = await serve(recording)
    const status = await fetch(`${second.host.baseUrl}/status`)
    expect(await status.json()).toMatchObject({ app: 'Demo Notes', authorized: false })
  })

  it('of a host whose paths differ from the contract are known by the recording', async () => {
    const recording = await record({ dialect: 'loose' })
    const { topicid, first } = pickSet(recording)
    const path = `/study-sets/${topicid}/cards`
    const before = await recording.send({ path })
    await recording.send(rename(first, 'Other'))
    const after = await recording.send({ path })
    const { send } = await serve(recording)
    expectSame(await send({ path }), before)
    await send(rename(first, 'Other'))
    expectSame(await send({ path }), after)
  })

  it('are never served in part: a cut body is refused, and so is what cannot be told from it', async () => {
    const recording = await record()
    const { tree } = pickSet(recording)
    await recording.send(tree)
    const cut = (exchanges: RecordedExchange[]) =>
      exchanges.map((exchange) => ({
        ...exchange,
        response: { ...exchange.response, kept: 100, missing: 'limit' as const },
      }))
    const { send } = await serve(recording, {}, cut)
    const error = toError(await send(tree))
    expect(error).toMatchObject({ status: 404, code: 'NOT_RECORDED', reason: 'cut' })
    expect(error.message).toMatch(/^The recording has only 100 of \d+ bytes of this response\.$/)
    const removed = (exchanges: RecordedExchange[]) =>
      exchanges.map((exchange) => ({ ...exchange, responseBody: null }))
    expect(toError(await (await serve(recording, {}, removed)).send(tree))).toMatchObject({ reason: 'cut' })
  })

  it('end without a response where they ended so', async () => {
    const recording = await record({ fault: 'reset' })
    const { tree } = pickSet(recording)
    await recording.send(tree).catch(() => undefined)
    recording.host.setFault('truncated-body')
    await recording.send({ path: '/decks' }).catch(() => undefined)
    const { send } = await serve(recording)
    await expect(send(tree)).rejects.toThrow()
    await expect(send({ path: '/decks' })).rejects.toThrow()
  })
})

describe('writes', () => {
  it('lead from what was read before them to what was read after them', async () => {
    const recording = await record()
    const { first, second, tree } = pickSet(recording)
    const before = await recording.send(readCard(first))
    const other = await recording.send(readCard(second))
    const guide = await recording.send({ path: '/guide' })
    const done = await recording.send(rename(first, 'Renamed'))
    const after = await recording.send(readCard(first))
    await recording.send(tree)
    const { send, host } = await serve(recording)
    expectSame(await send(readCard(first)), before)
    expect(toError(await send(tree))).toMatchObject({ reason: 'changed' })
    expectSame(await send(rename(first, 'Renamed')), done)
    expectSame(await send(readCard(first)), after)
    // The write concerns neither another card nor the guide.
    const unchanged = await send(readCard(second))
    expectSame(unchanged, other)
    expect(unchanged.headers.get('x-recording')).toBe('unchanged')
    expectSame(await send({ path: '/guide' }), guide)
    expect(host.countWrites()).toEqual({ done: 1, recorded: 1 })
    expect(host.log.filter(({ isExecuted }) => isExecuted)).toHaveLength(1)
  })

  it('are done as often as they were recorded, and change nothing if they were not', async () => {
    const recording = await record()
    const { first } = pickSet(recording)
    const comment = post(`/notes/${first}/comments`, { text: 'Again', confirm: true })
    const responses = [await recording.send(comment), await recording.send(comment)]
    const last = await recording.send(readCard(first))
    const { send, host } = await serve(recording)
    expect(toError(await send(rename(first, 'X')))).toMatchObject({ status: 404, reason: 'unknown' })
    expect(host.countWrites().done).toBe(0)
    for (const response of responses) expectSame(await send(comment), response)
    expect(toError(await send(comment))).toMatchObject({ reason: 'repeated' })
    expectSame(await send(readCard(first)), last)
  })

  it('may change places only where neither concerns the other', async () => {
    const recording = await record()
    const { first, second, root, tree } = pickSet(recording)
    await recording.send(rename(first, 'A'))
    const renamed = await recording.send(rename(second, 'B'))
    const card = await recording.send(readCard(second))
    await recording.send(post('/notes/move', { noteIds: [first], targetParentNoteId: root, confirm: true }))
    const listing = await recording.send(tree)
    const { send } = await serve(recording)
    expectSame(await send(rename(second, 'B')), renamed)
    expectSame(await send(readCard(second)), card)
    const refused = toError(
      await send(post('/notes/move', { noteIds: [first], targetParentNoteId: root, confirm: true })),
    )
    expect(refused).toMatchObject({ reason: 'order' })
    expect(refused.message).toContain(`POST /notes/${first}/title comes before`)
    await send(rename(first, 'A'))
    await send(post('/notes/move', { noteIds: [first], targetParentNoteId: root, confirm: true }))
    expectSame(await send(tree), listing)
  })

  it('that were refused, and dry runs, change nothing and get their own responses', async () => {
    const recording = await record()
    const { first } = pickSet(recording)
    const dryRun = post('/notes/delete', { noteIds: [first] })
    const wrong = post(`/notes/${first}/title`, { title: 'x', confirm: true })
    const [planned, invalid] = [await recording.send(dryRun), await recording.send(wrong)]
    const { send, host } = await serve(recording)
    expectSame(await send(wrong), invalid)
    expectSame(await send(dryRun), planned)
    expectSame(await send(dryRun), planned)
    expect(host.countWrites()).toEqual({ done: 0, recorded: 0 })
  })

  it('take the request id that the client chose, and follow it', async () => {
    const recording = await record({ settleMs: 0 })
    const { first, topicid } = pickSet(recording)
    const commit = (requestId: string): SentRequest =>
      post('/writing/pencil-commit', {
        ...{ requestId, surfaceId: 'main', target: { topicid, noteid: first, layerId: '' }, confirm: true },
      })
    const result = (requestId: string): SentRequest => post('/writing/pencil-result', { requestId })
    await recording.send(commit('recorded-id'))
    await recording.send(result('recorded-id'))
    const { send, host } = await serve(recording)
    expect(toError(await send(result('mine')))).toMatchObject({ code: 'NOT_RECORDED' })
    // Before its commit, a request has no outcome.
    expect(toError(await send(result('recorded-id')))).toMatchObject({ reason: 'changed' })
    const accepted = await send(commit('mine'))
    expect(toJson(accepted)).toMatchObject({ requestId: 'mine', state: 'pending' })
    expectSame(await send(commit('mine')), accepted)
    expect(toJson(await send(result('mine')))).toMatchObject({ requestId: 'mine', settled: true })
    expect(host.countWrites().done).toBe(1)
    expect(toError(await send(commit('another')))).toMatchObject({ reason: 'repeated' })
  })
})

describe('bytes', () => {
  async function recordContent(headers: Readonly<Record<string, string>>[]) {
    const recording = await record()
    const card = [...recording.host.state.library.cards.values()].find(({ parts }) =>
      parts.some(({ kind }) => kind === 'image'),
    )
    const part = card?.parts.find(({ kind }) => kind === 'image')
    const path = `/notes/${card?.noteid}/content/${part?.contentId}?maxEdge=64`
    const responses: ReceivedResponse[] = []
    for (const header of headers) responses.push(await recording.send({ path, headers: header }))
    return { path, responses, ...(await serve(recording)) }
  }

  it('of a whole body are sent in any range, to a HEAD, and not again if they are known', async () => {
    const { path, responses, send } = await recordContent([{}])
    const { bytes, headers } = responses[0] ?? { bytes: Buffer.alloc(0), headers: new Headers() }
    const etag = headers.get('etag') ?? ''
    const part = await send({ path, headers: { range: 'bytes=3-9' } })
    expect([part.status, part.headers.get('content-range'), part.bytes.equals(bytes.subarray(3, 10))]).toEqual([
      206,
      `bytes 3-9/${bytes.byteLength}`,
      true,
    ])
    expect((await send({ path, headers: { range: 'bytes=-5' } })).bytes.equals(bytes.subarray(-5))).toBe(true)
    const outside = await send({ path, headers: { range: `bytes=${bytes.byteLength}-` } })
    expect([outside.status, outside.headers.get('content-range')]).toEqual([416, `bytes */${bytes.byteLength}`])
    const head = await send({ method: 'HEAD', path })
    expect([head.status, head.headers.get('content-length'), head.bytes.byteLength]).toEqual([
      200,
      String(bytes.byteLength),
      0,
    ])
    expect((await send({ path, headers: { 'if-none-match': `"x", ${etag}` } })).status).toBe(304)
    expect((await send({ path, headers: { range: 'bytes=3-9', 'if-range': '"old"' } })).status).toBe(200)
    expect((await send({ path, headers: { range: 'bytes=3-9', 'if-range': etag } })).status).toBe(206)
  })

  it('of parts are joined, and what no part has is not made up', async () => {
    const ranges = ['bytes=0-19', 'bytes=20-39', 'bytes=60-79'].map((range) => ({ range }))
    const { path, responses, send } = await recordContent(ranges)
    const joined = Buffer.concat(responses.slice(0, 2).map(({ bytes }) => bytes))
    const part = await send({ path, headers: { range: 'bytes=10-29' } })
    expect([part.status, part.bytes.equals(joined.subarray(10, 30))]).toEqual([206, true])
    expect(toError(await send({ path, headers: { range: 'bytes=30-70' } }))).toMatchObject({ reason: 'range' })
    expect(toError(await send({ path }))).toMatchObject({ reason: 'range' })
  })
})

it('does not send bytes that were put in the place of a recorded part as that part', async () => {
  const recording = await record()
  const card = [...recording.host.state.library.cards.values()].find(({ parts }) =>
    parts.some(({ mimeType }) => mimeType),
  )
  const contentId = card?.parts.find(({ mimeType }) => mimeType)?.contentId
  const request = { path: `/notes/${card?.noteid}/content/${contentId}`, headers: { range: 'bytes=0-19' } }
  expect((await recording.send(request)).status).toBe(206)
  const { send } = await serve(recording, {}, (exchanges) =>
    exchanges.map((exchange) => ({ ...exchange, response: { ...exchange.response, kept: 7, total: 7 } })),
  )
  expect(toError(await send(request))).toMatchObject({ reason: 'cut' })
  expect(toError(await send({ ...request, headers: { range: 'bytes=0-3' } }))).toMatchObject({ code: 'NOT_RECORDED' })
})

describe('a card listing that was not read after a write', () => {
  /** @returns the listing as the host has it after the writes, and as it is derived */
  async function derive(createWrites: (set: ReturnType<typeof pickSet>) => readonly SentRequest[], limit = 5_000) {
    const recording = await record()
    const set = pickSet(recording)
    const writes = createWrites(set)
    const readListing = async (send: (request: SentRequest) => Promise<ReceivedResponse>) => {
      const pages: ReceivedResponse[] = []
      let cursor: unknown = null
      do {
        const query = `?limit=${limit}${typeof cursor === 'string' ? `&cursor=${encodeURIComponent(cursor)}` : ''}`
        const page = await send({ path: set.tree.path + query })
        pages.push(page)
        cursor = toJson(page)['nextCursor']
      } while (typeof cursor === 'string')
      return pages
    }
    await readListing(recording.send)
    for (const write of writes) expect((await recording.send(write)).status).toBe(200)
    const { send } = await serve(recording)
    for (const write of writes) await send(write)
    const derived = await readListing(send)
    return { derived, actual: await readListing(recording.send) }
  }

  const move = (noteIds: readonly string[], targetParentNoteId: string): SentRequest =>
    post('/notes/move', { noteIds, targetParentNoteId, confirm: true })

  it.each([5_000, 10])('follows from it if cards were moved, renamed and removed (pages of %i)', async (limit) => {
    const { derived, actual } = await derive(
      ({ first, removable, last }) => [
        rename(first, 'Derived'),
        move([last], first),
        post('/notes/delete', { noteIds: [removable], confirm: true }),
      ],
      limit,
    )
    expect(derived.flatMap((page) => toJson(page)['nodes'])).toEqual(actual.flatMap((page) => toJson(page)['nodes']))
    expect(derived.map((page) => page.headers.get('x-recording'))).toEqual(derived.map(() => 'derived'))
    expect(derived.map((page) => toJson(page)['nodeTotal'])).toEqual(actual.map((page) => toJson(page)['nodeTotal']))
  })

  it('is refused where the contract leaves open what a write does to it', async () => {
    // Listings cut titles.
    const { derived } = await derive(({ first }) => [rename(first, 'A long title '.repeat(8))])
    expect(derived.map(toError)).toMatchObject([{ code: 'NOT_RECORDED', reason: 'changed' }])
  })
})

describe('cards that were not read together', () => {
  it('are joined from the requests that have them, unless a write concerns one of them', async () => {
    const recording = await record()
    const { root, first, second } = pickSet(recording)
    await recording.send(post('/notes/batch-get', { noteIds: [first, root, 'UNKNOWN'] }))
    await recording.send(readCard(second))
    const pair = post('/notes/batch-get', { noteIds: [second, 'UNKNOWN', first] })
    const { items } = toJson(await recording.send(pair))
    await recording.send(rename(second, 'Other'))
    const { send } = await serve(recording, {}, (exchanges) => exchanges.toSpliced(2, 1))
    const joined = await send(pair)
    expect([toJson(joined)['items'], joined.headers.get('x-recording')]).toEqual([items, 'derived'])
    expect(toError(await send(post('/notes/batch-get', { noteIds: [first, 'NEVER'] })))).toMatchObject({
      reason: 'unknown',
    })
    await send(rename(second, 'Other'))
    expect(toError(await send(pair))).toMatchObject({ code: 'NOT_RECORDED' })
    expect((await send(readCard(first))).status).toBe(200)
  })
})

describe('the server', () => {
  it('misbehaves and waits as the demo host does', async () => {
    const recording = await record()
    const { tree } = pickSet(recording)
    await recording.send(tree)
    await recording.send({ path: '/status' })
    const { send, host } = await serve(recording, { fault: 'html-500', allowFaultHeader: true })
    expect((await send(tree)).status).toBe(500)
    expect((await send({ path: '/status' })).status).toBe(200)
    host.setFault(null)
    expect((await send(tree)).status).toBe(200)
    const cycle = await send({ ...tree, headers: { 'x-demo-fault': 'tree-problems' } })
    expect(cycle.bytes.toString()).toContain('CYCLE-A')
    const typed = await send({ ...tree, headers: { 'x-demo-fault': 'wrong-content-type' } })
    expect(typed.headers.get('content-type')).toBe('text/html')
  })

  it('begins after all writes if it is told to, and returns the last of each read', async () => {
    const recording = await record()
    const { first } = pickSet(recording)
    await recording.send(readCard(first))
    await recording.send(rename(first, 'Last'))
    const last = await recording.send(readCard(first))
    const { send, host } = await serve(recording, { from: 'end' })
    expectSame(await send(readCard(first)), last)
    expect(toError(await send(rename(first, 'Last')))).toMatchObject({ reason: 'repeated' })
    expect(host.countWrites()).toEqual({ done: 1, recorded: 1 })
  })

  it('sends no header that a recording smuggles in', async () => {
    const recording = await record()
    const { tree } = pickSet(recording)
    await recording.send(tree)
    const { send } = await serve(recording, {}, (exchanges) =>
      exchanges.map((exchange) => ({
        ...exchange,
        responseHeaders: [
          ...exchange.responseHeaders,
          ['X-Split', 'a\r\nX-Injected: 1'],
          ['Transfer-Encoding', 'chunked'],
          ['Content-Encoding', 'gzip'],
          ['Set-Cookie', '[redacted]'],
        ],
      })),
    )
    const { headers, status } = await send(tree)
    expect(status).toBe(200)
    for (const name of ['x-split', 'x-injected', 'transfer-encoding', 'content-encoding', 'set-cookie'])
      expect([name, headers.get(name)]).toEqual([name, null])
  })

  it.each([101, 103, 0, 99, -1, 600, 1_000])(
    'refuses a recorded status that no server can send: %d',
    async (status) => {
      const recording = await record()
      await recording.send({ path: '/library/study-sets' })
      const { send } = await serve(recording, {}, (exchanges) =>
        exchanges.map((exchange) => ({ ...exchange, row: { ...exchange.row, status } })),
      )
      const response = toError(await send({ path: '/library/study-sets' }))
      expect(response).toMatchObject({ status: 502, code: 'RECORDED_STATUS_UNSENDABLE' })
      expect(response.message).toContain(String(status))
    },
  )
})
