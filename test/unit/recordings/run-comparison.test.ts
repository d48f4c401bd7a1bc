import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  compareRuns,
  createRunExchange,
  haveComparableTexts,
  type ComparedRun,
  type RunComparison,
  type RunOperation,
} from '../../../electron/core/recordings/comparison/run-comparison.ts'
import type { RunDifferenceKind } from '../../../shared/recordings/comparison/run-difference.ts'
import type { RecordedExchange, RedactionPolicy } from '../../../shared/recordings/recording.ts'
import { createExchange, NOTE_ID, TOPIC_ID } from './recorded-lines.ts'

interface Call {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly status?: number
  readonly response?: unknown
  /** Milliseconds after the begin of the run. */
  readonly at?: number
  readonly lasts?: number
  readonly row?: Partial<RecordedExchange['row']>
  readonly missing?: RecordedExchange['response']['missing']
}

interface RunFacts {
  readonly operations?: readonly RunOperation[]
  readonly redaction?: RedactionPolicy | null
  readonly isTextRedacted?: boolean
}

const toBytes = (value: unknown): Uint8Array =>
  typeof value === 'string' ? new TextEncoder().encode(value) : new TextEncoder().encode(JSON.stringify(value))

/** Without times, each request begins after the one before it has ended. */
function createRun(
  calls: readonly Call[],
  { operations = [], redaction = null, isTextRedacted = redaction !== null }: RunFacts = {},
): ComparedRun {
  const bodies = new Map<string, Uint8Array>()
  const exchanges = calls.map((call, index) => {
    const { method = 'GET', path, body, status = 200, response = {}, at = index * 10, lasts = 5, missing = null } = call
    const bytes = toBytes(response)
    const hash = new TextDecoder().decode(bytes)
    bodies.set(hash, bytes)
    const exchange = createExchange(index + 1, {
      row: { method, path, status, startedAt: at, durationMs: lasts, mediaType: 'application/json', ...call.row },
      response: { mediaType: 'application/json', bytes },
      responseBody: hash,
    })
    const cut = { ...exchange, response: { ...exchange.response, missing } }
    return createRunExchange(cut, body === undefined ? null : JSON.stringify(body), !isTextRedacted)
  })
  return {
    ...{ exchanges, operations, redaction },
    loadBody: async ({ responseBody }) => bodies.get(responseBody ?? '') ?? null,
  }
}

const compare = (before: ComparedRun, after: ComparedRun): Promise<RunComparison> =>
  compareRuns(before, after, { pause: async () => {} })
const compareCalls = (before: readonly Call[], after: readonly Call[]): Promise<RunComparison> =>
  compare(createRun(before), createRun(after))

/** The pairs that differ, as their indexes and kinds. */
const listDifferent = ({ pairs }: RunComparison): (readonly (number | null | RunDifferenceKind)[])[] =>
  pairs.filter(({ kinds }) => kinds.length > 0).map(({ before, after, kinds }) => [before, after, ...kinds])

const uuid = (number: number): string => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
const readTree: Call = { path: `/study-sets/${TOPIC_ID}/tree` }
const readCard = (id: string): Call => ({ path: '/notes/batch-get', method: 'POST', body: { noteIds: [id] } })
const createCard = (requestId: string, response: unknown): Call => ({
  path: '/notes/copy',
  method: 'POST',
  body: { requestId, noteIds: [NOTE_ID], targetParentNoteId: NOTE_ID },
  response,
})

