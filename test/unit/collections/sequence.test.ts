import { describe, expect, test } from 'vitest'
import {
  runSequence,
  captureVariables,
  type FilledRequest,
  type SequencePorts,
  type StepResponse,
  type SequenceStep,
} from '../../../shared/collections/request-sequence.ts'
import { evaluateAssertions } from '../../../shared/collections/assertion-result.ts'
import { isJsonPointer } from '../../../shared/json/pointer.ts'
import type { SavedRequest } from '../../../shared/collections/saved-request.ts'

const get = (name: string, path: string, takes?: SavedRequest['takes']): SavedRequest => ({
  name,
  method: 'GET',
  path,
  body: null,
  ...(takes ? { takes } : {}),
})
const createResponse = (body: string, status = 200): StepResponse => ({
  seq: 7,
  operationId: null,
  status,
  readBody: async () => body,
})

/** A host of fixed answers by path, and what it was sent. */
function host(responses: Readonly<Record<string, StepResponse>>, review: StepResponse | null = null) {
  const sentRequests: FilledRequest[] = []
  const reviewed: FilledRequest[] = []
  const outside: SequencePorts = {
    isRead: ({ method }) => method === 'GET',
    async send(request) {
      sentRequests.push(request)
      const response = responses[request.path]
      if (!response) throw new Error('no answer')
      return response
    },
    async review(request) {
      reviewed.push(request)
      return review
    },
    checkAssertions: async ({ assertions }, values, response) =>
      evaluateAssertions(assertions, values, {
        status: response.status,
        durationMs: 1,
        endpointId: null,
        body: new TextEncoder().encode((await response.readBody()) ?? ''),
      }),
    describeError: (thrown) => (thrown instanceof Error ? thrown.message : ''),
  }
  return { outside, sentRequests, reviewed }
}
const run = (
  requests: SavedRequest[],
  outside: SequencePorts,
  variables = {},
  onSteps: (steps: readonly SequenceStep[]) => void = () => {},
) => runSequence(requests, variables, outside, onSteps, new AbortController().signal)
const runToEnd = (requests: SavedRequest[], outside: SequencePorts, variables = {}) =>
  runSequence(requests, variables, outside, () => {}, new AbortController().signal, true)
const states = (steps: readonly SequenceStep[]) => steps.map(({ state }) => state)

describe('a request sequence', () => {
  const sets = get('Sets', '/library/study-sets', [{ variable: 'topicid', pointer: '/studySets/0/topicid' }])
  const tree = get('Tree', '/study-sets/{{topicid}}/tree?limit={{limit}}')

  test('goes on with reads after a failure, but with no value and no write that may rest on it', async () => {
    const write: SavedRequest = { ...get('Write', '/notes/n/title'), method: 'POST' }
    const { outside, sentRequests, reviewed } = host({ '/status': createResponse('{}') })
    const steps = await runToEnd([sets, tree, write, get('Status', '/status')], outside, { limit: '5', topicid: 'old' })
    expect(states(steps)).toEqual(['failed', 'skipped', 'skipped', 'done'])
    expect(steps[1]?.problem).toEqual({ code: 'missing', names: 'topicid' })
    expect(sentRequests.map(({ path }) => path)).toEqual(['/library/study-sets', '/status'])
    expect(reviewed).toEqual([])
  })

  test('passes values of earlier responses to later requests', async () => {
    const { outside, sentRequests } = host({
      '/library/study-sets': createResponse('{"studySets": [{"topicid": "S/1"}]}'),
      '/study-sets/S%2F1/tree?limit=5': createResponse('{}'),
    })
    const stateLists: string[][] = []
    const steps = await run([sets, tree], outside, { limit: '5', topicid: 'old' }, (now) =>
      stateLists.push(states(now)),
    )
    expect(sentRequests.map(({ path }) => path)).toEqual(['/library/study-sets', '/study-sets/S%2F1/tree?limit=5'])
    expect(steps.map(({ state, seq, status, captured: took }) => ({ state, seq, status, took }))).toEqual([
      { state: 'done', seq: 7, status: 200, took: { topicid: 'S/1' } },
      { state: 'done', seq: 7, status: 200, took: {} },
    ])
    expect(stateLists).toContainEqual(['running', 'waiting'])
    expect(stateLists).toContainEqual(['done', 'running'])
  })

  test.each<[string, StepResponse | undefined, SequenceStep['problem']]>([
    ['another status', createResponse('{"error":{}}', 404), { code: 'status', status: 404 }],
    ['no answer', undefined, { code: 'error', message: 'no answer' }],
    ['nothing at the pointer', createResponse('{"studySets": []}'), { code: 'take', names: '/studySets/0/topicid' }],
    ['something else than JSON', createResponse('<p>'), { code: 'not-json' }],
  ])('stops at the first failure: %s', async (_, first, problem) => {
    const { outside, sentRequests } = host(first ? { '/library/study-sets': first } : {})
    const steps = await run([sets, tree, tree], outside)
    expect(states(steps)).toEqual(['failed', 'skipped', 'skipped'])
    expect(steps[0]?.problem).toEqual(problem)
    expect(sentRequests).toHaveLength(1)
  })

  test('stops before a request whose variables have no value', async () => {
    const { outside, sentRequests } = host({})
    const steps = await run([tree], outside, { topicid: 'x' })
    expect(steps[0]?.problem).toEqual({ code: 'missing', names: 'limit' })
    expect(sentRequests).toEqual([])
  })

  const write: SavedRequest = { name: 'W', method: 'POST', path: '/notes/{{n}}', body: '{"title": "{{n}}"}' }

  test('never sends a write itself, but waits for its review and stops if it is not sent there', async () => {
    const { outside, sentRequests, reviewed } = host({ '/status': createResponse('{}') })
    const stateLists: string[][] = []
    const steps = await run([write, get('Status', '/status')], outside, { n: 'N"1' }, (now) =>
      stateLists.push(states(now)),
    )
    expect(reviewed).toEqual([{ method: 'POST', path: '/notes/N%221', body: '{"title": "N\\"1"}' }])
    expect(stateLists).toContainEqual(['asking', 'waiting'])
    expect(states(steps)).toEqual(['failed', 'skipped'])
    expect(steps[0]?.problem).toEqual({ code: 'not-sent' })
    expect(sentRequests).toEqual([])
  })

  test('continues after a write that was sent, with its response', async () => {
    const done: StepResponse = { seq: null, operationId: 'op1', status: 200, readBody: async () => '{"id": "new"}' }
    const { outside, sentRequests } = host({ '/notes/new': createResponse('{}') }, done)
    const takes = [{ variable: 'id', pointer: '/id' }]
    const steps = await run([{ ...write, takes }, get('It', '/notes/{{id}}')], outside, { n: '1' })
    expect(states(steps)).toEqual(['done', 'done'])
    expect(steps[0]?.operationId).toBe('op1')
    expect(sentRequests).toHaveLength(1)
  })
})

