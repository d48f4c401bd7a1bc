import { describe, expect, test } from 'vitest'
import {
  findCrossedCalls,
  isInSpan,
  listTimelineEvents,
  type TimelineCall,
} from '../../../../renderer/model/panel/timeline.ts'
import type { CallFrame } from '../../../../shared/traffic/call-initiator.ts'
import { createPanelNote } from '../../../support/vue/panel-state.ts'

const frame: CallFrame = {
  ...{ functionName: 'show', file: '/main.js', line: 3, column: 5 },
  ...{ isAsync: false, original: null, isLibrary: false, isWrapper: false },
}

interface CallOptions extends Partial<Omit<TimelineCall, 'summary'>> {
  readonly pageId?: string
  readonly frame?: CallFrame
  readonly decision?: 'passed' | 'override'
  readonly via?: 'host.api' | 'element'
}

function createCall(exchangeId: string, startedAt: number, durationMs: number | null, options: CallOptions = {}) {
  const { pageId = null, frame: callFrame = null, decision = 'passed', via = 'host.api', ...changed } = options
  const duration = durationMs === null ? {} : { durationMs }
  const summary = {
    exchangeId,
    at: startedAt,
    ...duration,
    via,
    pageId,
    frame: callFrame,
    loader: null,
  }
  return {
    ...{
      exchangeId,
      method: 'GET',
      path: `/notes/${exchangeId}`,
      template: '/notes/{id}',
      isWrite: false,
      startedAt,
      durationMs,
      host: 'http://127.0.0.1:1',
      outcome: { state: 'answered', status: 200, errorCode: null } as const,
    },
    summary: { ...summary, decision, onlyOutside: false },
    ...changed,
  }
}
const findCrossed = (...calls: TimelineCall[]) => findCrossedAfterClicks([], calls)
const findCrossedAfterClicks = (clickTimes: readonly number[], calls: readonly TimelineCall[]) => {
  const clicks = clickTimes.map((time, index) => createPanelNote({ seq: index + 1, at: time, kind: 'click' }))
  return Object.fromEntries(findCrossedCalls(listTimelineEvents(calls, clicks, 1_000)))
}

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

describe('a call that crossed another', () => {
  test('is one that was made before another of its route and got its response after it', () => {
    const slow = createCall('slow', 100, 50)
    expect(findCrossed(slow, createCall('fast', 110, 10))).toEqual({ slow: ['fast'] })
    expect(findCrossed(slow, createCall('later', 110, 90), createCall('after', 151, 60))).toEqual({})
    expect(findCrossed(slow, createCall('other', 110, 10, { template: '/ui-state' }))).toEqual({})
    expect(findCrossed(slow, createCall('waiting', 110, null))).toEqual({})
  })

  test('is none between routes that one wrapper requests', () => {
    const slow = createCall('slow', 100, 50, { frame })
    expect(findCrossed(slow, createCall('fast', 110, 10, { frame, template: '/ui-state' }))).toEqual({})
  })

  test('is none between elements', () => {
    const slow = createCall('slow', 100, 50, { via: 'element' })
    expect(findCrossed(slow, createCall('fast', 110, 10, { via: 'element' }))).toEqual({})
  })

  test('is none in a batch of more than two, unless the calls ask for the same', () => {
    const first = createCall('first', 100, 60)
    const second = createCall('second', 101, 50)
    const third = createCall('third', 102, 10)
    expect(findCrossed(first, second, third)).toEqual({})
    expect(findCrossed(first, second, createCall('waiting', 90, null))).toEqual({})
    expect(findCrossed(first, second, { ...third, path: first.path })).toEqual({ first: ['third'] })
    const posts = [first, second, third].map((call) => ({ ...call, method: 'POST', path: '/notes/batch-get' }))
    expect(findCrossed(...posts)).toEqual({})
  })

  test('is one among several that the page made one after the other for the same resource', () => {
    const createSearch = (text: string, startedAt: number, durationMs: number) =>
      createCall(text, startedAt, durationMs, { path: `/notes/search?text=${text}`, template: '/notes/search' })
    const typed = [createSearch('a', 100, 500), createSearch('ab', 200, 300), createSearch('abc', 300, 100)]
    expect(findCrossed(...typed)).toEqual({ a: ['ab', 'abc'], ab: ['abc'] })
    const posts = typed.map((call) => ({ ...call, method: 'POST' }))
    expect(findCrossed(...posts)).toEqual({})
    const orderedCalls = [createSearch('a', 100, 300), createSearch('ab', 200, 300), createSearch('abc', 300, 300)]
    expect(findCrossed(...orderedCalls)).toEqual({})
  })

  test('is one among several that the user caused with a click each', () => {
    const sets = [createCall('A', 105, 500), createCall('B', 205, 400), createCall('C', 305, 100)]
    expect(findCrossed(...sets)).toEqual({})
    expect(findCrossedAfterClicks([100, 200, 300], sets)).toEqual({ A: ['C'], B: ['C'] })
  })

  test('is none where pages of one listing load in parallel, six at a time', () => {
    const endTimes: number[] = []
    const pages = Array.from({ length: 40 }, (_, index) => {
      // The first six begin at once, each other one when a response has arrived.
      const startedAt = index < 6 ? 100 + index : (endTimes.sort((a, b) => a - b)[index - 6] ?? 0) + 2
      const durationMs = 40 + ((index * 37) % 150)
      endTimes.push(startedAt + durationMs)
      return createCall(`page-${index}`, startedAt, durationMs, {
        path: `/study-sets/T/tree?page=${index}`,
        template: '/study-sets/{id}/tree',
      })
    })
    expect(findCrossedAfterClicks([90], pages)).toEqual({})
  })

  test('follows the order in which the page made the calls, where the clock shows the same time', () => {
    const slow = createCall('slow', 100, 50, { pageId: '0123456789ab-9' })
    const fast = createCall('fast', 100, 10, { pageId: '0123456789ab-10' })
    expect(findCrossed(fast, slow)).toEqual({ slow: ['fast'] })
    const first = createCall('first', 100, 10, { pageId: '0123456789ab-8' })
    expect(findCrossed(first, slow)).toEqual({})
  })
})
