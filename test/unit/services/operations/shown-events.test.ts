import { describe, expect, test } from 'vitest'
import { deriveOperation } from '../../../../electron/services/operations/outcome/derived-operation.ts'
import type { OperationEvent } from '../../../../shared/operations/operation-events.ts'
import { mergeRepeatedObservation, selectShownEvents } from '../../../../electron/services/operations/records/events.ts'
import {
  ack,
  recordGone,
  intent,
  PENCIL,
  pollResult,
  sentEvent,
  observeSession,
} from '../../../support/services/operation-events.ts'

const pending = pollResult({ settled: false, note: 'same' })
const mergeEvents = (...polls: readonly OperationEvent[]): OperationEvent[] => {
  const events: OperationEvent[] = [intent, sentEvent, ack]
  for (const poll of polls) events.push(mergeRepeatedObservation(poll, events))
  return events
}

describe('repeated observation', () => {
  test('is stored once, with the time of every check', () => {
    const events = mergeEvents(pending, { ...pending, at: 40 } as OperationEvent, pending)
    expect(events.slice(3)).toMatchObject([
      { body: { note: 'same' } },
      { at: 40, body: null, asBefore: true },
      { body: null, asBefore: true },
    ])
    expect(deriveOperation(PENCIL, events).state).toBe('pending')
  })

  test('is stored again after another observation, because it then leads to another state', () => {
    const events = mergeEvents(pending, recordGone, pending)
    expect(events.at(-1)).toEqual(pending)
    expect(deriveOperation(PENCIL, events).state).toBe('pending')
    expect(mergeEvents(pending, pollResult({ settled: false }), pending).at(-1)).toEqual(pending)
  })

  test('must be the same in status, source and meaning', () => {
    expect(mergeEvents(observeSession(true), observeSession(false)).at(-1)).toEqual(observeSession(false))
    expect(
      mergeEvents(pending, pollResult(pending.kind === 'observation' ? pending.body : null, 203)).at(-1),
    ).not.toHaveProperty('asBefore')
  })
})

describe('events of a record for a page', () => {
  const createLongEvent = (n: number): OperationEvent => pollResult({ n, text: 'x'.repeat(150_000) })

  test('are limited in characters, and small bodies stay complete', () => {
    const all = [
      intent,
      sentEvent,
      ack,
      ...Array.from({ length: 60 }, (_, n) => createLongEvent(n)),
      pollResult({ settled: true }),
    ]
    const { events } = selectShownEvents(all, [])
    expect(JSON.stringify(events).length).toBeLessThan(4_300_000)
    expect(events).toHaveLength(all.length)
    expect(events.at(3)).toEqual(createLongEvent(0))
    expect(events.at(62)).toMatchObject({ cut: true })
    expect(events.at(-1)).toEqual(pollResult({ settled: true }))
  })

  test('include a body that later checks repeat, even if it is in the omitted part', () => {
    const repeated = { ...pollResult(null), asBefore: true } as OperationEvent
    const createRepeats = (times: number): OperationEvent[] => Array.from({ length: times }, () => repeated)
    const all = [
      intent,
      sentEvent,
      ack,
      pollResult({ state: 'A' }),
      ...createRepeats(150),
      pollResult({ state: 'B' }),
      ...createRepeats(600),
    ]
    const { events } = selectShownEvents(all, deriveOperation(PENCIL, all).transitions)
    const bodies = events.flatMap((event) =>
      event.kind === 'observation' && event.asBefore !== true ? [event.body] : [],
    )
    expect(bodies).toEqual([{ state: 'A' }, { state: 'B' }])
  })

  test('are the first, the last, and those that led to another state', () => {
    const all = [intent, sentEvent, ack, ...Array.from({ length: 300 }, (_, n) => pollResult({ n })), recordGone]
    all.push(...Array.from({ length: 700 }, (_, n) => pollResult({ n, later: true })))
    const { transitions } = deriveOperation(PENCIL, all)
    const selected = selectShownEvents(all, transitions)
    expect(selected.events.length + selected.dropped).toBe(all.length)
    expect(selected.events.length).toBeLessThanOrEqual(603)
    for (const [index, { event }] of selected.transitions.entries()) {
      expect(selected.events[event]).toBe(all[transitions[index]?.event ?? -1])
    }
  })
})
