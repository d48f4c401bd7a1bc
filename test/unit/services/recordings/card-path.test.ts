import { expect, test } from 'vitest'
import { readCardPath } from '../../../../electron/services/recordings/card-path.ts'
import type { ReadExchange } from '../../../../electron/services/recordings/run-reader.ts'
import { MAX_PATH_CALLS, MAX_PATH_NAMES } from '../../../../shared/ipc/recordings.ts'

const createCall = (seq: number, noteids: readonly string[]): ReadExchange =>
  ({
    exchange: { row: { seq, startedAt: seq, method: 'POST', path: '/notes/batch-get' }, request: { missing: null } },
    requestText: JSON.stringify({ noteIds: noteids }),
  }) as unknown as ReadExchange

const read = (exchanges: readonly ReadExchange[]) =>
  readCardPath(
    {
      async *readExchanges() {
        yield* exchanges
      },
    },
    () => Promise.resolve(),
  )

test('a path ends where it has too many calls, and says so', async () => {
  const calls = Array.from({ length: MAX_PATH_CALLS + 1 }, (_, index) => createCall(index + 1, ['A']))
  expect(await read(calls.slice(1))).toMatchObject({ searched: MAX_PATH_CALLS, isCut: false })
  const path = await read(calls)
  expect(path.calls).toHaveLength(MAX_PATH_CALLS)
  expect(path).toMatchObject({ noteids: ['A'], searched: MAX_PATH_CALLS, isCut: true })
})

test('a path ends before a call that would name too many cards', async () => {
  const noteids = Array.from({ length: 15_000 }, (_, index) => `card ${index}`)
  const count = Math.floor(MAX_PATH_NAMES / noteids.length)
  const path = await read(Array.from({ length: count + 1 }, (_, index) => createCall(index + 1, noteids)))
  expect(path.calls).toHaveLength(count)
  expect(path.isCut).toBe(true)
})
