import { expect, onTestFinished, test } from 'vitest'
import { ReadAhead } from '../../../../electron/services/bridge/reading/read-ahead.ts'
import type { BridgeResponse } from '../../../../electron/services/bridge/types.ts'

const never = new AbortController().signal
const answer = { bytes: new Uint8Array(1), meta: {} } as unknown as BridgeResponse

function ahead(): ReadAhead {
  const made = new ReadAhead()
  onTestFinished(() => made.clear())
  return made
}

/** A request that ends only when told to. */
function open() {
  let ended = false
  let resolve: (value: BridgeResponse) => void = () => undefined
  const request = (signal: AbortSignal): Promise<BridgeResponse> =>
    new Promise((done, fail) => {
      resolve = done
      signal.addEventListener('abort', () => {
        ended = true
        fail(new Error('aborted'))
      })
    })
  return { request, answer: () => resolve(answer), ended: () => ended }
}

test('a guess is made once and taken once', async () => {
  const guesses = ahead()
  let made = 0
  const request = (): Promise<BridgeResponse> => Promise.resolve(((made += 1), answer))
  guesses.start('a', request)
  guesses.start('a', request)
  expect(made).toBe(1)
  expect(await guesses.take('a', never)).toBe(answer)
  expect(guesses.take('a', never)).toBeNull()
  expect(guesses.take('b', never)).toBeNull()
})

test('whoever takes it learns of its bytes once, whether they came before or come later', async () => {
  const guesses = ahead()
  const bytes = new Uint8Array([1])
  const arrivals: ((bytes: Uint8Array) => void)[] = []
  const request = (_signal: AbortSignal, onArrived: (bytes: Uint8Array) => void): Promise<BridgeResponse> => {
    arrivals.push(onArrived)
    return Promise.resolve(answer)
  }
  const seen: Uint8Array[] = []
  guesses.start('early', request)
  arrivals[0]?.(bytes)
  await guesses.take('early', never, (arrived) => seen.push(arrived))
  expect(seen).toEqual([bytes])
  guesses.start('late', request)
  await guesses.take('late', never, (arrived) => seen.push(arrived))
  expect(seen).toHaveLength(1)
  arrivals[1]?.(bytes)
  expect(seen).toEqual([bytes, bytes])
})

test('whoever took it ends it', async () => {
  const guesses = ahead()
  const one = open()
  guesses.start('a', one.request)
  const abort = new AbortController()
  const taken = guesses.take('a', abort.signal)
  abort.abort()
  await expect(taken).rejects.toThrow('aborted')
  expect(one.ended()).toBe(true)
})

test('a failed guess is never returned', async () => {
  const guesses = ahead()
  guesses.start('a', () => Promise.reject(new Error('no host')))
  await new Promise((done) => setImmediate(done))
  expect(guesses.take('a', never)).toBeNull()
})

test('few are kept: the oldest is ended', () => {
  const guesses = ahead()
  const all = Array.from({ length: 6 }, open)
  all.forEach((one, n) => guesses.start(String(n), one.request))
  expect(all.map(({ ended }) => ended())).toEqual([true, true, false, false, false, false])
  guesses.clear()
  expect(all.every(({ ended }) => ended())).toBe(true)
})
