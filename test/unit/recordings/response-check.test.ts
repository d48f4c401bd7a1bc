import { describe, expect, test } from 'vitest'
import { RecordedReads } from '../../../electron/core/recordings/check/recorded-reads.ts'
import {
  checkResponse,
  learnVolatilePointers,
  type CheckedResponse,
} from '../../../electron/core/recordings/check/response-check.ts'
import { parseRequestMeaning } from '../../../electron/core/recordings/replay/request-meaning.ts'
import type { RecordedExchange } from '../../../shared/recordings/recording.ts'
import { createExchange, NOTE_ID } from './recorded-lines.ts'

const toBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))

const respond = (value: unknown, change: Partial<CheckedResponse> = {}): CheckedResponse => ({
  status: 200,
  mediaType: 'application/json',
  bytes: toBytes(value),
  ...change,
})

describe('the check of a response', () => {
  test('finds nothing in an equal value, however it is spelled', () => {
    const spelled = { ...respond({}), bytes: new TextEncoder().encode('{ "b": [1, 2],\n "a": "x" }') }
    expect(checkResponse(respond({ a: 'x', b: [1, 2] }), spelled, [])).toEqual({ differences: [], total: 0 })
  })

  test.each([
    ['another status', respond({}), respond({}, { status: 404 }), 'status', ''],
    ['another media type', respond({}), respond({}, { mediaType: 'text/html' }), 'media-type', ''],
    ['a value', respond({ a: { b: 1 } }), respond({ a: { b: 2 } }), 'value', '/a/b'],
    ['a type', respond({ a: { b: 1 } }), respond({ a: { b: '1' } }), 'type', '/a/b'],
    ['null in place of a text', respond({ a: 'x' }), respond({ a: null }), 'type', '/a'],
    ['a member that is gone', respond({ a: 1, b: 2 }), respond({ a: 1 }), 'missing', '/b'],
    ['a member that is new', respond({ a: 1 }), respond({ a: 1, b: 2 }), 'extra', '/b'],
    [
      'an entry that is new',
      respond({ l: [{ id: 'A' }] }),
      respond({ l: [{ id: 'A' }, { id: 'B' }] }),
      'value',
      '/l/1',
    ],
    [
      'another order',
      respond({ l: [{ id: 'A' }, { id: 'B' }] }),
      respond({ l: [{ id: 'B' }, { id: 'A' }] }),
      'order',
      null,
    ],
  ])('tells %s', (_, expected, actual, kind, pointer) => {
    const { differences, total } = checkResponse(expected, actual, [])
    expect(total).toBe(1)
    expect(differences).toMatchObject([{ kind, ...(pointer === null ? {} : { pointer }) }])
  })

  test('compares what is no JSON by its bytes', () => {
    const text = (value: string): CheckedResponse => respond({}, { bytes: new TextEncoder().encode(value) })
    expect(checkResponse(text('# A guide'), text('# A guide'), []).total).toBe(0)
    expect(checkResponse(text('# A guide'), text('# A guidE'), []).differences).toMatchObject([{ kind: 'bytes' }])
    // Two pictures of one size begin alike.
    expect(checkResponse(text(`${'x'.repeat(99)}a`), text(`${'x'.repeat(99)}b`), []).total).toBe(1)
    expect(checkResponse(respond({ a: 1 }), text('<html>'), []).differences).toMatchObject([{ kind: 'bytes' }])
  })

  test('leaves out what is volatile, with everything below it', () => {
    const expected = respond({ at: 1, list: [{ id: 'A', seen: { at: 1 } }], name: 'x' })
    const actual = respond({ at: 2, list: [{ id: 'A', seen: { at: 2, by: 'y' } }], name: 'z' })
    expect(checkResponse(expected, actual, ['/at', '/list/*/seen']).differences).toMatchObject([{ pointer: '/name' }])
  })

  test('leaves out what identifies a run of the host', () => {
    expect(checkResponse(respond({ instanceNonce: 'A' }), respond({ instanceNonce: 'B' }), []).total).toBe(0)
  })

  test('lists no more than a person reads, and counts all', () => {
    const list = (offset: number): CheckedResponse =>
      respond({ list: Array.from({ length: 6_000 }, (_, index) => ({ id: `${index}`, value: index + offset })) })
    const { differences, total } = checkResponse(list(0), list(1), [])
    expect(differences).toHaveLength(5_000)
    expect(total).toBe(6_000)
  })
})

