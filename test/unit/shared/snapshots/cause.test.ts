import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../../../../shared/bridge/endpoints/endpoint.ts'
import { findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import type { ChangeKind } from '../../../../shared/snapshots/card-content.ts'
import { CauseFinder, listSentValues, type RecordedWrite } from '../../../../shared/snapshots/cause.ts'

const write = (path: string, facts: Partial<RecordedWrite> = {}): RecordedWrite => ({
  exchangeId: path,
  startedAt: 1,
  endedAt: 2,
  method: 'POST',
  path,
  endpoint: '',
  origin: { kind: 'panel', label: 'Practice' },
  cards: [],
  sets: [],
  requestedValues: {},
  isCertain: true,
  ...facts,
})

const describeCause = (
  writes: readonly RecordedWrite[],
  kinds: readonly ['renamed' | 'removed'],
  above: string[] = [],
) => {
  const { certainty, writes: causes } = new CauseFinder('topic', writes).find({ noteid: 'card', kinds, above })
  return [certainty, ...causes.map(({ path }) => path)].join(' ')
}

describe('CauseFinder', () => {
  test('takes the calls that name the card, the latest first, in either case of the id', () => {
    const writes = [write('/a', { cards: ['CARD'] }), write('/b', { cards: ['card', 'x'] }), write('/c')]
    expect(describeCause(writes, ['renamed'])).toBe('named /b /a')
  })

  test('takes a call about a card above, only for what such a call can do', () => {
    const writes = [write('/delete', { cards: ['parent'] })]
    expect(describeCause(writes, ['removed'], ['parent'])).toBe('parent /delete')
    expect(describeCause(writes, ['renamed'], ['parent'])).toBe('nobody')
  })

  test('leaves out calls that cannot have such an effect, according to the endpoint table', () => {
    const [title, colors, remove] = [
      write('/title', { endpoint: 'notes.title', cards: ['card'] }),
      write('/metadata', { endpoint: 'notes.metadata', cards: ['card', 'parent'] }),
      write('/delete', { endpoint: 'notes.delete', cards: ['parent'] }),
    ]
    expect(describeCause([title, colors], ['renamed'])).toBe('named /title')
    expect(describeCause([colors], ['renamed'])).toBe('nobody')
    expect(describeCause([colors, remove], ['removed'], ['parent'])).toBe('parent /delete')
  })

  test('takes a call for a part only if it sent another value, or cannot have done all of it', () => {
    const rename = write('/title', { endpoint: 'notes.title', cards: ['card'], requestedValues: { title: 'Mine' } })
    const find = (writes: RecordedWrite[], kinds: ChangeKind[], values: Record<string, unknown>) =>
      new CauseFinder('topic', writes).find({ noteid: 'card', kinds, above: [], readChanged: () => values }).certainty
    expect(find([rename], ['renamed'], { title: 'Mine' })).toBe('named')
    expect(find([rename], ['renamed'], { title: 'By hand' })).toBe('partly')
    expect(find([rename], ['renamed', 'tags'], { title: 'Mine' })).toBe('partly')
    expect(find([rename], ['renamed', 'other'], { title: 'Mine' })).toBe('named')
    const second = write('/again', { endpoint: 'notes.title', cards: ['card'], requestedValues: { title: 'By hand' } })
    expect(find([rename, second], ['renamed'], { title: 'By hand' })).toBe('named')
    const move = write('/move', { endpoint: 'notes.move', cards: ['card'], requestedValues: { parent: 'p' } })
    expect(find([move], ['moved'], { parent: 'P' })).toBe('named')
    expect(find([move], ['moved'], { parent: 'another' })).toBe('partly')
    const tags = write('/tags', { endpoint: 'notes.hashtags', cards: ['card'] })
    expect(find([tags], ['text', 'tags', 'parts'], {})).toBe('named')
  })

  test('knows what a call sent, unless it is long', () => {
    const list = (id: string, body: unknown) => listSentValues(findEndpointById(id) as Endpoint, body)
    expect(list('notes.title', { text: 'New' })).toEqual({ title: 'New' })
    expect(list('notes.metadata', { patch: { colorIndex: 3 } })).toEqual({ colorIndex: 3 })
    expect(list('notes.move', { targetParentNoteId: 'P' })).toEqual({ parent: 'P' })
    expect(list('notes.title', { text: 'x'.repeat(1_000) })).toEqual({})
    expect(list('notes.title', null)).toEqual({})
  })

  test('takes a call for its time only if it names no other card or study set and no other call fits', () => {
    expect(describeCause([write('/restore', { sets: ['TOPIC'] })], ['renamed'])).toBe('time /restore')
    expect(describeCause([write('/import')], ['renamed'])).toBe('time /import')
    expect(describeCause([write('/x', { sets: ['another'] })], ['renamed'])).toBe('nobody')
    expect(describeCause([write('/x', { cards: ['another'] })], ['renamed'])).toBe('nobody')
    expect(describeCause([write('/x'), write('/y')], ['renamed'])).toBe('nobody')
  })
})
