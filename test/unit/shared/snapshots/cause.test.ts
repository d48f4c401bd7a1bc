import { describe, expect, test } from 'vitest'
import { CauseFinder, type RecordedWrite } from '../../../../shared/snapshots/cause.ts'

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

  test('takes a call for its time only if it names no other card or study set and no other call fits', () => {
    expect(describeCause([write('/restore', { sets: ['TOPIC'] })], ['renamed'])).toBe('time /restore')
    expect(describeCause([write('/import')], ['renamed'])).toBe('time /import')
    expect(describeCause([write('/x', { sets: ['another'] })], ['renamed'])).toBe('nobody')
    expect(describeCause([write('/x', { cards: ['another'] })], ['renamed'])).toBe('nobody')
    expect(describeCause([write('/x'), write('/y')], ['renamed'])).toBe('nobody')
  })
})