describe('the check of a redacted response', () => {
  const redaction = {
    policy: { texts: 'placeholder', ids: 'keep', pictures: 'grey' },
    endpoint: 'notes.batchGet',
  } as const

  test('compares what a redaction left', () => {
    const note = { noteid: NOTE_ID, title: 'qWxYz', commentsRevision: 'r1', tags: { qqq: 1 } }
    const actual = { items: [{ ...note, title: 'Atlas', tags: { bone: 1 } }] }
    expect(checkResponse(respond({ items: [note] }), respond(actual), [], redaction)).toEqual({
      differences: [],
      total: 0,
    })
    const changed = { items: [{ ...note, noteid: NOTE_ID.replace('2', '3'), title: null }] }
    expect(
      checkResponse(respond({ items: [note] }), respond(changed), [], redaction).differences.map(({ kind }) => kind),
    ).not.toEqual([])
  })

  test('does not compare texts and pictures that are no JSON, nor dropped texts', () => {
    const picture = (mediaType: string, text: string): CheckedResponse => ({
      ...{ status: 200, mediaType },
      bytes: new TextEncoder().encode(text),
    })
    const grey = picture('image/png', 'grey')
    expect(checkResponse(grey, picture('image/jpeg', 'colourful'), [], redaction).total).toBe(0)
    expect(checkResponse(grey, respond({ error: {} }, { status: 404 }), [], redaction).total).toBeGreaterThan(0)
    const dropped = { ...redaction, policy: { ...redaction.policy, texts: 'drop' } } as const
    expect(checkResponse(respond({ title: '' }), respond({ title: 'Atlas' }), [], dropped).total).toBe(0)
  })
})

describe('what can be asked again', () => {
  const collect = (...exchanges: readonly RecordedExchange[]): RecordedReads => {
    const reads = new RecordedReads()
    for (const exchange of exchanges)
      reads.add(exchange, parseRequestMeaning({ ...exchange.row, bodyText: null }), null)
    return reads
  }
  const json = { mediaType: 'application/json', bytes: toBytes({ decks: [] }) }
  const read = createExchange(1, { row: { path: '/decks' }, response: json, responseBody: 'a' })

  test.each([
    ['the response to a condition', 304, [['If-None-Match', '"a"']]],
    ['a range', 206, [['Range', 'bytes=0-3']]],
    ['a refused token', 401, []],
    ['a refusal of too many requests', 429, []],
  ] as const)('is not %s', (_, status, headers) => {
    const other = createExchange(2, {
      row: { path: '/decks', status },
      requestHeaders: headers.map(([name, value]) => [name, value]),
    })
    expect(collect(read, other)).toMatchObject({ reads: [{ exchanges: [read] }], unchecked: [] })
    expect(collect(other)).toMatchObject({ reads: [], unchecked: [{ path: '/decks' }] })
  })

  test('is a HEAD beside its GET', () => {
    const head = createExchange(2, { row: { path: '/decks', method: 'HEAD' } })
    expect(collect(read, head).reads.map(({ method }) => method)).toEqual(['GET', 'HEAD'])
  })
})

describe('what is volatile', () => {
  test('is learned from responses to the same read, whatever entry of a list it is in', () => {
    const bodies = [1, 2, 3].map((time) =>
      toBytes({
        at: time,
        nodes: [
          { id: 'A', n: 1 },
          { id: 'B', n: time },
        ],
        name: 'x',
      }),
    )
    expect(learnVolatilePointers(bodies)).toEqual(['/at', '/nodes/*/n'])
  })

  test('is nothing after one response, and where a body is no JSON', () => {
    expect(learnVolatilePointers([toBytes({ at: 1 })])).toEqual([])
    expect(learnVolatilePointers([toBytes({ at: 1 }), new TextEncoder().encode('x')])).toEqual([])
  })
})
