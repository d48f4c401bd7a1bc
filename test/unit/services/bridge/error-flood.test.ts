/** @module-tag slow */

import net from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getEndpoint } from '../../../../shared/bridge/endpoints/index.ts'
import { probeHost } from '../../../../electron/services/bridge/connection/probe.ts'
import { getSmallRead, expectAppError, createTarget, createTestClient } from '../../../support/services/test-client.ts'

const MB = 1024 * 1024
const { client } = createTestClient({ maxBytes: 256 * MB, totalTimeoutMs: 60_000, idleTimeoutMs: 30_000 })

/**
 * A host in its own thread, so that its memory and work are not counted. It sends the flood
 * that was chosen last, as fast as it is read, and responds at once for study sets.
 */
const FLOODING_HOST_SCRIPT = `
  const { parentPort } = require('node:worker_threads')
  const repeat = (piece, times) => ({ piece, times })
  const floods = {
    'small values': ['{"error":{"code":"FLOOD","message":"too much","details":[', repeat('1,'.repeat(32768), 916), '1]}}'],
    'a message of 3 MB': ['{"error":{"code":"FLOOD","message":"', repeat('m'.repeat(65536), 46), '"}}'],
    'a million members': ['{"error":{"code":"FLOOD","message":"too much","details":{', repeat('"k":1,'.repeat(10000), 100), '"z":1}}}'],
    'depth 100000': ['{"error":{"code":"FLOOD","message":"too much","details":', repeat('['.repeat(100000), 1), repeat(']'.repeat(100000), 1), '}}'],
    'the error at the end': ['{"nodes":[', repeat('1,'.repeat(32768), 150), '1],"error":{"code":"FLOOD","message":"too much"}}'],
    'no JSON': [repeat('<p>'.repeat(20000), 1000)],
    'other members first': ['{"a":[', repeat('1,'.repeat(32768), 916), '1],"error":{"code":"LATE"}}'],
    'values without an error': ['{"bridgeApiVersion":"0.91","routes":[', repeat('1,'.repeat(32768), 900), '1]}'],
  }
  let next = ['small values', 500]
  parentPort.on('message', (asked) => { next = asked; parentPort.postMessage('set') })
  const server = require('node:http').createServer((request, response) => {
    request.resume()
    if (request.url.includes('study-sets')) return response.setHeader('Content-Type', 'application/json').end('{"ok":true}')
    const [name, status] = next
    response.writeHead(status, { 'Content-Type': 'application/json' })
    response.on('error', () => undefined)
    const parts = floods[name].map((part) => typeof part === 'string' ? { piece: part, times: 1 } : { ...part })
    const more = () => {
      while (parts.length > 0 && !response.destroyed) {
        const part = parts[0]
        if (part.times === 0) { parts.shift(); continue }
        part.times -= 1
        if (!response.write(part.piece)) return void response.once('drain', more)
      }
      response.end()
    }
    more()
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`

let worker: Worker
let baseUrl: string

beforeAll(async () => {
  worker = new Worker(FLOODING_HOST_SCRIPT, { eval: true })
  const port = await new Promise<number>((resolve) => worker.once('message', resolve))
  baseUrl = `http://127.0.0.1:${port}/bridge/v1`
})
afterAll(() => worker.terminate())

async function chooseFlood(name: string, status: number): Promise<void> {
  const set = new Promise((resolve) => worker.once('message', resolve))
  worker.postMessage([name, status])
  await set
}

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Returns the processor time of this thread in milliseconds, independent of other work. */
const measureCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/**
 * Returns the most additional memory, and the longest work between two turns of the event
 * loop.
 */
