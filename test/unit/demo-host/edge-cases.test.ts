import net from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startDemo, type DemoConnection } from '../../support/hosts/demo.ts'

let host: DemoConnection
let topicid = ''

beforeAll(async () => {
  host = await startDemo({ allowFaultHeader: true })
  topicid = host.host.state.generatedSet.topicid
})
afterEach(() => host.host.setFault(null))
afterAll(() => host.host.close())

/** Sends bytes to the host and returns its whole response once it closes the connection. */
function sendRaw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = ''
    const socket = net.connect(host.host.port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('latin1')
    socket.on('data', (piece: string) => (response += piece))
    socket.on('error', reject)
    socket.on('close', () => resolve(response))
  })
}

const getRaw = (target: string, headerLines = ''): Promise<string> =>
  sendRaw(
    `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${host.host.token}\r\n${headerLines}\r\n`,
  )

describe('requests that no good client sends', () => {
  it.each(['//', '/', '*', '/%', 'http://[', '/bridge/v1', '/bridge/v1/', '/bridge/v1//status', '/bridge/v2/status'])(
    'GET %s is answered with 404, and the host stays up',
    async (target) => {
      const response = await getRaw(target)
      expect(response).toMatch(/^HTTP\/1\.1 404 /)
      expect(response).toContain('"ROUTE_NOT_FOUND"')
      expect((await host.ask('status.get')).status).toBe(200)
    },
  )

  it('dots in a path are not resolved', async () => {
    expect(await getRaw('/bridge/v1/x/../status')).toMatch(/^HTTP\/1\.1 404 /)
    expect(await getRaw(`/bridge/v1/study-sets/%2e%2e/tree`)).toContain('TOPIC_NOT_FOUND')
    expect(await getRaw('/bridge/v1/bundles/bundle-1/files?path=../../etc/passwd')).toContain('FILE_NOT_FOUND')
  })

  it('a page number that is no whole number from 1 is rejected', async () => {
    const bookmd5 = [...host.host.state.library.books.keys()][0] ?? ''
    for (const index of ['0', '-1', '1.5', 'one']) {
      expect((await host.send('GET', `/documents/${bookmd5}/pages/${index}/parts`)).status, index).toBe(422)
    }
    expect((await host.send('GET', `/documents/${bookmd5}/pages/9999/parts`)).json.error?.code).toBe('PAGE_NOT_FOUND')
  })

  it('more than 60 pages or a descending range are rejected', async () => {
    const bookmd5 = [...host.host.state.library.books.keys()][0] ?? ''
    const askPages = (start: number, end: number) =>
      host.ask('documents.pages', { params: { bookmd5 }, query: { start, end } })
    expect(((await askPages(1, 60)).json['pages'] as unknown[]).length).toBe(60)
    expect([(await askPages(1, 61)).status, (await askPages(9, 8)).status]).toEqual([422, 422])
    const last = (await askPages(60, 119)).json['pages'] as { page: number; text: string }[]
    // Pages past the end have an empty text instead of an error.
    expect([last[0]?.page, last.length, last[4]?.text, last[5]?.text]).toEqual([60, 60, expect.any(String), ''])
  })

  it('a missing resource has its own error code', async () => {
    const unknownIds = {
      topicid: 'X',
      noteid: 'X',
      bookmd5: 'X',
      deckId: 'X',
      bundleId: 'X',
      snapshotId: 'X',
      contentId: 'X',
    }
    const codes = {
      'studySets.palette': 'TOPIC_NOT_FOUND',
      'studySets.snapshots': 'TOPIC_NOT_FOUND',
      'notes.content': 'NOTE_NOT_FOUND',
      'notes.render': 'NOTE_NOT_FOUND',
      'documents.outline': 'DOCUMENT_NOT_FOUND',
      'decks.cards': 'DECK_NOT_FOUND',
    }
    for (const [id, code] of Object.entries(codes)) {
      const names = Object.keys(unknownIds).filter((name) => getPathPlaceholders(id).includes(`{${name}}`))
      const params = Object.fromEntries(names.map((name) => [name, 'X']))
      expect([(await host.ask(id, { params })).status, (await host.ask(id, { params })).json.error?.code]).toEqual([
        404,
        code,
      ])
    }
  })
})