describe('two runs', () => {
  test('are the same if they asked for the same and got the same, however it is spelled', async () => {
    const run: Call[] = [readTree, { path: '/search?q=a%20b&limit=5', response: { hits: 1 } }]
    const other: Call[] = [readTree, { path: '/search?limit=5&q=a+b', response: '{ "hits": 1 }' }]
    expect(listDifferent(await compareCalls(run, other))).toEqual([])
  })

  test.each<[string, readonly Call[], readonly Call[], unknown]>([
    ['a request is missing', [readTree, { path: '/status' }], [{ path: '/status' }], [[0, null, 'missing']]],
    ['a request is extra', [readTree], [readTree, { path: '/status' }], [[null, 1, 'extra']]],
    [
      'a request came later',
      [{ path: '/guide' }, readTree, { path: '/status' }],
      [readTree, { path: '/status' }, { path: '/guide' }],
      [[0, 2, 'order']],
    ],
    ['the status is another one', [readTree], [{ ...readTree, status: 404 }], [[0, 0, 'response']]],
    [
      'there is no response',
      [readTree],
      [{ ...readTree, row: { status: null, state: 'failed', errorCode: 'TIMEOUT' } }],
      [[0, 0, 'response']],
    ],
    [
      'a request asks for another card of the same study set',
      [readTree, readCard(uuid(1))],
      [readTree, readCard(uuid(2))],
      [[1, 1, 'request']],
    ],
    ['a request took much longer', [{ ...readTree, lasts: 12 }], [{ ...readTree, lasts: 240 }], [[0, 0, 'slower']]],
    ['a request took a little longer', [{ ...readTree, lasts: 12 }], [{ ...readTree, lasts: 90 }], []],
  ])('say that %s', async (_, before, after, expected) => {
    expect(listDifferent(await compareCalls(before, after))).toEqual(expected)
  })

  test('say which value of a response differs, and leave out times', async () => {
    const respond = (title: string, modifiedAt: number): Call => ({ ...readTree, response: { title, modifiedAt } })
    const { pairs } = await compareCalls([respond('one', 1)], [respond('two', 2)])
    expect(pairs[0]?.responses).toEqual({
      differences: [{ kind: 'value', pointer: '/title', expected: '"one"', actual: '"two"' }],
      total: 1,
    })
  })

  test('may link to what each of them created', async () => {
    const createRunOf = (created: string, linked: string): Call[] => {
      const text = `See marginnote4app://note/${linked} first.`
      const body = { noteid: NOTE_ID, text }
      return [
        createCard('one', { items: [{ noteid: created }] }),
        { path: `/notes/${NOTE_ID}/comments`, method: 'POST', body, response: { text } },
      ]
    }
    const [first, second, third] = [uuid(51), uuid(52), uuid(53)]
    expect(listDifferent(await compareCalls(createRunOf(first, first), createRunOf(second, second)))).toEqual([])
    const differing = await compareCalls(createRunOf(first, first), createRunOf(second, third))
    expect(listDifferent(differing)).not.toEqual([])
  })

  test('may overlap in another order', async () => {
    const [first, second] = [
      { ...readTree, lasts: 50 },
      { path: '/status', lasts: 50 },
    ]
    const before = [
      { ...first, at: 0 },
      { ...second, at: 5 },
    ]
    const after = [
      { ...second, at: 0 },
      { ...first, at: 5 },
    ]
    expect(listDifferent(await compareCalls(before, after))).toEqual([])
  })

  test('call cards that they created by other ids', async () => {
    const run = (requestId: string, card: string): Call[] => [
      readTree,
      createCard(requestId, { requestId, created: [{ noteid: card, title: 'Copy' }], parent: NOTE_ID }),
      { ...readCard(card), response: { notes: [{ noteid: card, title: 'Copy' }] } },
    ]
    const comparison = await compareCalls(run('first-request', uuid(1)), run('second-request', uuid(2)))
    expect(listDifferent(comparison)).toEqual([])
    expect(comparison.ids).toContainEqual({ before: uuid(1), after: uuid(2) })
    expect(comparison.haveForeignIds).toBe(false)
  })

  test('do not take a card of the library for another one', async () => {
    const respond = (parent: string): Call => ({ ...readTree, response: { nodes: [{ noteid: NOTE_ID, parent }] } })
    const comparison = await compareCalls([respond(uuid(1))], [respond(uuid(2))])
    expect(listDifferent(comparison)).toEqual([[0, 0, 'response']])
  })

  test('say that a write had another effect', async () => {
    const operate = (title: string): RunOperation => ({
      summary: {
        outcome: 'completed',
        verdict: { code: 'saved-and-verified' } as RunOperation['summary']['verdict'],
      },
      changes: [{ field: 'title', before: 'Old', after: title }],
      events: [
        {
          ...{ kind: 'answer', at: 1, status: 200, body: null, cut: false, durationMs: 1 },
          ...{ exchangeId: 'exchange-1', instanceNonce: null },
        },
      ],
    })
    const calls = [createCard('request', {})]
    const [before, after] = ['New', 'Nwe'].map((title) => createRun(calls, { operations: [operate(title)] }))
    const { pairs } = await compare(before ?? createRun([]), after ?? createRun([]))
    expect(pairs[0]).toMatchObject({
      kinds: ['effect'],
      effects: { differences: [{ pointer: '/after/title', expected: '"New"', actual: '"Nwe"' }] },
    })
  })

  test('leave out bodies that are not stored in full, and say why', async () => {
    const full: Call = { ...readTree, response: { title: 'one' } }
    const cut: Call = { ...readTree, response: { title: 'two' }, missing: 'limit' }
    const comparison = await compareCalls([full], [cut])
    expect(listDifferent(comparison)).toEqual([])
    expect(comparison.notCompared).toEqual({ limit: 1 })
  })

  test('leave out texts that a redaction replaced, but not what is structure', async () => {
    const redaction: RedactionPolicy = { texts: 'placeholder', ids: 'keep', pictures: 'grey' }
    const run = (text: string, count: number): ComparedRun =>
      createRun([{ path: `/search?q=${text}`, response: { hits: [{ noteid: NOTE_ID, title: text }], count } }], {
        redaction,
      })
    const comparison = await compare(run('one', 1), run('two', 1))
    expect(listDifferent(comparison)).toEqual([])
    expect(comparison.areTextsComparable).toBe(false)
    expect(listDifferent(await compare(run('one', 1), run('two', 2)))).toEqual([[0, 0, 'response']])
    expect(haveComparableTexts(null, { texts: 'keep', ids: 'map', pictures: 'keep' })).toBe(true)
  })

  test('leave out all that a redaction replaces: names that are data, words that are none, pictures', async () => {
    const redaction: RedactionPolicy = { texts: 'placeholder', ids: 'keep', pictures: 'grey' }
    const run = (text: string, mediaType: string, facts: RunFacts): ComparedRun =>
      createRun(
        [
          { path: '/search', response: { byHashtag: { [`${text} `]: 1 }, kind: `${text} ${text}`, state: 'done' } },
          { path: '/media/a', response: `picture ${text}`, row: { mediaType } },
        ],
        { isTextRedacted: true, ...facts },
      )
    const comparison = await compare(run('xQz', 'image/png', { redaction }), run('bone', 'image/jpeg', {}))
    expect(listDifferent(comparison)).toEqual([])
    expect(comparison.notCompared).toEqual({ redacted: 1 })
  })

  test('of ten thousand requests each are compared in moments', async () => {
    const calls = Array.from({ length: 10_000 }, (_, index) => ({ path: index % 3 === 0 ? '/status' : `/x/${index}` }))
    const others = Array.from({ length: 10_000 }, (_, index) => ({ path: index % 3 === 0 ? '/status' : `/y/${index}` }))
    const { counts, sameCount } = await compareCalls(calls, others)
    expect({ ...counts, sameCount }).toMatchObject({ missing: 6_666, extra: 6_666, sameCount: 3_334 })
  })
})

