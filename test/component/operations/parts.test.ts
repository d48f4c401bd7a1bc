import { flushPromises } from '@vue/test-utils'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import PopupMenu from '../../../renderer/components/PopupMenu.vue'
import type { OperationState } from '../../../shared/operations/operation-events.ts'
import type { OperationVerdict } from '../../../shared/operations/operation-verdict.ts'
import ChangeTable from '../../../renderer/panes/write/ChangeTable.vue'
import WriteResult from '../../../renderer/panes/write/WriteResult.vue'
import DifferenceTable from '../../../renderer/panes/write/DifferenceTable.vue'
import EarlierRequest from '../../../renderer/panes/write/EarlierRequest.vue'
import EventList from '../../../renderer/places/operations/EventList.vue'
import OperationRecord from '../../../renderer/places/operations/OperationRecord.vue'
import NextPoll from '../../../renderer/places/operations/NextPoll.vue'
import StatePath from '../../../renderer/places/operations/StatePath.vue'
import { ack, respond, intent, pollResult, sentEvent } from '../../support/services/operation-events.ts'
import { createOperation } from '../../support/vue/operations.ts'
import {
  findAllByRole,
  getByRole,
  installFakeServiceProcess,
  pressKey,
  mountComponent,
} from '../../support/vue/mounting.ts'

afterEach(() => {
  vi.useRealTimers()
  document.body.innerHTML = ''
})
const rows = (root: ParentNode = document): string[] =>
  [...root.querySelectorAll('tbody tr')].map((row) =>
    [...row.children].map(({ textContent }) => textContent.trim()).join('|'),
  )

test('changes stand between the headings Before and After', () => {
  mountComponent(ChangeTable, { props: { changes: [{ field: 'title', before: 'a', after: 'b' }] } })
  expect([...document.querySelectorAll('th[scope=col]')].map(({ textContent }) => textContent.trim())).toEqual([
    'Field',
    'Before',
    'After',
  ])
})

describe('listed changes', () => {
  test('are the members that differ, whatever a host sends', () => {
    const before = { settled: false, same: 1, gone: null, deep: { list: [1, 2] } }
    const after = { settled: true, same: 1, come: '<b>', deep: { list: [1, 2, 3] } }
    mountComponent(DifferenceTable, { props: { before, after, label: 'd' } })
    expect(rows()).toEqual(['settled|false|true', 'gone|null|', 'deep.list[2]||3', 'come||"<b>"'])
    expect(document.querySelector('b')).toBeNull()
  })

  test('are empty if nothing changed, and truncated if there are many', () => {
    mountComponent(DifferenceTable, { props: { before: { a: 1 }, after: { a: 1 }, label: 'd' } })
    expect(document.body.textContent).toContain('same as before')
    document.body.innerHTML = ''
    const manyEntries = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`m${n}`, n]))
    mountComponent(DifferenceTable, { props: { before: {}, after: manyEntries, label: 'd' } })
    expect(rows()).toHaveLength(20)
    expect(document.body.textContent).toContain('10 more')
  })

  test('are found in members of any name, and in long lists without pairwise comparison', () => {
    const rowsFor = (before: string, after: string): string[] => {
      document.body.innerHTML = ''
      mountComponent(DifferenceTable, { props: { before: JSON.parse(before), after: JSON.parse(after), label: 'd' } })
      return rows()
    }
    expect(rowsFor('{"_t":"b"}', '{"_t":"a"}')).toEqual(['_t|"b"|"a"'])
    expect(rowsFor('{"__proto__":{"l":1}}', '{"__proto__":{"l":2}}')).toEqual(['__proto__.l|1|2'])
    expect(rowsFor('{"_a":[{"_b":1}]}', '{"_a":[{"_b":2}]}')).toEqual(['_a[0]._b|1|2'])
    expect(rowsFor('{"a/b":{"3":1}}', '{"a/b":{"3":2}}')).toEqual(['a/b.3|1|2'])
    expect(rowsFor('["x","y","z"]', '["z","x","y"]')).toEqual(['[0]|/2|/0'])
    const list = (first: number): string =>
      JSON.stringify({ list: Array.from({ length: 20_000 }, (_, n) => first - n) })
    expect(rowsFor(list(1), list(90_000))).toHaveLength(20)
    expect(document.body.textContent).toContain('19,980 more')
  })

  test('of a check compare with the previous check, not with the response, which has another shape', () => {
    mountComponent(EventList, {
      props: {
        events: [sentEvent, ack, pollResult({ state: 'pending', settled: false }), pollResult({ settled: true })],
      },
    })
    expect(rows()).toContain('settled|false|true')
    expect(rows().join()).not.toContain('windowId')
  })
})