const getPathPlaceholders = (id: string): string =>
  ({
    'notes.content': '/{noteid}/{contentId}',
    'notes.render': '/{noteid}',
    'documents.outline': '/{bookmd5}',
    'decks.cards': '/{deckId}',
  })[id] ?? '/{topicid}'

describe('cursor of a listing', () => {
  const askPage = (query: Record<string, string | number>) =>
    host.ask('studySets.tree', { params: { topicid }, query: { limit: 10, ...query } })

  it('belongs to one listing', async () => {
    const cursor = String((await askPage({})).json['nextCursor'])
    expect((await askPage({ cursor })).status).toBe(200)
    expect((await askPage({ cursor, sort: 'document' })).status).toBe(422)
    expect((await askPage({ cursor, root: host.host.state.generatedSet.getNoteid(0) })).status).toBe(422)
    const other = host.host.state.library.sets[0]?.topicid ?? ''
    expect((await host.ask('studySets.tree', { params: { topicid: other }, query: { cursor } })).status).toBe(422)
  })

  it.each([[-1], [0], [1e9], [1.5], ['1']])('is rejected if it is invented for position %j', async (position) => {
    const cursor = Buffer.from(JSON.stringify([position, topicid, '', ''])).toString('base64url')
    expect((await askPage({ cursor })).status).toBe(422)
  })
})

describe('panel', () => {
  it('is refused a path that is in no list', async () => {
    const panel = { token: null, headers: { 'x-demo-panel': '1' } }
    expect((await host.send('GET', '/never/heard/of', panel)).json.error?.code).toBe('IN_PROCESS_NOT_ALLOWED')
    expect((await host.send('GET', '/never/heard/of')).json.error?.code).toBe('ROUTE_NOT_FOUND')
  })
})

describe('fault of a single request', () => {
  const rateLimited = { headers: { 'x-demo-fault': 'rate-limit' } }

  it('applies to that request only', async () => {
    expect((await host.ask('decks.list', rateLimited)).status).toBe(429)
    expect((await host.ask('decks.list')).status).toBe(200)
    host.host.setFault('html-500')
    expect((await host.ask('decks.list', rateLimited)).status).toBe(429)
    expect((await host.ask('decks.list', { headers: { 'x-demo-fault': 'none such' } })).status).toBe(500)
  })

  it('is ignored if the host does not allow it', async () => {
    const strict = await startDemo()
    expect((await strict.ask('decks.list', rateLimited)).status).toBe(200)
    await strict.host.close()
  })
})

describe('restart', () => {
  it('sends the response in full, then stops listening, then starts another instance', async () => {
    const nonce = (await host.ask('status.get')).json['instanceNonce']
    const response = await host.ask('studySets.tree', {
      params: { topicid },
      headers: { 'x-demo-fault': 'restart', connection: 'close' },
    })
    expect((response.json['nodes'] as unknown[]).length).toBe(2_000)
    await expect.poll(() => host.ask('status.get').catch(() => null), { interval: 10 }).toBeNull()
    const readNonce = () =>
      host.ask('status.get').then(
        ({ json }) => json['instanceNonce'],
        () => nonce,
      )
    await expect.poll(readNonce).not.toBe(nonce)
  })

  it('happens once if it is requested twice at once', async () => {
    const first = host.host.restart(20)
    expect(host.host.restart(20)).toBe(first)
    await first
    expect((await host.ask('status.get')).status).toBe(200)
  })

  it('keeps the library and the recorded practice session', async () => {
    const [set] = host.host.state.library.sets
    const params = { noteid: set?.cards[0]?.noteid ?? '' }
    await host.ask('notes.title', { params, body: { text: 'Kept', confirm: true } })
    const body = { requestId: 's1', runId: 'run-1', questionId: 'q', carrier: 'focus', confirm: true }
    const { json } = await host.ask('writing.sessionFocusBegin', { body })
    await host.host.restart(10)
    expect(set?.cards[0]?.title).toBe('Kept')
    expect((await host.ask('writing.context')).json['session']).toMatchObject({
      runId: 'run-1',
      attemptId: json['attemptId'],
    })
    const repeated = await host.ask('writing.sessionFocusBegin', { body })
    expect(repeated.json['attemptId']).not.toBe(json['attemptId'])
  })
})

