import { expect, test } from 'vitest'
import { scanElementRanges, getElementText } from '../../../shared/json/list-elements.ts'
import type { JsonEndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { readResponse, locateSentEntry } from '../../../shared/bridge/response-reading.ts'

/** The same element by its bytes. */
function bytesOf(text: string, list: string | null, at: number): string | null {
  const bytes = new TextEncoder().encode(text)
  const steps = scanElementRanges(bytes, list)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  const [start, end] = [step.value[at * 2], step.value[at * 2 + 1]]
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
])('an entry of %s is found where it was sent', (_what, id, sent, member, places) => {
  const { lists, value } = readResponse(id, sent)
  const entries = (value as Record<string, unknown[]> | undefined)?.[member] ?? []
  expect(entries).toHaveLength(places.length)
  const found = places.map((_, at) => locateSentEntry(lists, member, at))
  expect(found.map((place) => [place.member, place.index])).toEqual(places)
  const text = JSON.stringify(sent)
  for (const { member: list, index: at } of found) {
    const steps = list?.split('\0') ?? []
    const holder = steps.reduce<unknown>((inner, step) => (inner as Record<string, unknown>)[step], sent)
    const one = JSON.stringify((holder as unknown[])[at])
    expect([getElementText(text, list, at), bytesOf(text, list, at)]).toEqual([one, one])
  }
})
