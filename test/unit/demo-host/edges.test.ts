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

/** Sends bytes to the host and returns everything it answers until it closes the connection. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = net.connect(host.host.port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('latin1')
    socket.on('data', (piece: string) => (answer += piece))
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

const get = (target: string, more = ''): Promise<string> =>
  raw(
    `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${host.host.token}\r\n${more}\r\n`,
  )

describe('requests that no good client sends', () => {
  it.each(['//', '/', '*', '/%', 'http://[', '/bridge/v1', '/bridge/v1/', '/bridge/v1//status', '/bridge/v2/status'])(
    'GET %s is a 404, and the host survives',
    async (target) => {
      const answer = await get(target)
      expect(answer).toMatch(/^HTTP\/1\.1 404 /)
      expect(answer).toContain('"ROUTE_NOT_FOUND"')
      expect((await host.ask('status.get')).status).toBe(200)
    },
  )

  it('dots in a path are not resolved', async () => {
    expect(await get('/bridge/v1/x/../status')).toMatch(/^HTTP\/1\.1 404 /)
    expect(await get(`/bridge/v1/study-sets/%2e%2e/tree`)).toContain('TOPIC_NOT_FOUND')
    expect(await get('/bridge/v1/bundles/bundle-1/files?path=../../etc/passwd')).toContain('FILE_NOT_FOUND')
  })

  it('the page of a document is a whole number from 1', async () => {
    const bookmd5 = [...host.host.state.library.books.keys()][0] ?? ''
    for (const index of ['0', '-1', '1.5', 'one']) {
      expect((await host.send('GET', `/documents/${bookmd5}/pages/${index}/parts`)).status, index).toBe(422)
    }
    expect((await host.send('GET', `/documents/${bookmd5}/pages/9999/parts`)).json.error?.code).toBe('PAGE_NOT_FOUND')
  })

  it('at most 60 pages at once, in ascending order', async () => {
    const bookmd5 = [...host.host.state.library.books.keys()][0] ?? ''
    const ask = (start: number, end: number) =>
      host.ask('documents.pages', { params: { bookmd5 }, query: { start, end } })
    expect(((await ask(1, 60)).json['pages'] as unknown[]).length).toBe(60)
    expect([(await ask(1, 61)).status, (await ask(9, 8)).status]).toEqual([422, 422])
    const last = (await ask(60, 119)).json['pages'] as { page: number; text: string }[]
    // Past the end there is no text, and that is not an error.
    expect([last[0]?.page, last.length, last[4]?.text, last[5]?.text]).toEqual([60, 60, expect.any(String), ''])
  })

  it('a missing thing is named', async () => {
    const none = {
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
      const names = Object.keys(none).filter((name) => path(id).includes(`{${name}}`))
      const params = Object.fromEntries(names.map((name) => [name, 'X']))
      expect([(await host.ask(id, { params })).status, (await host.ask(id, { params })).json.error?.code]).toEqual([
        404,
        code,
      ])
    }
  })
})

const path = (id: string): string =>
  ({
    'notes.content': '/{noteid}/{contentId}',
    'notes.render': '/{noteid}',
    'documents.outline': '/{bookmd5}',
    'decks.cards': '/{deckId}',
  })[id] ?? '/{topicid}'

describe('cursors are opaque', () => {
  const page = (query: Record<string, string | number>) =>
    host.ask('studySets.tree', { params: { topicid }, query: { limit: 10, ...query } })

  it('and belong to one listing', async () => {
    const cursor = String((await page({})).json['nextCursor'])
    expect((await page({ cursor })).status).toBe(200)
    expect((await page({ cursor, sort: 'document' })).status).toBe(422)
    expect((await page({ cursor, root: host.host.state.generatedSet.getNoteid(0) })).status).toBe(422)
    const other = host.host.state.library.sets[0]?.topicid ?? ''
    expect((await host.ask('studySets.tree', { params: { topicid: other }, query: { cursor } })).status).toBe(422)
  })

  it.each([[-1], [0], [1e9], [1.5], ['1']])('one made up for position %j is refused', async (at) => {
    const cursor = Buffer.from(JSON.stringify([at, topicid, '', ''])).toString('base64url')
    expect((await page({ cursor })).status).toBe(422)
  })
})

describe('panels', () => {
  it('are refused a path not in any list', async () => {
    const panel = { token: null, headers: { 'x-demo-panel': '1' } }
    expect((await host.send('GET', '/never/heard/of', panel)).json.error?.code).toBe('IN_PROCESS_NOT_ALLOWED')
    expect((await host.send('GET', '/never/heard/of')).json.error?.code).toBe('ROUTE_NOT_FOUND')
  })
})

describe('faults per request', () => {
  const asked = { headers: { 'x-demo-fault': 'rate-limit' } }

  it('apply to that request only', async () => {
    expect((await host.ask('decks.list', asked)).status).toBe(429)
    expect((await host.ask('decks.list')).status).toBe(200)
    host.host.setFault('html-500')
    expect((await host.ask('decks.list', asked)).status).toBe(429)
    expect((await host.ask('decks.list', { headers: { 'x-demo-fault': 'none such' } })).status).toBe(500)
  })

  it('are ignored if the host does not allow them', async () => {
    const strict = await startDemo()
    expect((await strict.ask('decks.list', asked)).status).toBe(200)
    await strict.host.close()
  })
})

describe('a restart', () => {
  it('sends the answer in full, then nothing listens, then another instance does', async () => {
    const nonce = (await host.ask('status.get')).json['instanceNonce']
    const answer = await host.ask('studySets.tree', {
      params: { topicid },
      headers: { 'x-demo-fault': 'restart', connection: 'close' },
    })
    expect((answer.json['nodes'] as unknown[]).length).toBe(2_000)
    await expect.poll(() => host.ask('status.get').catch(() => null), { interval: 10 }).toBeNull()
    const back = () =>
      host.ask('status.get').then(
        ({ json }) => json['instanceNonce'],
        () => nonce,
      )
    await expect.poll(back).not.toBe(nonce)
  })

  it('requested twice at once happens once', async () => {
    const first = host.host.restart(20)
    expect(host.host.restart(20)).toBe(first)
    await first
    expect((await host.ask('status.get')).status).toBe(200)
  })

  it('keeps the library and the written practice session', async () => {
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
    const again = await host.ask('writing.sessionFocusBegin', { body })
    expect(again.json['attemptId']).not.toBe(json['attemptId'])
  })
})

describe('the record of requests', () => {
  it('names each with its row and status, in the order in which they ended', async () => {
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

describe('pencil commits', () => {
  const commit = (requestId: string, surfaceId: string, layerId: string, order: 'forth' | 'back' = 'forth') => {
    const noteid = host.host.state.generatedSet.getNoteid(1)
    const target = order === 'forth' ? { topicid, noteid, layerId } : { layerId, noteid, topicid }
    return host.ask('writing.pencilCommit', { body: { requestId, surfaceId, target, confirm: true } })
  }
  const settled = async (requestId: string) => {
    const read = () => host.ask('writing.pencilResult', { body: { requestId } })
    await expect.poll(async () => (await read()).json['settled']).toBe(true)
    return (await read()).json
  }

  it('another member order is still the same request', async () => {
    const first = await commit('m1', 'order', '')
    expect((await commit('m1', 'order', '', 'back')).json).toEqual(first.json)
  })

  it('may fail, and reports nothing verified', async () => {
    await commit('f1', 'failing', 'demo-fail')
    expect(await settled('f1')).toMatchObject({
      outcome: 'failed',
      persistedSnapshotVerified: false,
      snapshotCurrent: false,
    })
  })

  it('an earlier snapshot of the same canvas is saved but no longer current', async () => {
    await commit('l1', 'later', '')
    await settled('l1')
    await commit('l2', 'later', '')
    expect(await settled('l2')).toMatchObject({ outcome: 'saved', snapshotCurrent: true })
    expect(await settled('l1')).toMatchObject({ outcome: 'saved', snapshotCurrent: false })
  })

  it('of a card that does not exist is refused, and no record is kept', async () => {
    const body = { requestId: 'n1', surfaceId: 's', target: { topicid, noteid: 'NOBODY', layerId: '' }, confirm: true }
    expect((await host.ask('writing.pencilCommit', { body })).json.error?.code).toBe('NOTE_NOT_FOUND')
    expect((await host.ask('writing.pencilResult', { body: { requestId: 'n1' } })).json.error?.code).toBe(
      'OPERATION_NOT_FOUND',
    )
  })
})