describe('the table of changes', () => {
  test('handles long lists, and shows a limited number of rows', () => {
    const before = Array.from({ length: 30_000 }, (_, n) => n)
    mountComponent(ChangeTable, { props: { changes: [{ field: 'list', before, after: before.map((n) => -n - 1) }] } })
    expect(document.querySelectorAll('del')).toHaveLength(50)
    expect(document.body.textContent).toContain('59,900 more')
  })

  test('reports if only the order changed', () => {
    mountComponent(ChangeTable, { props: { changes: [{ field: 'parts', before: ['a', 'b'], after: ['b', 'a'] }] } })
    expect(document.body.textContent).toContain('The order changed.')
  })
})

test('a navigation is not called done if the host reports that it was not', () => {
  const verdict = { ...createOperation().summary.verdict, code: 'unknown-not-read-back' as const, persisted: false }
  mountComponent(WriteResult, {
    props: { operation: createOperation({ endpoint: 'notes.focus', state: 'unconfirmed', verdict }) },
  })
  expect(document.body.textContent).toContain('Not confirmed')
  expect(document.body.textContent).not.toContain('The host reports that it did so')
})

test('a navigation is not called done if the host reports that it was done in part', () => {
  const verdict = { ...createOperation().summary.verdict, persisted: null, done: 'partly' as const }
  mountComponent(WriteResult, {
    props: { operation: createOperation({ endpoint: 'studySets.open', state: 'unconfirmed', verdict }) },
  })
  expect(document.body.textContent).toContain('Partly done')
  expect(document.body.textContent).not.toContain('The host reports that it did so')
})

test('a partly done write is not called a success, and the response of the host is quoted', () => {
  const quoted = [
    { at: '/created', value: 'false' },
    { at: '/persisted', value: 'true' },
  ]
  const verdict = {
    ...createOperation().summary.verdict,
    code: 'unknown-unchanged' as const,
    done: 'partly' as const,
    quoted,
  }
  const endpoint = 'studySets.createSnapshot'
  mountComponent(WriteResult, { props: { operation: createOperation({ endpoint, state: 'unconfirmed', verdict }) } })
  const text = document.body.textContent
  expect(text).toContain('Partly done')
  expect(text).toContain('That doesn’t count as a success.')
  expect(text).toContain('created: false')
  expect(document.querySelectorAll('.quote')).toHaveLength(1)
})

test('a request id used with a different target is shown next to the earlier request', () => {
  const earlier = {
    operationId: 'o-0',
    relation: 'conflict',
    same: false,
    body: '{"surfaceId":"main","requestId":"r"}',
  } as const
  mountComponent(EarlierRequest, { props: { earlier, body: '{"surfaceId":"other","requestId":"r"}' } })
  expect(rows()).toEqual(['surfaceId|"main"|"other"'])
  document.body.innerHTML = ''
  mountComponent(EarlierRequest, {
    props: { earlier: { ...earlier, relation: 'replay', same: true }, body: earlier.body },
  })
  expect(document.querySelector('table')).toBeNull()
})

test('the chart of states has a description in words', () => {
  const transitions = [
    { state: 'prepared', at: 0, event: 0 },
    { state: 'sent', at: 1, event: 1 },
    { state: 'unknown-no-answer', at: 2, event: 2 },
    { state: 'unknown-host-restart', at: 3, event: 3 },
  ] as const
  mountComponent(StatePath, { props: { endpoint: 'writing.pencilCommit', transitions: [...transitions] } })
  expect(getByRole('img').getAttribute('aria-label')).toMatch(
    /Prepared .* → Sent .* → Unknown: no response .* → Unknown: host restarted/,
  )
  expect(document.querySelector('.current')?.textContent).toContain('Host restarted')
  expect(document.querySelectorAll('svg > path')).toHaveLength(3)
})

