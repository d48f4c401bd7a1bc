import { expect, test } from 'vitest'
import { scanElementRanges, getElementText } from '../../../shared/json/list-elements.ts'
import type { JsonEndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { readResponse, locateSentEntry } from '../../../shared/bridge/response-reading.ts'

/** Reads an element from the bytes of the JSON text. */
function readElementBytes(text: string, list: string | null, index: number): string | null {
  const bytes = new TextEncoder().encode(text)
  const steps = scanElementRanges(bytes, list)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  const [start, end] = [step.value[index * 2], step.value[index * 2 + 1]]
  return start === undefined ? null : new TextDecoder().decode(bytes.subarray(start, end)).trim()
}

test.each<[string, JsonEndpointId, unknown, string, [string | null, number][]]>([
  [
    'a group',
    'search.get',
    { cards: [{ id: 'a' }, { id: 'b' }], books: [{ id: 'c' }] },
    'hits',
    [
      ['cards', 0],
      ['cards', 1],
      ['books', 0],
    ],
  ],
  [
    'a map by id',
    'search.get',
    { found: { 'N-10001': { a: 1 }, 'N-10002': { a: 2 } } },
    'hits',
    [
      ['found', 0],
      ['found', 1],
    ],
  ],
  [
    'a response that is a map by id',
    'search.get',
    { bridgeApiVersion: '0.91', 'N-10001': { a: 1 } },
    'hits',
    [[null, 1]],
  ],
  [
    'a wrapper',
    'studySets.list',
    { data: { studySets: [7, { topicid: 'T' }] } },
    'studySets',
    [['data\0studySets', 1]],
  ],
  [
    'a group in a wrapper',
    'search.get',
    { result: { cards: [{ kind: 7 }, { id: 'b' }] } },
    'hits',
    [
      ['result\0cards', 0],
      ['result\0cards', 1],
    ],
  ],
])('locates an entry of %s where it was sent', (_case, id, response, member, places) => {
  const { lists, value } = readResponse(id, response)
  const entries = (value as Record<string, unknown[]> | undefined)?.[member] ?? []
  expect(entries).toHaveLength(places.length)
  const locations = places.map((_, index) => locateSentEntry(lists, member, index))
  expect(locations.map((place) => [place.member, place.index])).toEqual(places)
  const text = JSON.stringify(response)
  for (const { member: list, index } of locations) {
    const steps = list?.split('\0') ?? []
    const holder = steps.reduce<unknown>((inner, step) => (inner as Record<string, unknown>)[step], response)
    const expected = JSON.stringify(Object.values(holder as object)[index])
    expect([getElementText(text, list, index), readElementBytes(text, list, index)]).toEqual([expected, expected])
  }
})
