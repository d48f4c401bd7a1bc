import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { RequestBatcher } from '../../../../renderer/stores/request-batcher.ts'
import { AppError } from '../../../../shared/errors.ts'

interface Request {
  readonly ids: readonly string[]
  readonly signal: AbortSignal
  settled: boolean
  respond(): Promise<void>
  fail(): Promise<void>
}

const rest = async (): Promise<void> => {
  for (let n = 0; n < 12; n += 1) await Promise.resolve()
}

/**
 * A batcher whose ticks and answers the test triggers. A value names the request that returned it.
 */
function bench({ limit = 3, capacity = 100 } = {}) {
  const ticks: (() => void)[] = []
  const requests: Request[] = []
  const batcher = new RequestBatcher<string>(
    {
      fetch: (ids, signal) =>
        new Promise((resolve, reject) => {
          const number = requests.length + 1
          const request: Request = {
            ids,
            signal,
            settled: false,
            async respond() {
              request.settled = true
              resolve(new Map(ids.map((id) => [id, `${id}@${number}`])))
              await rest()
            },
            async fail() {
              request.settled = true
              reject(new AppError({ kind: 'host', code: 'SCAN_BUSY', message: 'busy', retryable: true }))
              await rest()
            },
          }
          signal.addEventListener('abort', () => void request.fail())
          requests.push(request)
        }),
      readLimit: () => Promise.resolve(limit),
      schedule: (run) => void ticks.push(run),
    },
    capacity,
  )
  const tick = async (): Promise<void> => {
    for (const run of ticks.splice(0)) run()
    await rest()
  }
  /** Until nothing is pending and nothing is due. */
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 500; round += 1) {
      await tick()
      const open = requests.filter((request) => !request.settled)
      if (open.length === 0 && ticks.length === 0) return
      for (const request of open) await request.respond()
    }
    throw new Error('never at rest')
  }
  return { batcher, requests, tick, settle, value: (id: string) => batcher.loadStates.get(id)?.value }
}

const createMany = (count: number): string[] => Array.from({ length: count }, (_, n) => `N${n}`)

describe('a batcher', () => {
  test('requests ids of one tick in chunks, each id once', async () => {
    const { batcher, requests, settle, value } = bench({ limit: 200 })
    for (const id of [...createMany(1000), ...createMany(1000)]) batcher.retain(id)
    await settle()
    expect(requests.map(({ ids }) => ids.length)).toEqual([200, 200, 200, 200, 200])
    expect(new Set(requests.flatMap(({ ids }) => ids)).size).toBe(1000)
    batcher.retain('N7')
    await settle()
    expect(requests.length).toBe(5)
    expect(value('N7')).toBe('N7@1')
  })

  test('fails only the ids of a failed request, which can be retried', async () => {
    const { batcher, requests, tick, settle } = bench({ limit: 2 })
    for (const id of ['a', 'b', 'c', 'd']) batcher.retain(id)
    await tick()
    await requests[0]?.fail()
    await requests[1]?.respond()
    expect(['a', 'b', 'c', 'd'].map((id) => batcher.loadStates.get(id)?.status)).toEqual([
      'failed',
      'failed',
      'ready',
      'ready',
    ])
    expect(batcher.loadStates.get('a')?.error?.code).toBe('SCAN_BUSY')
    batcher.reload(['a'])
    await settle()
    expect(requests.map(({ ids }) => ids)).toEqual([['a', 'b'], ['c', 'd'], ['a']])
    expect(batcher.loadStates.get('a')).toEqual({ status: 'ready', value: 'a@3', error: null })
  })

  test('aborts a request that nobody waits for any more, and no other', async () => {
    const { batcher, requests, tick } = bench()
    const [dropA, dropB] = [batcher.retain('a'), batcher.retain('b')]
    await tick()
    dropA()
    await tick()
    expect(requests[0]?.signal.aborted).toBe(false)
    dropB()
    await tick()
    expect(requests[0]?.signal.aborted).toBe(true)
    expect(batcher.loadStates.size).toBe(0)
    batcher.retain('a')
    await tick()
    expect(requests[1]?.ids).toEqual(['a'])
  })

  test('does not abort for ids that are released and requested again within a tick', async () => {
    const { batcher, requests, tick } = bench()
    const drop = batcher.retain('a')
    await tick()
    drop()
    batcher.retain('a')
    await tick()
    expect(requests.map(({ signal }) => signal.aborted)).toEqual([false])
  })

  test('sends nothing while there is nothing to request', async () => {
    const { batcher, requests, tick } = bench()
    batcher.setPaused(true)
    batcher.retain('a')
    await tick()
    expect(requests).toEqual([])
    batcher.setPaused(false)
    await tick()
    expect(requests.map(({ ids }) => ids)).toEqual([['a']])
  })

  test('keeps visible cards after an interruption, and requests newly needed ones again', async () => {
    const { batcher, requests, settle, value } = bench()
    batcher.retain('shown')
    batcher.retain('left')()
    const drop = batcher.retain('left')
    await settle()
    drop()
    batcher.startGeneration()
    expect([value('shown'), value('left')]).toEqual(['shown@1', undefined])
    await settle()
    expect(requests.length).toBe(1)
    batcher.retain('shown')
    await settle()
    expect([requests.length, value('shown')]).toEqual([2, 'shown@2'])
  })

  test('drops everything of another host, and requests visible cards again', async () => {
    const { batcher, requests, tick, settle, value } = bench()
    batcher.retain('a')
    await settle()
    batcher.reload(['a'])
    await tick()
    batcher.reset()
    expect(requests[1]?.signal.aborted).toBe(true)
    expect(value('a')).toBeUndefined()
    await settle()
    expect(value('a')).toBe('a@3')
  })

  test('keeps a limited number of cards, and never releases one that is in use', async () => {
    const { batcher, settle, value } = bench({ limit: 50, capacity: 10 })
    batcher.retain('used')
    await settle()
    const drops = createMany(100).map((id) => batcher.retain(id))
    await settle()
    for (const drop of drops) drop()
    batcher.retain('another')
    await settle()
    expect(batcher.loadStates.size).toBeLessThanOrEqual(10)
    expect([value('used'), value('N99') !== undefined, value('N0')]).toEqual(['used@1', true, undefined])
  })
})