describe('log of requests', () => {
  it('names each request with its row and status, in the order in which they ended', async () => {
    const from = host.host.log.length
    await host.ask('decks.list', { query: { query: 'a' } })
    await host.ask('notes.delete', { body: { noteIds: [] } })
    for (const fault of ['reset', 'reset-after']) {
      await host.ask('decks.list', { headers: { 'x-demo-fault': fault } }).catch(() => undefined)
    }
    await expect.poll(() => host.host.log.length).toBe(from + 4)
    const entry = { method: 'GET', path: '/bridge/v1/decks', endpoint: 'decks.list', body: null }
    const body = '{"noteIds":[]}'
    const path = '/bridge/v1/notes/delete'
    expect(host.host.log.slice(from)).toEqual([
      { ...entry, path: '/bridge/v1/decks?query=a', status: 200, isExecuted: true },
      { method: 'POST', path, endpoint: 'notes.delete', status: 422, body, isExecuted: false },
      { ...entry, status: 0, isExecuted: false },
      { ...entry, status: 0, isExecuted: true },
    ])
  })
})

describe('pencil commit', () => {
  const sendCommit = (requestId: string, surfaceId: string, layerId: string, order: 'forth' | 'back' = 'forth') => {
    const noteid = host.host.state.generatedSet.getNoteid(1)
    const target = order === 'forth' ? { topicid, noteid, layerId } : { layerId, noteid, topicid }
    return host.ask('writing.pencilCommit', { body: { requestId, surfaceId, target, confirm: true } })
  }
  const waitUntilSettled = async (requestId: string) => {
    const fetchResult = () => host.ask('writing.pencilResult', { body: { requestId } })
    await expect.poll(async () => (await fetchResult()).json['settled']).toBe(true)
    return (await fetchResult()).json
  }

  it('is the same request with another member order', async () => {
    const first = await sendCommit('m1', 'order', '')
    expect((await sendCommit('m1', 'order', '', 'back')).json).toEqual(first.json)
  })

  it('can fail, and then reports nothing as verified', async () => {
    await sendCommit('f1', 'failing', 'demo-fail')
    expect(await waitUntilSettled('f1')).toMatchObject({
      outcome: 'failed',
      persistedSnapshotVerified: false,
      snapshotCurrent: false,
    })
  })

  it('is no longer current after a later commit to the same canvas', async () => {
    await sendCommit('l1', 'later', '')
    await waitUntilSettled('l1')
    await sendCommit('l2', 'later', '')
    expect(await waitUntilSettled('l2')).toMatchObject({ outcome: 'saved', snapshotCurrent: true })
    expect(await waitUntilSettled('l1')).toMatchObject({ outcome: 'saved', snapshotCurrent: false })
  })

  it('is refused for an unknown card, and leaves no record', async () => {
    const body = { requestId: 'n1', surfaceId: 's', target: { topicid, noteid: 'NOBODY', layerId: '' }, confirm: true }
    expect((await host.ask('writing.pencilCommit', { body })).json.error?.code).toBe('NOTE_NOT_FOUND')
    expect((await host.ask('writing.pencilResult', { body: { requestId: 'n1' } })).json.error?.code).toBe(
      'OPERATION_NOT_FOUND',
    )
  })
})
