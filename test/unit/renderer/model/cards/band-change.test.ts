import { describe, expect, test } from 'vitest'
import {
  addsBands,
  compareBands,
  findBandChange,
  findCardOfNewBand,
} from '../../../../../renderer/model/cards/band-change.ts'
import { parseBandList, type BandView } from '../../../../../renderer/model/cards/bands.ts'
import type { OperationEvent } from '../../../../../shared/operations/operation-events.ts'
import { createOperation } from '../../../../support/vue/operations.ts'

const band = (physicalNoteId: string, seq: number, height = 240) => ({ physicalNoteId, seq, height })
const readBack = (when: 'before' | 'after', timestamp: number, facts: unknown): OperationEvent => ({
  kind: 'read-back',
  at: timestamp,
  when,
  facts,
  error: null,
  instanceNonce: null,
})
const respond = (body: unknown, status = 200): OperationEvent => ({
  kind: 'answer',
  at: 20,
  status,
  body,
  cut: false,
  durationMs: 1,
  exchangeId: 'e',
  instanceNonce: null,
})
const ids = (bands: readonly BandView[] | null | undefined) => bands?.map(({ physicalNoteId }) => physicalNoteId)
const appended = (events: readonly OperationEvent[], state: 'persisted' | 'refused' | 'sent' = 'persisted') =>
  findBandChange(
    createOperation(
      { endpoint: 'notes.blankBands', state },
      { body: '{"role":"practice","height":90}', events: [...events] },
    ),
  )

describe('the bands after a write that appends one', () => {
  const before = readBack('before', 10, { exists: true, bands: [band('A', 0)] })

  test('are those of the independent read, if there was one', () => {
    const after = readBack('after', 30, { exists: true, bands: [band('A', 0), band('B', 1)] })
    const change = appended([before, respond({ band: band('X', 9) }), after])
    expect(change?.before).toMatchObject({ source: 'read', timestamp: 10 })
    expect([change?.after.source, change?.after.timestamp, ids(change?.after.bands)]).toEqual(['read', 30, ['A', 'B']])
  })

  test.each([
    ['a list', { bands: [band('A', 0), band('B', 1)], band: band('B', 1) }],
    ['only the new one', { band: band('B', 1) }],
  ])('are those of the response with %s', (_case, body) => {
    const change = appended([before, respond(body)])
    expect([change?.after.source, ids(change?.after.bands)]).toEqual(['response', ['A', 'B']])
  })

  test('are those of the response if the read lists none', () => {
    const after = readBack('after', 30, { exists: true, bands: [] })
    const change = appended([before, respond({ bands: [band('A', 0), band('B', 1)] }), after])
    expect([change?.after.source, ids(change?.after.bands)]).toEqual(['response', ['A', 'B']])
    expect(appended([before, respond({}), after])?.after).toMatchObject({ source: 'read', bands: [] })
  })

  test.each([
    ['there is no response yet', []],
    ['the response is an error', [respond({ error: { code: 'X' } }, 409)]],
    ['the response names no band', [respond({ persisted: true })]],
  ])('are only what the request asks for if %s', (_case, events) => {
    const change = appended([before, ...events], 'sent')
    expect(change?.after).toMatchObject({ source: 'request', timestamp: null })
    expect(change?.after.bands?.at(-1)).toMatchObject({
      role: 'practice',
      height: 90,
      hasInk: null,
      physicalNoteId: null,
    })
  })

  test('are not drawn for a refused write', () => expect(appended([before, respond({}, 409)], 'refused')).toBeNull())

  test('say nothing about bands that were not read', () => {
    expect(appended([readBack('before', 10, { digest: 'd' })])?.before).toBeNull()
    expect(appended([readBack('before', 10, { exists: true })])?.before).toMatchObject({ bands: null })
  })
})

test('another write is drawn only if it changed the bands', () => {
  const write = (before: unknown, after: unknown) =>
    findBandChange(
      createOperation(
        { endpoint: 'notes.deleteComment' },
        {
          events: [
            readBack('before', 1, { exists: true, ...Object(before) }),
            readBack('after', 2, { exists: true, ...Object(after) }),
          ],
        },
      ),
    )
  expect(write({ bands: [band('A', 0)] }, { bands: [band('A', 0)] })).toBeNull()
  expect(write({ title: 'a' }, { title: 'b' })).toBeNull()
  expect(ids(write({ bands: [band('A', 0), band('B', 1)] }, { bands: [band('B', 1)] })?.after.bands)).toEqual(['B'])
})

test('bands are matched by id, and those that are new, gone, moved or changed are told apart', () => {
  const list = (...bands: unknown[]) => parseBandList(bands) ?? []
  const left = list(band('A', 0), band('B', 1), band('C', 2))
  const right = list(band('A', 0, 300), band('C', 1), band('D', 3))
  const { before, after } = compareBands(left, right)
  expect(Object.fromEntries(before)).toEqual({ 1: 'removed' })
  expect(Object.fromEntries(after)).toEqual({ 0: 'changed', 1: 'changed', 2: 'added' })
  const unnumbered = (...names: string[]) => list(...names.map((physicalNoteId) => ({ physicalNoteId })))
  expect(Object.fromEntries(compareBands(unnumbered('A', 'B'), unnumbered('B', 'A')).after)).toEqual({
    0: 'moved',
    1: 'moved',
  })
})

test('a prepared write names the card to which it adds a band', () => {
  expect(addsBands('notes.title')).toBe(false)
  expect(findCardOfNewBand({ endpoint: 'notes.title', path: '/notes/N/title' })).toBeNull()
  expect(findCardOfNewBand({ endpoint: 'notes.blankBands', path: '/notes/N%201/blank-bands?x=1' })).toBe('N 1')
})