/** Requests of one group overlap; each group begins after the one before it has ended. */
const groups = fc.array(
  fc.array(
    fc.record({
      path: fc.constantFrom('/status', '/guide', '/search?q=a', '/search?q=b', '/notes/hashtags'),
      card: fc.nat({ max: 4 }),
      isWrite: fc.boolean(),
      value: fc.nat({ max: 3 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  { minLength: 1, maxLength: 8 },
)
type Groups = readonly (readonly { path: string; card: number; isWrite: boolean; value: number }[])[]

function toCalls(run: Groups, name: string, shift = 0): Call[] {
  return run.flatMap((group, groupIndex) =>
    group.map(({ path, card, isWrite, value }, index): Call => {
      const times = { at: groupIndex * 1000 + index, lasts: 500 }
      const id = uuid(card + shift)
      const response = { value, modifiedAt: times.at, notes: [{ noteid: id, title: `card ${card}` }] }
      if (!isWrite)
        return { path: `${path}${path.includes('?') ? '&' : '?'}topicid=${uuid(99 + shift)}`, response, ...times }
      const body = { requestId: `${name}-${groupIndex}-${index}`, title: `card ${card}` }
      return { path: `/notes/${id}/title`, method: 'POST', body, response, ...times }
    }),
  )
}

describe('a run', () => {
  test('differs in nothing from itself', async () => {
    await fc.assert(
      fc.asyncProperty(groups, async (run) => {
        expect(listDifferent(await compareCalls(toCalls(run, 'a'), toCalls(run, 'a')))).toEqual([])
      }),
    )
  })

  test('differs in nothing if overlapping requests come in another order', async () => {
    await fc.assert(
      fc.asyncProperty(groups, fc.infiniteStream(fc.nat()), async (run, numbers) => {
        // Equal requests of a group may have different responses, so that their order matters.
        const alike = run.map((group) =>
          group.map((request) => ({ ...request, value: 0, card: request.path.length % 5 })),
        )
        const permuted = alike.map((group) =>
          group
            .map((request) => ({ request, rank: numbers.next().value }))
            .sort((first, second) => first.rank - second.rank)
            .map(({ request }) => request),
        )
        expect(listDifferent(await compareCalls(toCalls(alike, 'a'), toCalls(permuted, 'b')))).toEqual([])
      }),
    )
  })

  test('differs in nothing if all ids have other names', async () => {
    await fc.assert(
      fc.asyncProperty(groups, async (run) => {
        expect(listDifferent(await compareCalls(toCalls(run, 'a'), toCalls(run, 'b', 1000)))).toEqual([])
      }),
    )
  })

  test('lacks exactly the request that is taken out', async () => {
    await fc.assert(
      fc.asyncProperty(groups, fc.nat(), async (run, number) => {
        const calls = toCalls(run, 'a').map((call) => ({ ...call, response: {} }))
        const { counts } = await compareCalls(calls, calls.toSpliced(number % calls.length, 1))
        expect(counts).toEqual({ missing: 1, extra: 0, request: 0, response: 0, effect: 0, order: 0, slower: 0 })
      }),
    )
  })
})
