import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readResponse } from '../../../../../shared/bridge/response-reading.ts'
import { hitKinds } from '../../../../../shared/bridge/resources/search.ts'
import {
  parseSearchHits,
  getSearchHitPath,
  type SearchHit,
} from '../../../../../renderer/model/responses/search-hits.ts'

const read = (response: unknown): readonly SearchHit[] =>
  parseSearchHits(readResponse('search.get', response).value?.hits ?? [])

const kinds = (...hits: unknown[]) => read({ hits }).map(({ kind }) => kind)

describe('search hits', () => {
  test('have the kind that they name, or the kind of their ids', () => {
    expect(
      kinds({ kind: 'note', noteid: 'N' }, { kind: 'studysets', topicid: 'T' }, { type: 'Study-Set', topicid: 'T' }),
    ).toEqual(['note', 'studySet', 'studySet'])
    expect(
      kinds({ noteid: 'N', topicid: 'T' }, { bookmd5: 'B', topicid: 'T' }, { topicid: 'T' }, { deckId: 'D' }, { x: 1 }),
    ).toEqual(['note', 'document', 'studySet', 'deck', 'other'])
  })

  test('link to the place that shows them', () => {
    const to = (hit: unknown) => getSearchHitPath(read({ hits: [hit] })[0] ?? never())
    expect(to({ noteid: 'A/B', topicid: 'T' })).toBe('/notes/A%2FB?topicid=T')
    expect(to({ topicid: 'T' })).toBe('/study-sets/T/tree')
    expect(to({ bookmd5: 'B' })).toBe('/documents/B/pages')
    expect(to({ kind: 'note' })).toBeNull()
  })

  test('have a kind and an index in the list, whatever the host sends', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const hit of read(value)) {
          expect(hitKinds).toContain(hit.kind)
          expect(hit.position).toBeGreaterThanOrEqual(0)
          expect(getSearchHitPath(hit) ?? '/').toMatch(/^\//)
        }
      }),
    )
  })
})

function never(): never {
  throw new Error('no hit')
}
