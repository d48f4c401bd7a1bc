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

const ask = (behaviour: does.Behaviour, limits: Partial<RequestLimits>, signal?: AbortSignal) => {
  host.setBehaviour(behaviour)
  return client.request(createTarget(host.baseUrl), { endpoint: getSmallRead(), limits, ...(signal ? { signal } : {}) })
}

/**
 * Timers stand still until the test advances them; sockets keep going. Returns how often a timer
 * was restarted.
 */
function underOurClock(): () => number {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => {
    vi.restoreAllMocks()
    vi.useRealTimers()
  })
  let count = 0
  const faked = globalThis.setTimeout
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((...given: Parameters<typeof faked>) => {
    const timer = faked(...given)
    const refresh = timer.refresh.bind(timer)
    timer.refresh = () => {
      count += 1
      return refresh()
    }
    return timer
  }) as typeof faked)
  return () => count
}

describe('a slow host', () => {
  test('safety 35: a port that accepts no connection ends in the connect timeout', async () => {
    const deaf = await startDeafPort()
    const asked = { endpoint: getSmallRead(), limits: { connectTimeoutMs: 150 }, attempts: 1 }
    const failure = await expectAppError(client.request(createTarget(deaf.baseUrl), asked))
    await deaf.close()
    expect(failure.wire).toMatchObject({ kind: 'timeout', code: 'TIMEOUT_CONNECT', params: { ms: 150 } })
  })

  test('safety 35: a TLS handshake that never ends counts as connecting', async () => {
    const plain = await startMisbehavingHost(does.neverRespond())
    const target = createTarget(plain.baseUrl.replace('http:', 'https:'))
    const asked = { endpoint: getSmallRead(), limits: { connectTimeoutMs: 150 }, attempts: 1 }
    const failure = await expectAppError(client.request(target, asked))
    expect(failure.code).toBe('TIMEOUT_CONNECT')
    await expect.poll(() => plain.countConnections().open).toBe(0)
    await plain.close()
  })

  test.each([
    ['says nothing', does.neverRespond()],
    ['stops in the head', does.respondRaw('')],
    ['stops in the body', does.stallBody('{"nodes":[')],
  ])('safety 35: a host that %s ends in the idle timeout', async (name, behaviour) => {
    const stopped: does.Behaviour =
      name === 'stops in the head' ? (socket) => void socket.write('HTTP/1.1 200 OK\r\nConte') : behaviour
    const failure = await expectAppError(ask(stopped, { idleTimeoutMs: 120 }))
    expect(failure.wire).toMatchObject({ kind: 'timeout', code: 'TIMEOUT_IDLE', params: { ms: 120 } })
    await expect.poll(() => host.countConnections().open).toBe(0)
  })

  test.each([
    ['head', does.dripBytes(20)],
    ['body', does.dripBytes(20, '')],
  ])('safety 35: a drip of bytes in the %s ends in the total timeout', async (part, behaviour) => {
    const dripping: does.Behaviour =
      part === 'head'
        ? behaviour
        : (socket, request) => {
            void does.stallBody('{')(socket, request)
            void behaviour(socket, request)
          }
    const failure = await expectAppError(ask(dripping, { totalTimeoutMs: 300 }))
    expect(failure.wire).toMatchObject({ kind: 'timeout', code: 'TIMEOUT_TOTAL', params: { ms: 300 } })
    await expect.poll(() => host.countConnections().open).toBe(0)
  })

  test('safety 35: bytes that keep coming keep the idle timer from firing', async () => {
    let socket: net.Socket | null = null
    const begins: does.Behaviour = (opened) => {
      socket = opened
      opened.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n{')
    }
    const begunAnew = underOurClock()
    const answer = ask(begins, { idleTimeoutMs: 300 })
    await expect.poll(() => socket).not.toBeNull()
    for (let left = 9; left > 0; left -= 1) {
      const before = begunAnew()
      ;(socket as net.Socket | null)?.write(left === 1 ? '}' : ' ')
      if (left === 1) break
      await expect.poll(begunAnew).toBeGreaterThan(before)
      vi.advanceTimersByTime(200)
    }
    expect((await answer).bytes.byteLength).toBe(10)
  })

  test('a kept-alive socket accumulates no listeners', async () => {
    const warnings: Error[] = []
    const warned = (warning: Error): void => void warnings.push(warning)
    process.on('warning', warned)
    for (let count = 0; count < 15; count += 1) await ask(does.respondJson({}), {})
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('warning', warned)
    expect(warnings).toEqual([])
  })

  test('safety 35: a request that timed out is not silently repeated', async () => {
    exchanges.length = 0
    await expectAppError(ask(does.neverRespond(), { idleTimeoutMs: 100 }))
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
  ])('safety 35: a request is cancelled %s, and its connection is gone', async (_, behaviour) => {
    const abort = new AbortController()
    if (behaviour === null) abort.abort()
    const before = host.requests.length
    const pending = expectAppError(ask(behaviour ?? does.neverRespond(), { maxBytes: 4_000_000_000 }, abort.signal))
    if (behaviour !== null) {
      await expect.poll(() => host.requests.length).toBe(before + 1)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    abort.abort()
    expect((await pending).wire).toMatchObject({ kind: 'cancelled', code: 'CANCELLED' })
    await expect.poll(() => host.countConnections().open).toBe(0)
    expect(host.requests.length).toBe(behaviour === null ? before : before + 1)
  })

  test('a pause between two attempts is cancelled as well', async () => {
    const abort = new AbortController()
    const busy = does.respondHostError(429, { code: 'SCAN_BUSY', message: 'busy', retryAfterSeconds: 20 })
    const before = host.requests.length
    const pending = expectAppError(ask(busy, {}, abort.signal))
    await expect.poll(() => exchanges.at(-1)?.error?.code).toBe('SCAN_BUSY')
    abort.abort()
    expect((await pending).kind).toBe('cancelled')
    expect(host.requests.length).toBe(before + 1)
  })

  test('over TLS, a cancel in the handshake sends nothing', async () => {
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
