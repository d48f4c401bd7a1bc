import { expect, test } from 'vitest'
import { listCases, pickSample, createRandom } from '../../mutation/cases.ts'
import { judge } from '../../mutation/judge.ts'
import { entryOf, locate, listMembers, listTexts } from '../../mutation/members.ts'
import { mutate, listMutations } from '../../mutation/mutations.ts'
import type { Served } from '../../mutation/proxy.ts'
import { listUncovered, type Station } from '../../mutation/stations.ts'
import type { StationVisit } from '../../mutation/visitor.ts'

const response = { sets: [{ id: 'id-a' }, { id: 'id-b', title: 'Second', parts: [{ kind: 'ink' }] }], 'a/b': null }
const station: Station = { name: 'somewhere', hash: '#/somewhere' }

test('every member is listed, even one that only a later entry has', () => {
  expect(listMembers(response)).toEqual([
    '',
    '/sets',
    '/sets/*',
    '/sets/*/id',
    '/sets/*/title',
    '/sets/*/parts',
    '/sets/*/parts/*',
    '/sets/*/parts/*/kind',
    '/a~1b',
  ])
})

test('a member is located in the first entry that has it, preferably not null', () => {
  expect(locate(response, '/sets/*/id')).toEqual(['sets', 0, 'id'])
  expect(locate(response, '/sets/*/parts/*/kind')).toEqual(['sets', 1, 'parts', 0, 'kind'])
  expect(locate(response, '/a~1b')).toEqual(['a/b'])
  expect(locate([{ x: null }, { x: 1 }], '/*/x')).toEqual([1, 'x'])
  expect(locate(response, '/sets/*/nothing')).toBeNull()
})

test('a mutation changes one member and nothing else', () => {
  const path = ['sets', 1, 'title']
  expect(mutate(response, path, 'number')?.value).toEqual({
    ...response,
    sets: [response.sets[0], { ...response.sets[1], title: 7 }],
  })
  expect(mutate(response, path, 'missing')?.value).toEqual({
    ...response,
    sets: [response.sets[0], { id: 'id-b', parts: [{ kind: 'ink' }] }],
  })
  expect(mutate(response, ['sets', 0], 'missing')?.value).toEqual({ ...response, sets: [response.sets[1]] })
  expect(mutate(response, [], 'null')?.value).toBeNull()
  expect(mutate(response, path, 'negative')).toBeNull()
  expect(response.sets[1]?.title).toBe('Second')
})

test('every mutation yields a different value for every type', () => {
  for (const value of ['text', 3, true, null, [1], { a: 1 }, [], {}, '']) {
    const names = listMutations({ value }.value, false)
    expect(names.length).toBeGreaterThan(4)
    const unchanged = names.filter(
      (name) => JSON.stringify(mutate({ value }, ['value'], name)?.value) === JSON.stringify({ value }),
    )
    // What is already empty can't be emptied.
    expect(unchanged.filter((name) => name !== 'empty')).toEqual([])
  }
})

test('a member belongs to its nearest entry', () => {
  expect(entryOf(['sets', 1, 'parts', 0, 'kind'])).toEqual(['sets', 1, 'parts', 0])
  expect(entryOf(['total'])).toEqual(['total'])
  expect([...listTexts(response, ['sets', 1])]).toEqual(['id-a'])
})

test('the same seed selects the same cases', () => {
  const served: Served[] = [
    {
      responseKey: 'GET /x',
      endpoint: 'x',
      original: response,
      sent: response,
      entry: null,
      requestedAt: 0,
      sentAt: 1,
    },
  ]
  const cases = listCases({ station, served }, [station])
  expect(cases.length).toBeGreaterThan(40)
  const pick = (seed: number): unknown => pickSample(cases, 5, createRandom(seed))
  expect(pick(1)).toEqual(pick(1))
  expect(pick(1)).not.toEqual(pick(2))
})

test('a place without a station is reported', () => {
  expect(listUncovered([{ name: 'notes', hash: '#/notes/A?tab=parts' }])).not.toContain('/notes/:noteid')
  expect(listUncovered([])).toContain('/notes/:noteid')
})

const good: StationVisit = {
  hasLandmark: true,
  hasContent: true,
  alerts: [],
  reportsMismatch: false,
  text: 'id-a\nid-b\nSecond',
  errors: [],
  isOnline: true,
  isSettled: true,
  hasLeft: true,
  serviceErrors: [],
  served: [
    {
      responseKey: 'GET /x',
      endpoint: 'x',
      original: response,
      sent: response,
      entry: ['sets', 0],
      requestedAt: 0,
      sentAt: 1,
    },
  ],
}

test('each kind of failure is detected, and no other', () => {
  const kinds = (now: Partial<StationVisit>): string[] =>
    judge([good], { ...good, ...now }, null).map(({ kind }) => kind)
  expect(kinds({})).toEqual([])
  expect(kinds({ hasLandmark: false })).toEqual(['blank'])
  expect(kinds({ hasContent: false })).toEqual(['blank'])
  expect(kinds({ hasContent: false, alerts: ['failed'] })).toEqual([])
  expect(kinds({ errors: ['error: x'] })).toEqual(['error'])
  expect(kinds({ serviceErrors: ['log: x'] })).toEqual(['service'])
  expect(kinds({ hasLeft: false })).toEqual(['stuck'])
  expect(kinds({ isSettled: false })).toEqual(['unsettled'])
  expect(kinds({ text: 'id-a\nid-b' })).toEqual(['lost'])
  // The changed entry may disappear.
  expect(kinds({ text: 'Second' })).toEqual(['lost'])
  expect(judge([good], { ...good, text: 'id-b\nSecond' }, null)).toEqual([])
})
