import { expect, test } from 'vitest'
import { AppError, createRefusedError } from '../../../shared/errors.ts'
import { WorkerClient } from '../../../shared/workers/worker-client.ts'
import {
  HandedOver,
  serveMethods,
  type WorkerCall,
  type WorkerMethods,
} from '../../../shared/workers/worker-methods.ts'

/** Connects a client with methods as two threads are: messages are cloned, and arrive later. */
function connect<Methods extends WorkerMethods>(methods: Methods, listeners = {}) {
  const receive = serveMethods(methods, (reply, transfer) => {
    const message = structuredClone(reply, { transfer: [...transfer] as ArrayBuffer[] })
    queueMicrotask(() => client.receive(message))
  })
  const client = new WorkerClient<Methods>((request, transfer) => {
    const message = structuredClone(request, { transfer: [...transfer] as ArrayBuffer[] })
    queueMicrotask(() => receive(message))
  }, listeners)
  return client
}

test('a call gets its parts and then its result, while others are pending', async () => {
  const parts: string[] = []
  const release = Promise.withResolvers<undefined>()
  const client = connect({
    double: (value: number) => value * 2,
    async spell(text: string, { report }: WorkerCall<string>) {
      for (const letter of text) report(letter)
      await release.promise
      return text.length
    },
  })
  const spelling = client.call('spell', 'abc', { onPart: (part) => parts.push(part) })
  expect(await client.call('double', 4)).toBe(8)
  expect(client.isIdle).toBe(false)
  release.resolve(undefined)
  expect([await spelling, parts, client.isIdle]).toEqual([3, ['a', 'b', 'c'], true])
})

test('buffers are handed over in both directions', async () => {
  const results: ArrayBuffer[] = []
  const client = connect({
    copy(bytes: ArrayBuffer) {
      const result = bytes.slice(1)
      results.push(result)
      return new HandedOver({ result }, [result])
    },
  })
  const bytes = Uint8Array.of(1, 2, 3).buffer
  const { result } = await client.call('copy', bytes, { transfer: [bytes] })
  expect([...new Uint8Array(result)]).toEqual([2, 3])
  expect([bytes.byteLength, results[0]?.byteLength]).toEqual([0, 0])
})

test('an AppError arrives with its code, another error with its message', async () => {
  const client = connect({
    refuse: () => Promise.reject(createRefusedError('MAP_LOST', 'lost', { width: 2 })),
    fail() {
      throw new TypeError('broken')
    },
  })
  const refusal = await client.call('refuse', undefined).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(AppError)
  expect(refusal).toMatchObject({ code: 'MAP_LOST', wire: { params: { width: 2 } } })
  await expect(client.call('fail', undefined)).rejects.toThrow(new Error('broken'))
})

test('a cancelled call sees it, and ends as its method decides', async () => {
  const start = Promise.withResolvers<undefined>()
  const release = Promise.withResolvers<undefined>()
  const client = connect({
    async write(_input: null, { signal }: WorkerCall) {
      start.resolve(undefined)
      await release.promise
      return signal.aborted ? 'stopped' : 'written'
    },
  })
  const controller = new AbortController()
  const writing = client.call('write', null, { signal: controller.signal })
  const other = client.call('write', null)
  await start.promise
  controller.abort()
  // The message about the cancellation is delivered before the method goes on.
  await new Promise((resolve) => setTimeout(resolve))
  release.resolve(undefined)
  expect(await Promise.all([writing, other])).toEqual(['stopped', 'written'])
})

test('once a worker has failed, all calls are rejected', async () => {
  const client = connect({ wait: () => new Promise<never>(() => undefined) })
  const pending = client.call('wait', undefined)
  client.fail(new Error('the worker stopped'))
  await expect(pending).rejects.toThrow('the worker stopped')
  await expect(client.call('wait', undefined)).rejects.toThrow('the worker stopped')
})

test('what a worker sends on its own reaches the listener of its topic', () => {
  const payloads: unknown[] = []
  const client = connect({}, { freed: (bytes: number) => payloads.push(bytes) })
  client.receive({ topic: 'freed', payload: 7 })
  client.receive({ topic: 'unknown', payload: 8 })
  expect(payloads).toEqual([7])
})
