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

const describeCause = (writes: readonly RecordedWrite[], kinds: readonly ChangeKind[], above: string[] = []) => {
  const finder = new CauseFinder('topic', writes)
  const { certainty, writes: causes, unexplained } = finder.find({ noteid: 'card', kinds, above })
  const rest = unexplained.length > 0 && causes.length > 0 ? [`but not ${unexplained.join()}`] : []
  return [certainty, ...causes.map(({ path }) => path), ...rest].join(' ')
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

  test('explains only those kinds of a change that the calls can make', () => {
    const title = write('/title', { endpoint: 'notes.title', cards: ['card'] })
    const remove = write('/delete', { endpoint: 'notes.delete', cards: ['parent'] })
    expect(describeCause([title], ['recoloured', 'renamed'])).toBe('partly /title but not recoloured')
    expect(describeCause([title, remove], ['moved', 'renamed'], ['parent'])).toBe('named /title /delete')
    expect(describeCause([title, write('/import')], ['moved', 'renamed'])).toBe('partly /title but not moved')
  })

  test('a call that puts cards elsewhere changes nothing else of them, and moves no card that it does not name', () => {
    const move = write('/move', { endpoint: 'notes.move', cards: ['card', 'target'] })
    const moveOther = write('/move', { endpoint: 'notes.move', cards: ['other', 'target'] })
    expect(describeCause([move], ['moved'])).toBe('named /move')
    expect(describeCause([move], ['renamed'])).toBe('nobody')
    expect(describeCause([moveOther], ['moved'], ['target'])).toBe('nobody')
  })

  test('a card is in another sub-map because of a call about a card above it', () => {
    const fold = write('/fold', { endpoint: 'notes.foldIntoSubMap', cards: ['top'] })
    const move = write('/move', { endpoint: 'notes.move', cards: ['top', 'target'] })
    expect(describeCause([fold], ['subMap'], ['parent', 'top'])).toBe('parent /fold')
    expect(describeCause([move], ['subMap'], ['parent', 'top'])).toBe('parent /move')
    expect(describeCause([fold], ['renamed'], ['parent', 'top'])).toBe('nobody')
  })

  test('takes calls for their time only if they name no other card or study set', () => {
    expect(describeCause([write('/restore', { sets: ['TOPIC'] })], ['renamed'])).toBe('time /restore')
    expect(describeCause([write('/import')], ['renamed'])).toBe('time /import')
    expect(describeCause([write('/x', { sets: ['another'] })], ['renamed'])).toBe('nobody')
    expect(describeCause([write('/x', { cards: ['another'] })], ['renamed'])).toBe('nobody')
    expect(describeCause([write('/x'), write('/y')], ['renamed'])).toBe('time /y /x')
  })
})
