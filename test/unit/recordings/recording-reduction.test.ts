import { describe, expect, test } from 'vitest'
import type { RecordedExchange } from '../../../shared/recordings/recording.ts'
import type { Candidate } from '../../../electron/core/recordings/reduction/candidate.ts'
import { reduceRecording } from '../../../electron/core/recordings/reduction/recording-reduction.ts'
import { createRecordedExchange, getBodyName } from '../../support/data/recordings.ts'

interface Card {
  readonly noteid: string
  readonly parent?: string | null
  readonly childCount?: number
}

const bodies = new Map<string, string>()

function createRead(seq: number, endpoint: string, path: string, value: unknown): RecordedExchange {
  const body = JSON.stringify(value)
  bodies.set(getBodyName(body), body)
  return createRecordedExchange(seq, body, { row: { endpoint, path, template: path, status: 200, rule: null } })
}

const createPage = (seq: number, nodes: readonly Card[], nextCursor: string | null): RecordedExchange =>
  createRead(seq, 'studySets.tree', `/bridge/v1/study-sets/T/tree?limit=3${seq > 2 ? '&cursor=c' : ''}`, {
    ...{ topicid: 'T', nodeTotal: 6, nextCursor, nodes },
  })

/** A tree of A (B (C), D) and E (F), in two pages. */
const pages = [
  createPage(
    2,
    [
      { noteid: 'A', parent: null, childCount: 2 },
      { noteid: 'B', parent: 'A', childCount: 1 },
      { noteid: 'C', parent: 'B' },
    ],
    'c',
  ),
  createPage(3, [{ noteid: 'D', parent: 'A' }, { noteid: 'E' }, { noteid: 'F', parent: 'E' }], null),
]
const cardRead = createRead(5, 'notes.batchGet', '/bridge/v1/notes/batch-get', {
  items: [{ noteid: 'C' }, { noteid: 'F' }],
})
const status = createRead(1, 'status.get', '/bridge/v1/status', { app: 'Host' })
const exchanges = [status, ...pages, createRead(4, 'decks.list', '/bridge/v1/decks', []), cardRead]
const recording = {
  exchanges,
  readBody: async (name: string) => new TextEncoder().encode(bodies.get(name)),
}

const readBody = async (candidate: Candidate, seq: number): Promise<unknown> => {
  const exchange = candidate.exchanges.find(({ row }) => row.seq === seq)
  if (!exchange?.responseBody) return null
  return JSON.parse(new TextDecoder().decode(await candidate.readBody(exchange.responseBody))) as unknown
}
const listIds = async (candidate: Candidate): Promise<string[]> => {
  const listed = await Promise.all([2, 3].map((seq) => readBody(candidate, seq)))
  return (listed as ({ nodes: Card[] } | null)[]).flatMap((page) => page?.nodes.map(({ noteid }) => noteid) ?? [])
}
const reduce = (isShown: (candidate: Candidate) => Promise<boolean>, isOver?: (tries: number) => boolean) =>
  reduceRecording(recording, isShown, { nameBody: (bytes) => getBodyName(bytes), isOver })

describe('reduceRecording', () => {
  test('leaves the needed exchanges, what is needed to connect, and the path to the needed card', async () => {
    const reduced = await reduce(async (candidate) => (await listIds(candidate)).includes('C'))
    expect(reduced?.candidate.exchanges.map(({ row }) => row.seq)).toEqual([1, 2])
    expect(reduced).toMatchObject({ isMinimal: true, isSteady: true })
    expect([reduced?.before, reduced?.after]).toEqual([
      { exchanges: 5, cards: 6 },
      { exchanges: 2, cards: 3 },
    ])
  })

  test('leaves cards out of all listings, and lowers what counts them', async () => {
    const reduced = await reduce(async (candidate) => {
      const ids = await listIds(candidate)
      return candidate.exchanges.length === 5 && ids.includes('C') && ids.includes('E')
    })
    const { candidate } = reduced ?? {}
    if (!candidate) throw new Error('nothing is shown')
    expect(await readBody(candidate, 2)).toEqual({
      ...{ topicid: 'T', nodeTotal: 4, nextCursor: 'c' },
      nodes: [
        { noteid: 'A', parent: null, childCount: 1 },
        { noteid: 'B', parent: 'A', childCount: 1 },
        { noteid: 'C', parent: 'B' },
      ],
    })
    expect(await readBody(candidate, 3)).toMatchObject({ nodeTotal: 4, nodes: [{ noteid: 'E' }] })
    expect(await readBody(candidate, 5)).toEqual({ items: [{ noteid: 'C' }] })
    for (const exchange of candidate.exchanges) {
      const { byteLength } = await candidate.readBody(exchange.responseBody ?? '')
      expect([exchange.response.kept, exchange.response.total, exchange.row.bytes]).toEqual(
        exchanges.includes(exchange) ? [byteLength, byteLength, exchange.row.bytes] : Array(3).fill(byteLength),
      )
    }
  })

  test('returns nothing if the whole recording does not show it', async () => {
    expect(await reduce(async () => false)).toBeNull()
  })

  test('says if it was not shown each time', async () => {
    let tries = 0
    const reduced = await reduce(async () => {
      tries += 1
      return tries === 1
    })
    expect(reduced).toMatchObject({ isSteady: false, isMinimal: true })
    expect(reduced?.candidate.exchanges).toHaveLength(exchanges.length)
  })

  test('ends when the time is over, with what was seen to show it', async () => {
    const reduced = await reduce(
      async (candidate) => candidate.exchanges.length > 2,
      (tries) => tries >= 2,
    )
    expect(reduced?.isMinimal).toBe(false)
    expect(reduced?.candidate.exchanges.length).toBeGreaterThan(2)
  })

  test('keeps cards that form a cycle, or whose parent is not listed, apart', async () => {
    const page = createPage(
      2,
      [
        { noteid: 'X', parent: 'Y' },
        { noteid: 'Y', parent: 'X' },
        { noteid: 'Z', parent: '?' },
      ],
      null,
    )
    const reduced = await reduceRecording(
      { ...recording, exchanges: [page] },
      async (candidate) => (await listIds(candidate)).includes('Z'),
      { nameBody: (bytes) => getBodyName(bytes) },
    )
    expect(reduced?.after).toEqual({ exchanges: 1, cards: 1 })
  })
})
