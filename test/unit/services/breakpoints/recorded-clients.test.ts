import { spawn } from 'node:child_process'
import type http from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import {
  BY_HAND_MARK,
  HELD_MARK,
  MAX_HELD_CALLS,
  type BreakpointRule,
  type HeldEdit,
} from '../../../../shared/panel/breakpoints.ts'
import { createTarget } from '../../../support/services/test-client.ts'
import { startClientProxy } from '../../../support/services/client-proxy.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const rule: BreakpointRule = {
  id: 'one',
  on: true,
  match: { method: '*', path: '/notes/*' },
  at: 'request',
  isErrorOnly: false,
  waitSeconds: 60,
}

async function startHeldProxy(more: Partial<BreakpointRule>, serve?: http.RequestListener) {
  const bodies: string[] = []
  const clientProxy = await startClientProxy(
    closing,
    (request, response) => {
      const pieces: Buffer[] = []
      request.on('data', (piece: Buffer) => pieces.push(piece))
      request.on('end', () => {
        bodies.push(Buffer.concat(pieces).toString())
        if (serve) serve(request, response)
        else response.end('{"fine":true}')
      })
    },
    false,
  )
  const { breakpoints } = clientProxy
  breakpoints.save([{ ...rule, ...more }])
  const waitForHeldId = async (): Promise<string> => {
    await expect.poll(() => breakpoints.state().held.length).toBe(1)
    return breakpoints.state().held[0]?.id ?? ''
  }
  return { ...clientProxy, bodies, waitForHeldId }
}

test('a request is held by a member of its body, edited, and recorded as it was sent', async () => {
  const { sendRequest, breakpoints, bodies, requests, recorder, waitForHeldId, key } = await startHeldProxy({
    match: { method: 'POST', path: '/notes/{noteid}', body: [{ at: '/title', equals: 'A' }] },
  })
  const lines = [`Authorization: Bearer ${key}`, 'X-Client: 1', 'Content-Type: application/json']
  expect((await sendRequest('POST', '/bridge/v1/notes/N', lines, '{"title":"B"}')).status).toBe(200)
  const response = sendRequest('POST', '/bridge/v1/notes/N', lines, '{"title":"A"}')
  const id = await waitForHeldId()
  expect(breakpoints.getHeld(id).request.headers).toEqual([
    ['X-Client', '1'],
    ['Content-Type', 'application/json'],
  ])
  breakpoints.resume(id, {
    kind: 'continue',
    edit: { body: '{"title":"C, longer"}', headers: [['X-Client', '2']] },
  })
  expect((await response).body).toBe('{"fine":true}')
  expect(bodies).toEqual(['{"title":"B"}', '{"title":"C, longer"}'])
  expect(requests.map(({ headers }) => [headers['x-client'], headers.authorization === `Bearer ${key}`])).toEqual([
    ['1', false],
    ['2', false],
  ])
  await expect.poll(() => recorder.exchanges.length).toBe(2)
  expect(recorder.exchanges.map(({ start }) => start.rule)).toEqual([undefined, HELD_MARK])
  expect(breakpoints.getRecords(recorder.exchanges[1]?.start.id ?? '')).toMatchObject([{ edited: ['headers', 'body'] }])
})

test('a request goes on with another method and path, and is judged and recorded as it was sent', async () => {
  const { sendRequest, breakpoints, requests, recorder, waitForHeldId } = await startHeldProxy({})
  const response = sendRequest('GET', '/bridge/v1/notes/N?a=1')
  const id = await waitForHeldId()
  const resume = (edit: HeldEdit): void => breakpoints.resume(id, { kind: 'continue', edit })
  expect(() => resume({ path: '/notes/../../x' })).toThrow('must not lead outside')
  resume({ method: 'DELETE', path: '/notes/M?b=2' })
  expect((await response).status).toBe(200)
  expect(requests.map(({ method, url }) => `${method} ${url}`)).toEqual(['DELETE /bridge/v1/notes/M?b=2'])
  await expect.poll(() => recorder.exchanges.length).toBe(1)
  const [exchange] = recorder.exchanges
  expect(exchange?.start).toMatchObject({ method: 'DELETE', path: '/notes/M?b=2', rule: HELD_MARK })
  expect(breakpoints.getRecords(exchange?.start.id ?? '')).toMatchObject([{ edited: ['method', 'path'] }])
})

test('a read that a person made a write is refused while the profile is read-only', async () => {
  const { sendRequest, breakpoints, requests, waitForHeldId, setTarget, host } = await startHeldProxy({})
  setTarget(createTarget(host.baseUrl, { isReadOnly: true }))
  const response = sendRequest('GET', '/bridge/v1/notes/N')
  breakpoints.resume(await waitForHeldId(), { kind: 'continue', edit: { method: 'DELETE' } })
  expect(await response).toMatchObject({ status: 403, body: expect.stringContaining('READ_ONLY') as string })
  expect(requests).toEqual([])
})

test('a compressed response is edited as text, and goes on unchanged byte for byte otherwise', async () => {
  const { sendRequest, breakpoints, waitForHeldId } = await startHeldProxy({ at: 'response' }, (_, response) => {
    response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip', ETag: '"1"' })
    response.end(gzipSync('{"fine":true}'))
  })
  const unchanged = sendRequest('GET', '/bridge/v1/notes/N')
  breakpoints.resume(await waitForHeldId(), { kind: 'continue' })
  expect(await unchanged).toMatchObject({ status: 200, headers: { etag: '"1"' } })
  const edited = sendRequest('GET', '/bridge/v1/notes/N')
  const id = await waitForHeldId()
  expect(breakpoints.getHeld(id).response?.body).toBe('{"fine":true}')
  breakpoints.resume(id, { kind: 'continue', edit: { status: 409, body: '{"fine":false}' } })
  const response = await edited
  expect(response).toMatchObject({ status: 409, body: '{"fine":false}', headers: { 'content-length': '14' } })
  expect(response.headers['content-encoding']).toBeUndefined()
})

