import { describe, expect, test } from 'vitest'
import {
  findRaces,
  isInSpan,
  listTimelineEvents,
  type TimelineCall,
} from '../../../../renderer/model/panel/timeline.ts'
import type { CallFrame } from '../../../../shared/panel/call-initiator.ts'
import { createPanelNote } from '../../../support/vue/panel-state.ts'

const frame: CallFrame = {
  ...{ functionName: 'show', file: '/main.js', line: 3, column: 5 },
  ...{ isAsync: false, original: null, isLibrary: false },
}

interface CallOptions extends Partial<Omit<TimelineCall, 'summary'>> {
  readonly pageId?: string
  readonly frame?: CallFrame
  readonly decision?: 'passed' | 'override'
}

function createCall(exchangeId: string, startedAt: number, durationMs: number | null, options: CallOptions = {}) {
  const { pageId = null, frame: callFrame = null, decision = 'passed', ...changed } = options
  const duration = durationMs === null ? {} : { durationMs }
  const summary = {
    exchangeId,
    at: startedAt,
    ...duration,
    via: 'host.api' as const,
    pageId,
    frame: callFrame,
    loader: null,
  }
  return {
    ...{ exchangeId, method: 'GET', template: '/notes/{id}', isWrite: false, startedAt, durationMs },
    summary: { ...summary, decision, onlyOutside: false },
    ...changed,
  }
}
const findRacesOf = (...calls: TimelineCall[]) => Object.fromEntries(findRaces(listTimelineEvents(calls, [], 0)))

test('events are in lanes by their kind, in the order of time', () => {
  const events = listTimelineEvents(
    [
      createCall('late', 300, 20),
      createCall('write', 200, 5, { isWrite: true }),
      createCall('override', 100, 5, { decision: 'override', isWrite: true }),
      createCall('waiting', 50, null),
    ],
    [
      createPanelNote({ seq: 1, at: 10, kind: 'load' }),
      createPanelNote({ seq: 2, at: 20, kind: 'click' }),
      createPanelNote({ seq: 3, at: 30, kind: 'console' }),
      createPanelNote({ seq: 4, at: 40, kind: 'console', level: 'error' }),
      createPanelNote({ seq: 5, at: 45, kind: 'refused' }),
    ],
    1_000,
  )
  expect(events.map(({ lane, start, end }) => [lane, start, end])).toEqual([
    ['click', 20, 20],
    ['console', 30, 30],
    ['error', 40, 40],
    ['error', 45, 45],
    ['call', 50, 1_000],
    ['override', 100, 105],
    ['write', 200, 205],
    ['call', 300, 320],
  ])
  expect(events.filter(({ start }) => isInSpan(start, { from: 40, to: 200 }))).toHaveLength(5)
  expect(events.filter(({ start }) => isInSpan(start, null))).toHaveLength(8)
})

describe('race', () => {
  test('is a call that was made before another of its route and got its response after it', () => {
    const slow = createCall('slow', 100, 50)
    expect(findRacesOf(slow, createCall('fast', 110, 10))).toEqual({ slow: ['fast'] })
    expect(findRacesOf(slow, createCall('later', 110, 90), createCall('after', 151, 60))).toEqual({})
    expect(findRacesOf(slow, createCall('other', 110, 10, { template: '/ui-state' }))).toEqual({})
    expect(findRacesOf(slow, createCall('waiting', 110, null))).toEqual({})
  })

  test('is also one between two routes that the same line requests', () => {
    const slow = createCall('slow', 100, 50, { frame })
    const fast = createCall('fast', 110, 10, { frame, template: '/ui-state' })
    expect(findRacesOf(slow, fast)).toEqual({ slow: ['fast'] })
    const otherLine = { ...frame, line: 4 }
    expect(findRacesOf(slow, createCall('other', 110, 10, { frame: otherLine, template: '/ui-state' }))).toEqual({})
  })

  test('follows the order in which the page made the calls, where the clock shows the same time', () => {
    const slow = createCall('slow', 100, 50, { pageId: '0123456789ab-9' })
    const fast = createCall('fast', 100, 10, { pageId: '0123456789ab-10' })
    expect(findRacesOf(fast, slow)).toEqual({ slow: ['fast'] })
    const first = createCall('first', 100, 10, { pageId: '0123456789ab-8' })
    expect(findRacesOf(first, slow)).toEqual({})
  })
})
