import { describe, expect, test } from 'vitest'
import { completionsAt } from '../../../../../renderer/model/json/completion.ts'
import { placeIn } from '../../../../../renderer/model/json/cursor.ts'
import {
  freeId,
  moved,
  takeLines,
  takesFrom,
  variableLines,
  variablesFrom,
  withRequest,
} from '../../../../../renderer/model/console/saved.ts'
import { kindOfField, seenValues } from '../../../../../renderer/model/console/seen-values.ts'
import type { Collection, SavedRequest } from '../../../../../shared/ipc/console.ts'

const request = (name: string, path = '/status'): SavedRequest => ({ name, method: 'GET', path, body: null })
const collection: Collection = { id: 'c', name: 'C', variables: {}, requests: [request('a'), request('b')] }

describe('collections', () => {
  test.each([
    ['Cards & tags', [], 'Cards tags'],
    ['卡片/一', [], '卡片 一'],
    ['Cards', ['cards', 'Cards 2'], 'Cards 3'],
    ['../..', [], 'collection'],
    ['con', [], 'collection con'],
    ['', ['collection'], 'collection 2'],
  ])('%j becomes a file name', (name, taken, id) => {
    expect(freeId(name, taken)).toBe(id)
  })

  test('a request replaces the one with its name, and can be moved', () => {
    expect(withRequest(collection, request('a', '/x')).requests.map(({ path }) => path)).toEqual(['/x', '/status'])
    expect(withRequest(collection, request('c')).requests.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    expect(moved(collection, 1, -1).requests.map(({ name }) => name)).toEqual(['b', 'a'])
    expect(moved(collection, 1, 1)).toBe(collection)
  })

  test('variables and takes are lines, and the first bad one is named', () => {
    const variables = { topicid: 'S 1', empty: '', eq: 'a=b' }
    expect(variablesFrom(variableLines(variables))).toEqual({ variables })
    expect(variablesFrom('a = 1\nno good\n')).toEqual({ line: 'no good' })
    const takes = [
      { variable: 'a', pointer: '/x/0' },
      { variable: 'all', pointer: '' },
    ]
    expect(takesFrom(takeLines(takes))).toEqual({ takes })
    expect(takesFrom('a = x')).toEqual({ line: 'a = x' })
  })
})

describe('completion', () => {
  const schema = {
    type: 'object',
    required: ['noteIds'],
    properties: {
      limit: { type: 'integer' },
      noteIds: { type: 'array', items: { type: 'string' } },
      target: {
        anyOf: [
          { type: 'object', properties: { kind: { enum: ['card', 'page'] }, deep: { type: 'boolean' } } },
          { type: 'null' },
        ],
      },
    },
  }
  const labels = (trail: string[], wants: 'name' | 'value', taken: string[] = []) =>
    completionsAt(schema, { trail, wants, taken }).map(({ label }) => label)

  test('offers names, required ones first, without those that are there', () => {
    expect(labels([], 'name')).toEqual(['noteIds', 'limit', 'target'])
    expect(labels([], 'name', ['noteIds'])).toEqual(['limit', 'target'])
    expect(labels(['target'], 'name')).toEqual(['kind', 'deep'])
    expect(labels(['nothing', 'here'], 'name')).toEqual([])
  })

  test('offers the values that a member can have', () => {
    expect(labels(['target', 'kind'], 'value')).toEqual(['card', 'page'])
    expect(labels(['target', 'deep'], 'value')).toEqual(['true', 'false'])
    expect(labels(['noteIds', '0'], 'value')).toEqual([])
    expect(completionsAt(schema, { trail: ['target', 'kind'], wants: 'value', taken: [] })[0]?.insert).toBe('"card"')
  })
})

describe('the place of the cursor', () => {
  test.each<[string, string[], 'name' | 'value', string]>([
    ['|', [], 'value', ''],
    ['{|', [], 'name', ''],
    ['{"no|', [], 'name', '"no'],
    ['{"a": 1, "b|"', [], 'name', '"b'],
    ['{"a": |', ['a'], 'value', ''],
    ['{"a": tr|', ['a'], 'value', 'tr'],
    ['{"a": {"b": ["x", "y|', ['a', 'b', '1'], 'value', '"y'],
    ['{"a": {"b": 1}, |', [], 'name', ''],
    ['{"a,{": [{}, {|}]}', ['a,{', '1'], 'name', ''],
    ['{"\\u0061": "x\\"y|', ['a'], 'value', '"x\\"y'],
  ])('in %s', (marked, trail, wants, typed) => {
    const cursor = marked.indexOf('|')
    const text = marked.replace('|', '')
    const place = placeIn(text, cursor)
    expect([place.trail, place.wants, text.slice(place.from, cursor)]).toEqual([trail, wants, typed])
  })

  test('names that are there already are not offered again', () => {
    expect(placeIn('{"a": {"x": 1}, "b": 2, ', 24).taken).toEqual(['a', 'b'])
  })
})

describe('values that were seen', () => {
  test('are ids by what they name, with their titles, each once', () => {
    const seen = seenValues([
      { studySets: [{ topicid: 'S1', title: 'Physics' }, { topicid: 'S2' }] },
      { notes: [{ noteid: 'N1', title: 'Card', topicid: 'S2' }] },
      { topicid: 'S2', title: 'Later' },
    ])
    expect(seen.get('studySet')).toEqual([
      { value: 'S1', label: 'Physics · S1' },
      { value: 'S2', label: 'Later · S2' },
    ])
    expect(seen.get('card')).toEqual([{ value: 'N1', label: 'Card · N1' }])
    expect([
      kindOfField('topicid'),
      kindOfField('noteIds'),
      kindOfField('target.noteid'),
      kindOfField('limit'),
    ]).toEqual(['studySet', 'card', 'card', null])
  })
})