test('a request is answered or failed by hand without the host, and disappears with its client', async () => {
  const { sendRequest, breakpoints, requests, recorder, clientProxy, waitForHeldId } = await startHeldProxy({})
  const response = sendRequest('GET', '/bridge/v1/notes/N')
  breakpoints.resume(await waitForHeldId(), { kind: 'answer', status: 404, headers: [['X-By', 'hand']], body: 'no' })
  expect(await response).toMatchObject({ status: 404, body: 'no', headers: { 'x-by': 'hand' } })
  const failed = sendRequest('GET', '/bridge/v1/notes/N')
  breakpoints.resume(await waitForHeldId(), { kind: 'fail' })
  await failed.catch(() => undefined)
  expect(recorder.exchanges.map(({ start }) => start.rule)).toEqual([BY_HAND_MARK, BY_HAND_MARK])
  expect(JSON.stringify(recorder.exchanges.map(({ start }) => start.headers))).not.toContain('Bearer')
  const stopped = sendRequest('GET', '/bridge/v1/notes/N').catch(() => undefined)
  await waitForHeldId()
  await clientProxy.stop()
  await stopped
  expect(breakpoints.state()).toMatchObject({ held: [], lapses: [{ reason: 'gone', count: 1 }] })
  expect(requests).toEqual([])
})

test('a write is refused if the profile is locked or disconnected while it is held', async () => {
  const { sendRequest, breakpoints, requests, host, setTarget, waitForHeldId, key } = await startHeldProxy({})
  const send = () =>
    sendRequest('POST', '/bridge/v1/notes/N', [`Authorization: Bearer ${key}`, 'Content-Type: application/json'], '{}')
  const locked = send()
  const lockedId = await waitForHeldId()
  setTarget(createTarget(host.baseUrl, { isReadOnly: true }))
  breakpoints.resume(lockedId, { kind: 'continue' })
  expect((await locked).body).toContain('READ_ONLY')
  setTarget(createTarget(host.baseUrl, { isReadOnly: false }))
  const disconnected = send()
  await waitForHeldId()
  breakpoints.releaseMovedCalls()
  expect(breakpoints.state().held).toHaveLength(1)
  setTarget(null)
  breakpoints.releaseMovedCalls()
  expect(breakpoints.state().held).toEqual([])
  expect((await disconnected).body).toContain('NOT_CONNECTED')
  expect(requests).toEqual([])
})

test('of 500 calls at once, as many as can be held are held, and every other one goes on', async () => {
  const { breakpoints, port, key, requests } = await startHeldProxy({ on: false })
  breakpoints.setHoldingAll(true)
  const client = startBurstClient(port, key)
  await expect.poll(() => client.getEndedCount()).toBe(CALL_COUNT - MAX_HELD_CALLS)
  expect(breakpoints.state()).toMatchObject({ lapses: [{ reason: 'full', count: CALL_COUNT - MAX_HELD_CALLS }] })
  expect(breakpoints.state().held).toHaveLength(MAX_HELD_CALLS)
  breakpoints.setHoldingAll(false)
  expect(await client.exited).toEqual(new Array<string>(CALL_COUNT).fill('200'))
  expect(requests).toHaveLength(CALL_COUNT)
})

const CALL_COUNT = 500
/** Prints a line for each call that has ended: its status, or the code of its error. */
const BURST_CLIENT = `
const http = require('node:http')
const [port, key, count] = process.argv.slice(1)
const agent = new http.Agent({ maxSockets: Infinity })
const headers = { Authorization: 'Bearer ' + key }
for (let index = 0; index < Number(count); index += 1)
  http
    .get({ port, agent, path: '/bridge/v1/notes/N-' + index, headers }, (response) =>
      response.resume().once('end', () => console.log(response.statusCode)),
    )
    .once('error', ({ code }) => console.log(code))
`

/** A program of its own connects as fast as the machine can, while the listener does other work. */
function startBurstClient(port: number, key: string) {
  const client = spawn(process.execPath, ['-e', BURST_CLIENT, String(port), key, String(CALL_COUNT)])
  closing.push(() => client.kill())
  let printed = ''
  client.stdout.on('data', (piece: Buffer) => (printed += piece.toString()))
  const listEnded = (): string[] => printed.split('\n').filter((line) => line !== '')
  const exited = new Promise<string[]>((resolve) => client.once('close', () => resolve(listEnded())))
  return { getEndedCount: () => listEnded().length, exited }
}

test('a request that is held while the host restarts is refused, and its response reaches the client', async () => {
  const { sendRequest, breakpoints, requests, host, setTarget, waitForHeldId } = await startHeldProxy({})
  const response = sendRequest('GET', '/bridge/v1/notes/N')
  await waitForHeldId()
  setTarget(createTarget(host.baseUrl, { isReadOnly: false, epoch: 2 }))
  breakpoints.releaseMovedCalls()
  expect((await response).body).toContain('HOST_CHANGED')
  expect(requests).toEqual([])
  expect(breakpoints.state().lapses).toEqual([{ reason: 'host-changed', count: 1 }])
  breakpoints.save([{ ...rule, at: 'response' }])
  const secondResponse = sendRequest('GET', '/bridge/v1/notes/N')
  await waitForHeldId()
  setTarget(createTarget(host.baseUrl, { isReadOnly: false, epoch: 3 }))
  breakpoints.releaseMovedCalls()
  expect((await secondResponse).body).toBe('{"fine":true}')
})