describe('a command that was never sent', () => {
  const refused = {
    kind: 'failure',
    at: 3,
    reached: 'no',
    error: { kind: 'offline', code: 'CONNECTION_REFUSED', message: 'Nothing is listening.', retryable: true },
  } as const
  const verdict = { ...createOperation().summary.verdict, code: 'nothing-sent', persisted: null } as const
  const record = createOperation({ state: 'not-sent', verdict }, { events: [intent, sentEvent, refused] })

  test('names the cause', () => {
    mountComponent(WriteResult, { props: { operation: record } })
    expect(getByRole('alert').textContent).toContain('CONNECTION_REFUSED')
  })

  test('is not shown as sent, neither in its states nor in its timeline', () => {
    const transitions = (['prepared', 'sent', 'not-sent'] as const).map((state, index) => ({
      state,
      at: index,
      event: index,
    }))
    mountComponent(StatePath, { props: { endpoint: 'notes.title', transitions } })
    expect([...document.querySelectorAll('.taken')].map(({ textContent }) => textContent)).toEqual([
      'Prepared',
      'Not sent',
    ])
    expect(getByRole('img').getAttribute('aria-label')).not.toMatch(/→ Sent/)
    document.body.innerHTML = ''
    mountComponent(EventList, { props: { events: [intent, sentEvent, refused] } })
    const labels = [...document.querySelectorAll('.what > span')].map(({ textContent }) => textContent)
    expect(labels).toEqual(['Journaled', 'Tried to send', 'Failed before it reached the host'])
  })
})

describe('the tone of a result', () => {
  const toneOf = (state: OperationState, code: OperationVerdict['code']): string => {
    document.body.innerHTML = ''
    const verdict = { ...createOperation().summary.verdict, code, persisted: null }
    mountComponent(WriteResult, { props: { operation: createOperation({ state, verdict }) } })
    return document.querySelector('section > p')?.className ?? ''
  }

  test('is success only if the host reported that the write was done', () => {
    expect(toneOf('persisted', 'saved-and-verified')).toBe('ok')
    expect(toneOf('unconfirmed', 'unsaid-but-verified')).toBe('warn')
    expect(toneOf('unknown-no-answer', 'unsaid-but-verified')).toBe('warn')
  })

  test('is not an error for a refusal, unless something changed nevertheless', () => {
    expect(toneOf('refused', 'refused-unchanged')).toBe('refused')
    expect(toneOf('conflict', 'refused')).toBe('refused')
    expect(toneOf('refused', 'refused-changed')).toBe('error')
    expect(toneOf('settled', 'settled-not-saved')).toBe('error')
  })
})

test('the time until the next check counts down', async () => {
  vi.useFakeTimers()
  mountComponent(NextPoll, { props: { timestamp: Date.now() + 2_400 } })
  expect(document.body.textContent).toContain('next check in 3 s')
  vi.advanceTimersByTime(1_000)
  await nextTick()
  expect(document.body.textContent).toContain('next check in 2 s')
  vi.advanceTimersByTime(3_000)
  await nextTick()
  expect(document.body.textContent).toContain('checking now')
})

