import { flushPromises } from '@vue/test-utils'
import { createPinia, setActivePinia } from 'pinia'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { effectScope, ref, type EffectScope } from 'vue'
import { useFinishedOperations } from '../../../renderer/stores/finished-operations.ts'
import { useOperation, useOperationList } from '../../../renderer/stores/operation-list.ts'
import type { OperationFilter, OperationSummary } from '../../../shared/ipc/operations.ts'
import { createOperation, createSummary } from '../../support/vue/operations.ts'
import { installFakeServiceProcess, type FakeServiceProcess } from '../../support/vue/mounting.ts'

let scope: EffectScope
beforeEach(() => {
  setActivePinia(createPinia())
  scope = effectScope()
})
afterEach(() => {
  scope.stop()
  vi.useRealTimers()
})

const counts = { all: 0, unfinished: 0, unseen: 0 }
const push = (
  page: FakeServiceProcess,
  items: readonly OperationSummary[],
  removed: readonly string[] = [],
  complete = true,
): void => page.push({ topic: 'operations.changed', payload: { items, removed, complete, ...counts } })

/** A service process with these records, newest first. */
function service(all: OperationSummary[]): FakeServiceProcess {
  return installFakeServiceProcess({
    'operations.list': (input) => {
      const { offset, limit } = input as { offset: number; limit: number }
      return { items: all.slice(offset, offset + limit), total: all.length, topicids: ['A'], ...counts }
    },
    'operations.get': () => createOperation(),
  })
}
const createMany = (count: number): OperationSummary[] =>
  Array.from({ length: count }, (_, n) => createSummary(`o-${n}`, { createdAt: 10_000 - n }))

describe('the list of operations', () => {
  test('loads page by page, complete, newest first', async () => {
    const page = service(createMany(620))
    const list = scope.run(() => useOperationList(() => ({})))
    await flushPromises()
    expect(list?.items.map(({ id }) => id)).toEqual(createMany(620).map(({ id }) => id))
    expect(page.calls.filter(({ method }) => method === 'operations.list')).toHaveLength(3)
    expect(list?.total).toBe(620)
  })

  test('misses no record when one is removed while it loads', async () => {
    const all = createMany(400)
    const page = service(all)
    const list = scope.run(() => useOperationList(() => ({})))
    all.shift()
    push(page, [], ['o-0'])
    await flushPromises()
    expect(list?.items.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
  })

  test('applies pushes without a new request, even while it loads', async () => {
    const page = service(createMany(300))
    const list = scope.run(() => useOperationList(() => ({})))
    push(page, [
      createSummary('new', { createdAt: 20_000, topicid: 'B' }),
      createSummary('o-299', { createdAt: 9_701, state: 'refused' }),
    ])
    await flushPromises()
    expect(list?.items[0]?.id).toBe('new')
    expect(list?.items.at(-1)).toMatchObject({ id: 'o-299', state: 'refused' })
    expect(list?.topicids).toEqual(['A', 'B'])
    const requestCount = page.calls.length
    push(page, [], ['o-5'])
    expect(list?.items).toHaveLength(300)
    expect(list?.items.some(({ id }) => id === 'o-5')).toBe(false)
    expect(page.calls).toHaveLength(requestCount)
  })

  test('contains only records that match the filter, also after a push', async () => {
    const page = service(createMany(3))
    const filter = ref<OperationFilter>({ state: 'pending' })
    const list = scope.run(() => useOperationList(() => filter.value))
    await flushPromises()
    push(page, [createSummary('a', { state: 'pending' }), createSummary('b', { state: 'refused' })])
    expect(list?.items.some(({ id }) => id === 'b')).toBe(false)
    push(page, [createSummary('a', { state: 'settled' })])
    expect(list?.items.some(({ id }) => id === 'a')).toBe(false)
    filter.value = { state: 'refused' }
    await flushPromises()
    expect(page.calls.at(-1)?.input).toMatchObject({ state: 'refused', offset: 0 })
  })

  test('reloads after an incomplete push, and reports why it cannot be read', async () => {
    const page = service(createMany(2))
    const list = scope.run(() => useOperationList(() => ({})))
    await flushPromises()
    push(page, [], [], false)
    await flushPromises()
    expect(page.calls.filter(({ method }) => method === 'operations.list')).toHaveLength(2)
    installFakeServiceProcess({})
    await list?.reload()
    expect(list?.error?.kind).toBe('internal')
    expect(list?.items).toHaveLength(2)
  })
})

test('an open record is reloaded when an event is added to it, and not for other records', async () => {
  const page = service([])
  scope.run(() => useOperation(() => 'o-1'))
  await flushPromises()
  push(page, [createSummary('o-2')])
  await flushPromises()
  expect(page.calls).toHaveLength(1)
  push(page, [createSummary('o-1')])
  await flushPromises()
  expect(page.calls).toHaveLength(2)
})

describe('the end of an operation', () => {
  const watched = { state: 'pending', tracking: 'polling' } as const
  const settled = { state: 'settled', tracking: 'ended', unseen: true } as const

  test('is announced until the operation is opened in this or another window', () => {
    const page = service([])
    const endings = useFinishedOperations()
    push(page, [createSummary('a', watched), createSummary('plain', { unseen: true })])
    expect(endings.operations).toEqual([])
    push(page, [createSummary('a', settled)])
    expect(endings.operations.map(({ id }) => id)).toEqual(['a'])
    push(page, [createSummary('a', settled)])
    expect(endings.operations).toHaveLength(1)
    push(page, [createSummary('a', { ...settled, unseen: false })])
    expect(endings.operations).toEqual([])
  })

  test('is announced briefly if it needs no action, and until dismissed otherwise', () => {
    vi.useFakeTimers()
    const page = service([])
    const endings = useFinishedOperations()
    push(page, [createSummary('calm', watched), createSummary('lost', watched)])
    const verdict = { ...createSummary('x').verdict, code: 'unknown-not-read-back' as const }
    push(page, [
      createSummary('calm', settled),
      createSummary('lost', { ...settled, state: 'unknown-host-restart', verdict }),
    ])
    expect(endings.isRoutine).toBe(false)
    vi.advanceTimersByTime(15_000)
    expect(endings.operations.map(({ id }) => id)).toEqual(['lost'])
    endings.dismiss()
    expect(endings.operations).toEqual([])
  })
})
