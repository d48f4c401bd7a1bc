import type net from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { RequestLimits } from '../../../../electron/services/bridge/types.ts'
import * as does from '../../../support/hosts/behaviours.ts'
import { getSmallRead, expectAppError, createTarget, createTestClient } from '../../../support/services/test-client.ts'
import { createCertificate } from '../../../support/hosts/certificates.ts'
import { startDeafPort, startMisbehavingHost, type MisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'

const { client, exchanges } = createTestClient()
let host: MisbehavingHost

beforeAll(async () => {
  host = await startMisbehavingHost(does.neverRespond())
})
afterAll(() => host.close())

const requestWithLimits = (behaviour: does.Behaviour, limits: Partial<RequestLimits>, signal?: AbortSignal) => {
  host.setBehaviour(behaviour)
  return client.request(createTarget(host.baseUrl), { endpoint: getSmallRead(), limits, ...(signal ? { signal } : {}) })
}

/**
 * Stops timers until the test advances them, while sockets keep going. Returns a function that
 * counts the restarts of timers.
 */
function stopTimers(): () => number {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })
  let count = 0
  const faked = globalThis.setTimeout
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((...timerArguments: Parameters<typeof faked>) => {
    const timer = faked(...timerArguments)
    const refresh = timer.refresh.bind(timer)
    timer.refresh = () => {
      count += 1
      return refresh()
    }
    return timer
  }) as typeof faked)
  return () => count
}

describe('slow host', () => {
  test('safety 35: ends in the connect timeout if its port accepts no connection', async () => {
    const deaf = await startDeafPort()
    const request = { endpoint: getSmallRead(), limits: { connectTimeoutMs: 150 }, attempts: 1 }
    const failure = await expectAppError(client.request(createTarget(deaf.baseUrl), request))
    await deaf.close()
    expect(failure.wire).toMatchObject({ kind: 'timeout', code: 'TIMEOUT_CONNECT', params: { ms: 150 } })
  })

  test('safety 35: ends in the connect timeout in a TLS handshake without end', async () => {
    const plain = await startMisbehavingHost(does.neverRespond())
    const target = createTarget(plain.baseUrl.replace('http:', 'https:'))
    const request = { endpoint: getSmallRead(), limits: { connectTimeoutMs: 150 }, attempts: 1 }
    const failure = await expectAppError(client.request(target, request))
    expect(failure.code).toBe('TIMEOUT_CONNECT')
    await expect.poll(() => plain.countConnections().open).toBe(0)
    await plain.close()
  })

  test.each([
    ['says nothing', does.neverRespond()],
    ['stops in the head', does.respondRaw('')],
    ['stops in the body', does.stallBody('{"nodes":[')],
  ])('safety 35: ends in the idle timeout if it %s', async (name, behaviour) => {
    const stopped: does.Behaviour =
      name === 'stops in the head' ? (socket) => void socket.write('HTTP/1.1 200 OK\r\nConte') : behaviour
    const failure = await expectAppError(requestWithLimits(stopped, { idleTimeoutMs: 120 }))
    expect(failure.wire).toMatchObject({ kind: 'timeout', code: 'TIMEOUT_IDLE', params: { ms: 120 } })
    await expect.poll(() => host.countConnections().open).toBe(0)
  })

  test.each([
    ['head', does.dripBytes(20)],
    ['body', does.dripBytes(20, '')],
  ])('safety 35: ends in the total timeout if bytes drip in the %s', async (part, behaviour) => {
    const dripping: does.Behaviour =
      part === 'head'
        ? behaviour
        : (socket, request) => {
            void does.stallBody('{')(socket, request)
            void behaviour(socket, request)
          }
    const failure = await expectAppError(requestWithLimits(dripping, { totalTimeoutMs: 300 }))
    expect(failure.wire).toMatchObject({ kind: 'timeout', code: 'TIMEOUT_TOTAL', params: { ms: 300 } })
    await expect.poll(() => host.countConnections().open).toBe(0)
  })

  test('safety 35: does not end in the idle timeout while bytes keep coming', async () => {
    let socket: net.Socket | null = null
    const startResponse: does.Behaviour = (opened) => {
      socket = opened
      opened.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{')
    }
    const countTimerRestarts = stopTimers()
    const pendingResponse = requestWithLimits(startResponse, { idleTimeoutMs: 300 })
    await expect.poll(() => socket).not.toBeNull()
    for (let left = 9; left > 0; left -= 1) {
      const before = countTimerRestarts()
      ;(socket as net.Socket | null)?.write(left === 1 ? '}' : ' ')
      if (left === 1) break
      await expect.poll(countTimerRestarts).toBeGreaterThan(before)
      vi.advanceTimersByTime(200)
    }
    expect((await pendingResponse).bytes.byteLength).toBe(10)
  })

  test('leaves no listeners on a kept-alive socket', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error): void => void warnings.push(warning)
    process.on('warning', onWarning)
    for (let count = 0; count < 15; count += 1) await requestWithLimits(does.respondJson({}), {})
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  test('safety 35: is not asked again after a timeout', async () => {
    exchanges.length = 0
    await expectAppError(requestWithLimits(does.neverRespond(), { idleTimeoutMs: 100 }))
    expect(exchanges).toHaveLength(1)
  })
})

describe('cancel', () => {
  test.each([
    ['before it is sent', null],
    ['while nothing comes', does.neverRespond()],
    ['in the body', does.stallBody('{')],
    ['in an endless body', does.sendEndlessBody(Buffer.alloc(65_536, 32))],
    ['while bytes drip', does.dripBytes(10)],
  ])('safety 35: ends a request %s, and its connection', async (_, behaviour) => {
    const abort = new AbortController()
    if (behaviour === null) abort.abort()
    const before = host.requests.length
    const pending = expectAppError(
      requestWithLimits(behaviour ?? does.neverRespond(), { maxBytes: 4_000_000_000 }, abort.signal),
    )
    if (behaviour !== null) {
      await expect.poll(() => host.requests.length).toBe(before + 1)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    abort.abort()
    expect((await pending).wire).toMatchObject({ kind: 'cancelled', code: 'CANCELLED' })
    await expect.poll(() => host.countConnections().open).toBe(0)
    expect(host.requests.length).toBe(behaviour === null ? before : before + 1)
  })

  test('ends a pause between two attempts', async () => {
    const abort = new AbortController()
    const busy = does.respondHostError(429, { code: 'SCAN_BUSY', message: 'busy', retryAfterSeconds: 20 })
    const before = host.requests.length
    const pending = expectAppError(requestWithLimits(busy, {}, abort.signal))
    await expect.poll(() => exchanges.at(-1)?.error?.code).toBe('SCAN_BUSY')
    abort.abort()
    expect((await pending).kind).toBe('cancelled')
    expect(host.requests.length).toBe(before + 1)
  })

  test('sends nothing over TLS if it comes in the handshake', async () => {
    const certificate = await createCertificate()
    const secure = await startMisbehavingHost(does.neverRespond(), { certificate })
    const abort = new AbortController()
    const pending = expectAppError(
      client.request(createTarget(secure.baseUrl), { endpoint: getSmallRead(), signal: abort.signal, attempts: 1 }),
    )
    abort.abort()
    expect((await pending).kind).toBe('cancelled')
    expect(secure.getReceivedBytes()).toHaveLength(0)
    await secure.close()
  })
})
