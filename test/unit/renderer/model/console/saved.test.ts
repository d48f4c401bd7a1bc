import { describe, expect, test } from 'vitest'
import { getJsonCompletions } from '../../../../../renderer/model/json/json-completion.ts'
import { locateJsonCursor } from '../../../../../renderer/model/json/cursor.ts'
import {
  createCollectionId,
  moveRequest,
  formatCaptureLines,
  parseCaptureLines,
  formatVariableLines,
  parseVariableLines,
  upsertRequest,
} from '../../../../../renderer/model/console/saved-requests.ts'
import { getFieldIdKind, collectObservedIds } from '../../../../../renderer/model/console/observed-ids.ts'
import type { Collection } from '../../../../../shared/ipc/console.ts'
import type { SavedRequest } from '../../../../../shared/collections/saved-request.ts'

const request = (name: string, path = '/status'): SavedRequest => ({ name, method: 'GET', path, body: null })
const collection: Collection = { id: 'c', name: 'C', variables: {}, requests: [request('a'), request('b')] }

describe('saved collections', () => {
  test.each([
    ['Cards & tags', [], 'Cards tags'],
    ['卡片/一', [], '卡片 一'],
    ['Cards', ['cards', 'Cards 2'], 'Cards 3'],
    ['../..', [], 'collection'],
    ['con', [], 'collection con'],
    ['', ['collection'], 'collection 2'],
  ])('have a file name made from %j', (name, existingNames, id) => {
    expect(createCollectionId(name, existingNames)).toBe(id)
  })

  test('replace a request of the same name, and can move requests', () => {
    expect(upsertRequest(collection, request('a', '/x')).requests.map(({ path }) => path)).toEqual(['/x', '/status'])
    expect(upsertRequest(collection, request('c')).requests.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    expect(moveRequest(collection, 1, -1).requests.map(({ name }) => name)).toEqual(['b', 'a'])
    expect(moveRequest(collection, 1, 1)).toBe(collection)
  })

  test('parse variables and captures line by line, and report the first invalid line', () => {
    const variables = { topicid: 'S 1', empty: '', eq: 'a=b' }
    expect(parseVariableLines(formatVariableLines(variables))).toEqual({ variables })
    expect(parseVariableLines('a = 1\nno good\n')).toEqual({ line: 'no good' })
    const takes = [
      { variable: 'a', pointer: '/x/0' },
      { variable: 'all', pointer: '' },
    ]
    expect(parseCaptureLines(formatCaptureLines(takes))).toEqual({ takes })
    expect(parseCaptureLines('a = x')).toEqual({ line: 'a = x' })
  })
})

describe('completion in the console', () => {
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
  const labels = (trail: string[], wants: 'name' | 'value', existingNames: string[] = []) =>
    getJsonCompletions(schema, { path: trail, expects: wants, usedNames: existingNames }).map(({ label }) => label)

  test('offers unused names, required ones first', () => {
    expect(labels([], 'name')).toEqual(['noteIds', 'limit', 'target'])
    expect(labels([], 'name', ['noteIds'])).toEqual(['limit', 'target'])
    expect(labels(['target'], 'name')).toEqual(['kind', 'deep'])
    expect(labels(['nothing', 'here'], 'name')).toEqual([])
  })

  test('offers the possible values of a member', () => {
    expect(labels(['target', 'kind'], 'value')).toEqual(['card', 'page'])
    expect(labels(['target', 'deep'], 'value')).toEqual(['true', 'false'])
    expect(labels(['noteIds', '0'], 'value')).toEqual([])
    expect(
      getJsonCompletions(schema, { path: ['target', 'kind'], expects: 'value', usedNames: [] })[0]?.insertedText,
    ).toBe('"card"')
  })
})

describe('the cursor position', () => {
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
  ])('is located in %s', (marked, trail, wants, typed) => {
    const cursor = marked.indexOf('|')
    const text = marked.replace('|', '')
    const place = locateJsonCursor(text, cursor)
    expect([place.path, place.expects, text.slice(place.startOffset, cursor)]).toEqual([trail, wants, typed])
  })

  test('comes with the names that its object already has', () => {
    expect(locateJsonCursor('{"a": {"x": 1}, "b": 2, ', 24).usedNames).toEqual(['a', 'b'])
  })
})

describe('observed values', () => {
  test('are ids by what they identify, with their titles, each once', () => {
    const observedIds = collectObservedIds([
      { studySets: [{ topicid: 'S1', title: 'Physics' }, { topicid: 'S2' }] },
      { notes: [{ noteid: 'N1', title: 'Card', topicid: 'S2' }] },
      { topicid: 'S2', title: 'Later' },
    ])
    expect(observedIds.get('studySet')).toEqual([
      { value: 'S1', label: 'Physics · S1' },
      { value: 'S2', label: 'Later · S2' },
    ])
    expect(observedIds.get('card')).toEqual([{ value: 'N1', label: 'Card · N1' }])
    expect([
      getFieldIdKind('topicid'),
      getFieldIdKind('noteIds'),
      getFieldIdKind('target.noteid'),
      getFieldIdKind('limit'),
    ]).toEqual(['studySet', 'card', 'card', null])
  })
})
