import type { EndpointId } from '../../shared/bridge/endpoints/index.ts'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { contentFaults, spoilContent } from './content-faults.ts'
import { DemoError, type DemoReply } from './reply.ts'

/** How the demo host misbehaves on purpose, with what each fault shows. */
export const faults = {
  'malformed-json': 'JSON that breaks off in the middle of a name',
  'truncated-body': 'fewer bytes than Content-Length promises, then the end',
  'slow-drip': 'one byte every 200 ms',
  stall: 'the head of the answer, then nothing',
  reset: 'the connection is reset before an answer',
  'reset-after': 'the request is executed, then the connection is reset before an answer',
  'error-after': 'the request is executed, then answered with 500',
  'rate-limit': '429 SCAN_BUSY with retryAfterSeconds',
  'html-500': '500 with an HTML page',
  redirect: '307 to another port',
  'wrong-content-type': 'JSON declared as text/html',
  restart: 'every fifth request the host restarts: a gap of one second and a new instanceNonce',
  huge: 'an endless body',
  'gzip-bomb': '512 MB of zeros in half a megabyte of gzip',
  'invalid-utf8': 'an invalid UTF-8 byte inside a string',
  'big-numbers': 'numbers that no double can hold',
  'duplicate-keys': 'the same name twice in one object',
  'deep-json': 'arrays nested 100,000 deep',
  'tree-problems': 'orphans, duplicate ids, cycles and self-parents in every tree page',
  ...contentFaults,
} as const
export type FaultName = keyof typeof faults

export const isFault = (name: string): name is FaultName => Object.hasOwn(faults, name)

/** The heartbeat stays honest, so that a fault shows in what is read and not only as "offline". */
export const isSpared = (endpointId: EndpointId): boolean => endpointId === 'status.get'

/** Answers in place of the route. Returns false for faults that change the route's own answer (`spoil`) or happen elsewhere. */
export function misbehave(name: FaultName, request: IncomingMessage, response: ServerResponse): boolean {
  const json = { 'Content-Type': 'application/json' }
  switch (name) {
    case 'malformed-json':
      response.writeHead(200, json).end('{"nodes":[{"noteid":"A","ti')
      return true
    case 'truncated-body':
      response.writeHead(200, { ...json, 'Content-Length': 5_000 })
      response.write('{"nodes":[')
      setTimeout(() => response.destroy(), 20)
      return true
    case 'slow-drip':
      drip(response)
      return true
    case 'stall':
      response.writeHead(200, json)
      response.write('{')
      return true
    case 'reset':
      request.socket.resetAndDestroy()
      return true
    case 'rate-limit':
      response.writeHead(429, json)
      response.end(
        '{"error":{"code":"SCAN_BUSY","message":"A scan is under way.","retryable":true,"retryAfterSeconds":1}}',
      )
      return true
    case 'html-500':
      response.writeHead(500, { 'Content-Type': 'text/html' })
      response.end('<!doctype html><title>Error</title><h1>Internal Server Error</h1>')
      return true
    case 'redirect':
      response.writeHead(307, { Location: 'http://127.0.0.1:9/stolen' }).end()
      return true
    case 'huge':
      flood(response)
      return true
    case 'gzip-bomb':
      response.writeHead(200, { ...json, 'Content-Encoding': 'gzip' }).end(bomb())
      return true
    case 'deep-json':
      response.writeHead(200, json).end(`{"nodes":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
      return true
    default:
      return false
  }
}

let member: Buffer | null = null

/** Eight gzip members of 64 MB each, which readers take as one stream. */
function bomb(): Buffer {
  member ??= gzipSync(Buffer.alloc(64 * 1024 * 1024))
  return Buffer.concat(Array.from({ length: 8 }, () => member ?? Buffer.alloc(0)))
}

function drip(response: ServerResponse): void {
  const text = '{"slow":true}'
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': text.length })
  let at = 0
  const timer = setInterval(() => {
    response.write(text[at] ?? '')
    at += 1
    if (at >= text.length) {
      clearInterval(timer)
      response.end()
    }
  }, 200)
  response.once('close', () => clearInterval(timer))
}

function flood(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.write('{"x":"')
  const piece = Buffer.alloc(256 * 1024, 120)
  const more = (): void => {
    while (!response.destroyed && response.write(piece)) continue
  }
  // Lets the event loop turn in between, so that the host keeps answering others.
  response.on('drain', () => setImmediate(more))
  more()
}

/** Changes a route's own answer. */
export function spoil(name: FaultName, endpointId: EndpointId, reply: DemoReply): DemoReply | Buffer {
  if (reply.kind === 'bytes') return spoilContent(name, reply)
  if (reply.kind !== 'json') return reply
  if (name === 'error-after') return new DemoError(500, 'INTERNAL', 'The host failed while answering.').reply()
  const insert = (members: string): DemoReply => ({ ...reply, text: `{${members},${reply.text.slice(1)}` })
  if (name === 'big-numbers') return insert('"bigId":12345678901234567890,"exact":0.12345678901234567891')
  if (name === 'duplicate-keys') return insert('"twice":1,"twice":2')
  if (name === 'invalid-utf8') {
    const [head, tail] = ['{"broken":"caf', `",${reply.text.slice(1)}`]
    return Buffer.concat([Buffer.from(head), Buffer.from([0xe9]), Buffer.from(tail)])
  }
  if (name === 'tree-problems' && endpointId === 'studySets.tree') return tangle(reply)
  return reply
}

/** Adds one of everything that can be wrong with a tree page. */
function tangle(reply: DemoReply & { kind: 'json' }): DemoReply {
  const page = JSON.parse(reply.text) as { nodes: { noteid: string; title?: string }[]; nodeTotal: number }
  const [first] = page.nodes
  const strange = [
    { noteid: 'ORPHAN-1', parent: 'NOBODY', title: 'Orphan: parent is unknown', childCount: 0 },
    { noteid: 'SELF-1', parent: 'SELF-1', title: 'Its own parent', childCount: 1 },
    { noteid: 'CYCLE-A', parent: 'CYCLE-B', title: 'Cycle A', childCount: 1 },
    { noteid: 'CYCLE-B', parent: 'CYCLE-A', title: 'Cycle B', childCount: 1 },
    ...(first ? [{ ...first, title: `Duplicate of ${first.title ?? ''}` }] : []),
  ]
  const value = {
    ...page,
    nodes: [...page.nodes, ...strange],
    nodeTotal: page.nodeTotal + 50,
    walkLimitReached: true,
    truncated: true,
  }
  return { ...reply, text: JSON.stringify(value) }
}