describe('a request sequence with assertions', () => {
  const asserted = (assertions: SavedRequest['assertions']): SavedRequest => ({ ...get('S', '/s'), assertions })

  test.each<[string, SavedRequest['assertions'], StepResponse, SequenceStep['state'], SequenceStep['problem']]>([
    ['passes', [{ kind: 'equals', pointer: '/a', value: '{{v}}' }], createResponse('{"a": "x"}'), 'done', null],
    [
      'stops at one that fails',
      [
        { kind: 'status', equals: 200 },
        { kind: 'exists', pointer: '/b' },
      ],
      createResponse('{}'),
      'failed',
      { code: 'assertions', count: 1 },
    ],
    [
      'stops at an invalid one',
      [{ kind: 'nonsense' }],
      createResponse('{}'),
      'failed',
      { code: 'assertions', count: 1 },
    ],
    ['accepts an expected error status', [{ kind: 'status', equals: 404 }], createResponse('{}', 404), 'done', null],
    [
      'stops at an unexpected error status',
      [{ kind: 'type', pointer: '', type: 'object' }],
      createResponse('{}', 500),
      'failed',
      { code: 'status', status: 500 },
    ],
  ])('%s', async (_, assertions, response, state, problem) => {
    const { outside } = host({ '/s': response })
    const [step] = await run([asserted(assertions)], outside, { v: 'x' })
    expect([step?.state, step?.problem]).toEqual([state, problem])
    expect(step?.assertions).toHaveLength((assertions as unknown[]).length)
  })
})

describe('captured variables', () => {
  const text = '{"a/b": {"~": [1.50, 12345678901234567890, true, null, "\\u5361", {"x": [1 ]}]}}'
  const take = (pointer: string) => {
    const captured = captureVariables(text, [{ variable: 'v', pointer }])
    return 'captured' in captured ? captured.captured['v'] : captured.problem
  }

  test('are strings as plain text, and anything else exactly as sent', () => {
    expect([0, 1, 2, 3, 4, 5].map((index) => take(`/a~1b/~0/${index}`))).toEqual([
      '1.50',
      '12345678901234567890',
      'true',
      'null',
      '卡',
      '{"x": [1 ]}',
    ])
    expect(take('')).toBe(text)
  })

  test('fail for a missing value or an invalid pointer', () => {
    for (const bad of ['/a', '/a~1b/~0/6', 'a', '/__proto__', '/a~2b']) {
      expect(take(bad)).toEqual({ code: 'take', names: bad })
    }
    expect(isJsonPointer('/a~1b/~0/')).toBe(true)
    expect(isJsonPointer('x')).toBe(false)
  })
})