type Step =
  | { readonly do: 'want' | 'drop' | 'reload'; readonly id: string }
  | { readonly do: 'tick' | 'answer' | 'fail' | 'expire' }

const ids = createMany(12)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constantFrom('want' as const, 'drop' as const), id: fc.constantFrom(...ids) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reload' as const), id: fc.constantFrom(...ids) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('tick' as const, 'answer' as const, 'fail' as const, 'expire' as const),
    }),
  },
)

test('requests no id twice without a reason, keeps chunks small and settles everything, in any sequence of events', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 120 }), fc.integer({ min: 1, max: 5 }), async (steps, limit) => {
      const { batcher, requests, tick, settle } = bench({ limit })
      const heldCalls = new Map<string, (() => void)[]>()
      /**
       * Ids that may be requested: at first all, later those with a reason to be requested again.
       */
      const due = new Set(ids)
      const broken = new Set<Request>()
      let observedCount = 0
      const look = (): void => {
        for (const { ids: requestedIds } of requests.slice(observedCount)) {
          expect(requestedIds.length).toBeLessThanOrEqual(limit)
          for (const id of requestedIds) {
            expect(due.has(id), `${id} was asked twice`).toBe(true)
            due.delete(id)
          }
        }
        observedCount = requests.length
      }
      for (const action of steps) {
        if (action.do === 'want')
          heldCalls.set(action.id, [...(heldCalls.get(action.id) ?? []), batcher.retain(action.id)])
        else if (action.do === 'drop') heldCalls.get(action.id)?.pop()?.()
        else if (action.do === 'reload') {
          due.add(action.id)
          batcher.reload([action.id])
        } else if (action.do === 'expire') {
          for (const id of ids) due.add(id)
          batcher.startGeneration()
        } else if (action.do === 'tick') await tick()
        else {
          const open = requests.find((request) => !request.settled)
          if (open && action.do === 'fail') for (const id of open.ids) due.add(id)
          await (action.do === 'answer' ? open?.respond() : open?.fail())
        }
        look()
        // What was aborted because nobody wanted it may be requested again.
        for (const request of requests) {
          if (!request.signal.aborted || broken.has(request)) continue
          broken.add(request)
          for (const id of request.ids) due.add(id)
        }
      }
      for (let round = 0; round < 3; round += 1) await settle()
      look()
      for (const [id, drops] of heldCalls) {
        if (drops.length > 0) expect(['ready', 'failed']).toContain(batcher.loadStates.get(id)?.status)
      }
    }),
    { numRuns: 300 },
  )
})