test('a menu moves by arrow keys, closes by Escape and Tab, and closes before the chosen action runs', async () => {
  const done: string[] = []
  const items = ['one', 'two', 'three'].map((id) => ({
    id,
    label: id,
    run: () => done.push(id),
    hasSeparator: id === 'three',
  }))
  const menu = mountComponent(PopupMenu, {
    props: { position: { x: 0, y: 0 }, items, onClose: () => done.push('closed') },
  })
  await nextTick()
  const getFocusedText = (): string | null => document.activeElement?.textContent ?? null
  expect(getFocusedText()).toBe('one')
  const keys = ['ArrowUp', 'ArrowUp', 'Home', 'ArrowDown', 'End']
  const observations = keys.map((key) => (pressKey(document.activeElement as Element, key), getFocusedText()))
  expect(observations).toEqual(['three', 'two', 'one', 'two', 'three'])
  expect(findAllByRole('separator')).toHaveLength(1)
  pressKey(document.activeElement as Element, 'Escape')
  pressKey(document.activeElement as Element, 'Tab')
  expect(menu.emitted('close')).toHaveLength(2)
  getByRole('menuitem', 'two').click()
  expect(done).toEqual(['closed', 'closed', 'closed', 'two'])
})

test('a response without a body shows its status', () => {
  mountComponent(EventList, { props: { events: [respond(null, 204)] } })
  expect(document.body.textContent).toContain('Response 204')
})

test('tells in the head of a record that the response could not be read', async () => {
  const record = createOperation(
    { endpoint: 'notes.title', state: 'unconfirmed' },
    { events: [intent, sentEvent, respond(null)] },
  )
  installFakeServiceProcess({ 'operations.get': () => record })
  const page = mountComponent(OperationRecord, { props: { id: 'o' } })
  await flushPromises()
  expect(page.find('header').text()).toContain('could not be read: it is not JSON')
})

test('a record begins with its outcome and one line of times, and folds what the host acknowledged', async () => {
  const record = createOperation(
    { endpoint: 'writing.pencilCommit', state: 'settled', tracking: 'ended', observations: 3 },
    {
      events: [intent, sentEvent, ack],
      transitions: [
        { state: 'prepared', at: 900, event: 0 },
        { state: 'sent', at: 1_000, event: 1 },
        { state: 'pending', at: 1_010, event: 2 },
        { state: 'settled', at: 3_900, event: 3 },
      ],
    },
  )
  installFakeServiceProcess({ 'operations.get': () => record })
  const page = mountComponent(OperationRecord, { props: { id: 'o' } })
  await flushPromises()
  expect(page.find('h2').text()).toMatch(/^Settled Commit pencil strokes$/)
  expect(page.findAll('header + .timeline li').map((step) => step.text())).toEqual([
    expect.stringMatching(/^Sent \d\d:\d\d:\d\d\.\d$/),
    'Accepted, pending +10 ms',
    'Settled +2.9 s',
  ])
  expect(page.find('header + .timeline').text()).toContain('3 checks')
  const folded = page.find('article > details')
  expect(folded.attributes('open')).toBeUndefined()
  expect(folded.text()).toContain('windowId')
  expect(folded.text()).toContain('persistedSnapshotVerified')
})

test.each([
  ['en', 'console', 'sent', 'console'],
  ['en', 'agent', 'sent', 'agent (MCP)'],
  ['en', 'panel', 'sent', 'panel'],
  ['en', 'curl', 'recorded', 'recorded: curl'],
  ['en', 'command-line', 'sent', 'this program: command line'],
  ['zh-CN', 'console', 'sent', '控制台'],
  ['zh-CN', 'command-line', 'sent', '本程序：命令行'],
] as const)('%s: a write of %s (%s) has the origin %s, as in traffic', async (locale, caller, origin, name) => {
  installFakeServiceProcess({ 'operations.get': () => createOperation({ caller, origin }) })
  const page = mountComponent(OperationRecord, { props: { id: 'o' }, locale })
  await flushPromises()
  expect(page.findAll('dd').map((fact) => fact.text())).toContain(name)
})

test('a write that was never sent is not timed from a sending', async () => {
  const transitions = (['prepared', 'sent', 'not-sent'] as const).map((state, index) => ({
    state,
    at: index,
    event: index,
  }))
  installFakeServiceProcess({ 'operations.get': () => createOperation({ state: 'not-sent' }, { transitions }) })
  const page = mountComponent(OperationRecord, { props: { id: 'o' } })
  await flushPromises()
  expect(page.findAll('.timeline li').map((step) => step.text())).toEqual([
    expect.stringMatching(/^Not sent \d\d:\d\d:\d\d\.\d$/),
  ])
})
