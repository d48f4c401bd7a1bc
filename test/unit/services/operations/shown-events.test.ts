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
const kept = (...looks: readonly OperationEvent[]): OperationEvent[] => {
  const events: OperationEvent[] = [intent, sentEvent, ack]
  for (const look of looks) events.push(mergeRepeatedObservation(look, events))
  return events
}

describe('what a host repeats', () => {
  test('is kept once, with the time of every check', () => {
    const events = kept(pending, { ...pending, at: 40 } as OperationEvent, pending)
    expect(events.slice(3)).toMatchObject([
      { body: { note: 'same' } },
      { at: 40, body: null, asBefore: true },
      { body: null, asBefore: true },
    ])
    expect(deriveOperation(PENCIL, events).state).toBe('pending')
  })

  test('is kept again after something else was observed: it then leads to another state', () => {
    const events = kept(pending, recordGone, pending)
    expect(events.at(-1)).toEqual(pending)
    expect(deriveOperation(PENCIL, events).state).toBe('pending')
    expect(kept(pending, pollResult({ settled: false }), pending).at(-1)).toEqual(pending)
  })

  test('is only what is the same in status, source and meaning', () => {
    expect(kept(observeSession(true), observeSession(false)).at(-1)).toEqual(observeSession(false))
    expect(
      kept(pending, pollResult(pending.kind === 'observation' ? pending.body : null, 203)).at(-1),
    ).not.toHaveProperty('asBefore')
  })
})

describe('what a page gets of a record', () => {
  const long = (n: number): OperationEvent => pollResult({ n, text: 'x'.repeat(150_000) })

  test('is bounded in characters, whatever a host has said; small bodies stay whole', () => {
    const all = [
      intent,
      sentEvent,
      ack,
      ...Array.from({ length: 60 }, (_, n) => long(n)),
      pollResult({ settled: true }),
    ]
    const { events } = selectShownEvents(all, [])
    expect(JSON.stringify(events).length).toBeLessThan(4_300_000)
    expect(events).toHaveLength(all.length)
    expect(events.at(3)).toEqual(long(0))
    expect(events.at(62)).toMatchObject({ cut: true })
    expect(events.at(-1)).toEqual(pollResult({ settled: true }))
  })

  test('includes the body that later checks repeat, even if it is in the omitted part', () => {
    const again = { ...pollResult(null), asBefore: true } as OperationEvent
    const repeat = (times: number): OperationEvent[] => Array.from({ length: times }, () => again)
    const all = [
      intent,
      sentEvent,
      ack,
      pollResult({ state: 'A' }),
      ...repeat(150),
      pollResult({ state: 'B' }),
      ...repeat(600),
    ]
    const { events } = selectShownEvents(all, deriveOperation(PENCIL, all).transitions)
    const bodies = events.flatMap((one) => (one.kind === 'observation' && one.asBefore !== true ? [one.body] : []))
    expect(bodies).toEqual([{ state: 'A' }, { state: 'B' }])
  })

  test('is the first events, the last ones and those that led to another state', () => {
    const all = [intent, sentEvent, ack, ...Array.from({ length: 300 }, (_, n) => pollResult({ n })), recordGone]
    all.push(...Array.from({ length: 700 }, (_, n) => pollResult({ n, later: true })))
    const { transitions } = deriveOperation(PENCIL, all)
    const shown = selectShownEvents(all, transitions)
    expect(shown.events.length + shown.dropped).toBe(all.length)
    expect(shown.events.length).toBeLessThanOrEqual(603)
    for (const [at, { event }] of shown.transitions.entries()) {
      expect(shown.events[event]).toBe(all[transitions[at]?.event ?? -1])
    }
  })
})