async function measureCost<T>(work: () => Promise<T>): Promise<{ result: T; bytes: number; busyMs: number }> {
  collectGarbage()
  const measureHeldBytes = (): number => {
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = measureHeldBytes()
  let maxBytes = before
  let busyMs = 0
  let last = measureCpuMs()
  const sample = (): void => {
    maxBytes = Math.max(maxBytes, measureHeldBytes())
    busyMs = Math.max(busyMs, measureCpuMs() - last)
    last = measureCpuMs()
  }
  const timer = setInterval(sample, 5)
  try {
    const result = await work()
    sample()
    return { result, bytes: maxBytes - before, busyMs }
  } finally {
    clearInterval(timer)
  }
}

const floods = [
  ['small values', 500],
  ['small values', 200],
  ['small values', 409],
  ['a message of 3 MB', 500],
  ['a message of 3 MB', 200],
  ['a million members', 500],
  ['a million members', 200],
  ['depth 100000', 500],
  ['depth 100000', 200],
] as const

const getJsonSize = (value: unknown): number => JSON.stringify(value)?.length ?? 0

describe('safety 49: error of any size and shape', () => {
  test.each(floods)('is recognized at low cost: %s with status %i', async (name, status) => {
    await chooseFlood(name, status)
    const { result, bytes, busyMs } = await measureCost(() =>
      expectAppError(client.request(createTarget(baseUrl), { endpoint: getSmallRead(), attempts: 1 })),
    )
    expect(result.wire).toMatchObject({ kind: 'host', code: 'FLOOD', status, cut: true })
    expect(getJsonSize(result.wire)).toBeLessThan(80_000)
    expect(bytes).toBeLessThan(64 * MB)
    expect(busyMs).toBeLessThan(1_000)
  })

  test('does not delay other calls', async () => {
    await chooseFlood('small values', 500)
    const failing = expectAppError(client.request(createTarget(baseUrl), { endpoint: getSmallRead(), attempts: 1 }))
    const startedMs = measureCpuMs()
    await client.request(createTarget(baseUrl), { endpoint: getEndpoint('studySets.list') })
    expect(measureCpuMs() - startedMs).toBeLessThan(1_000)
    await failing
  })

  test('is recognized at the end of a long response without building the rest', async () => {
    await chooseFlood('the error at the end', 200)
    const { result, busyMs } = await measureCost(() =>
      expectAppError(client.request(createTarget(baseUrl), { endpoint: getSmallRead(), attempts: 1 })),
    )
    expect(result.wire).toMatchObject({ kind: 'host', code: 'FLOOD', message: 'too much' })
    expect(busyMs).toBeLessThan(1_000)
  })

  test('is shown by its status if it has no error member, or has it beyond the stored part', async () => {
    await chooseFlood('no JSON', 502)
    const page = await expectAppError(client.request(createTarget(baseUrl), { endpoint: getSmallRead(), attempts: 1 }))
    expect(page.wire).toMatchObject({ kind: 'malformed', code: 'NOT_JSON', status: 502 })
    await chooseFlood('other members first', 503)
    const lateError = await expectAppError(
      client.request(createTarget(baseUrl), { endpoint: getSmallRead(), attempts: 1 }),
    )
    expect(lateError.wire).toMatchObject({ kind: 'http', code: 'HTTP_STATUS', status: 503, retryable: true })
  })

  test.each(floods)('is recognized in the response to a write: %s with status %i', async (name, status) => {
    await chooseFlood(name, status)
    const target = createTarget(baseUrl, { isReadOnly: false })
    const request = {
      endpoint: getEndpoint('notes.title'),
      params: { noteid: 'N' },
      body: { title: 'T', confirm: true },
    }
    const { result, bytes, busyMs } = await measureCost(() => client.sendOnce(target, request))
    expect(result).toMatchObject({ kind: 'answer', status, isTruncated: true, value: { error: { code: 'FLOOD' } } })
    expect(getJsonSize(result)).toBeLessThan(80_000)
    expect(bytes).toBeLessThan(64 * MB)
    expect(busyMs).toBeLessThan(1_000)
  })

  test('is recognized in a status', async () => {
    for (const [name, status] of [...floods, ['values without an error', 200]] as const) {
      await chooseFlood(name, status)
      const { result, bytes, busyMs } = await measureCost(() =>
        expectAppError(probeHost(client, createTarget(baseUrl), new AbortController().signal)),
      )
      expect(result.code).toMatch(/^(?:FLOOD|RESPONSE_TOO_LARGE)$/)
      expect(bytes).toBeLessThan(64 * MB)
      expect(busyMs).toBeLessThan(1_000)
    }
  })

  test('is recognized in a response for content', async () => {
    for (const [name, status] of floods.filter(([, code]) => code !== 200)) {
      await chooseFlood(name, status)
      const params = { noteid: 'N', contentId: 'C' }
      const { result, bytes } = await measureCost(() =>
        expectAppError(
          client.openStream(createTarget(baseUrl), { endpoint: getEndpoint('notes.content'), params, attempts: 1 }),
        ),
      )
      expect(result.wire).toMatchObject({ kind: 'host', code: 'FLOOD', status, cut: true })
      expect(bytes).toBeLessThan(64 * MB)
    }
  })
})

describe('value count of a response', () => {
  test('is limited before the value is built', async () => {
    const server = net.createServer((socket) => {
      const body = `{"bridgeApiVersion":"0.91","routes":[${'0,'.repeat(60_000)}0]}`
      socket.once('data', () =>
        socket.end(
          `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        ),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as net.AddressInfo
    const target = createTarget(`http://127.0.0.1:${port}/bridge/v1`)
    const failure = await expectAppError(client.requestJson(target, { endpoint: getSmallRead(), maxValues: 50_000 }))
    expect(failure.wire).toMatchObject({ kind: 'malformed', code: 'TOO_MANY_VALUES', params: { limit: 50_000 } })
    server.close()
  })
})
