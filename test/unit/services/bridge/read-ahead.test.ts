import { expect, onTestFinished, test } from 'vitest'
import { ReadAhead } from '../../../../electron/services/bridge/reading/read-ahead.ts'
import type { BridgeResponse } from '../../../../electron/services/bridge/types.ts'

const never = new AbortController().signal
const response = { bytes: new Uint8Array(1), meta: {} } as unknown as BridgeResponse

function createReadAhead(): ReadAhead {
  const readAhead = new ReadAhead()
  onTestFinished(() => readAhead.clear())
  return readAhead
}

/** Creates a request that ends only when the test resolves or aborts it. */
function createOpenRequest() {
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
  return { request, answer: () => resolve(response), ended: () => ended }
}

test('makes a guess once and returns it once', async () => {
  const guesses = createReadAhead()
  let requestCount = 0
  const request = (): Promise<BridgeResponse> => Promise.resolve(((requestCount += 1), response))
  guesses.start('a', request)
  guesses.start('a', request)
  expect(requestCount).toBe(1)
  expect(await guesses.take('a', never)).toBe(response)
  expect(guesses.take('a', never)).toBeNull()
  expect(guesses.take('b', never)).toBeNull()
})

test('reports the first bytes once, whether they arrive before or after the page takes the guess', async () => {
  const guesses = createReadAhead()
  const bytes = new Uint8Array([1])
  const arrivals: ((bytes: Uint8Array) => void)[] = []
  const request = (_signal: AbortSignal, onArrived: (bytes: Uint8Array) => void): Promise<BridgeResponse> => {
    arrivals.push(onArrived)
    return Promise.resolve(response)
  }
  const reportedBytes: Uint8Array[] = []
  guesses.start('early', request)
  arrivals[0]?.(bytes)
  await guesses.take('early', never, (arrived) => reportedBytes.push(arrived))
  expect(reportedBytes).toEqual([bytes])
  guesses.start('late', request)
  await guesses.take('late', never, (arrived) => reportedBytes.push(arrived))
  expect(reportedBytes).toHaveLength(1)
  arrivals[1]?.(bytes)
  expect(reportedBytes).toEqual([bytes, bytes])
})

test('ends a guess with the call that took it', async () => {
  const guesses = createReadAhead()
  const openRequest = createOpenRequest()
  guesses.start('a', openRequest.request)
  const abort = new AbortController()
  const takenResponse = guesses.take('a', abort.signal)
  abort.abort()
  await expect(takenResponse).rejects.toThrow('aborted')
  expect(openRequest.ended()).toBe(true)
})

test('never returns a failed guess', async () => {
  const guesses = createReadAhead()
  guesses.start('a', () => Promise.reject(new Error('no host')))
  await new Promise((done) => setImmediate(done))
  expect(guesses.take('a', never)).toBeNull()
})

test('keeps few guesses, and ends the oldest', () => {
  const guesses = createReadAhead()
  const openRequests = Array.from({ length: 6 }, createOpenRequest)
  openRequests.forEach((openRequest, n) => guesses.start(String(n), openRequest.request))
  expect(openRequests.map(({ ended }) => ended())).toEqual([true, true, false, false, false, false])
  guesses.clear()
  expect(openRequests.every(({ ended }) => ended())).toBe(true)
})
