import type { IncomingMessage, ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import type { EndpointId } from '../../shared/bridge/endpoints/index.ts'
import { DemoError, type DemoReply, type BytesReply } from './state/reply.ts'
import { createGeneratedSound } from './media/melody.ts'

export const contentFaultDescriptions = {
  'no-range': 'pictures, sound, film and files are always sent whole, despite Range',
  'wrong-range': 'a Range is answered with the bytes next to it',
  'svg-content': 'every picture, sound, film and file is an SVG with scripts',
  'html-content': 'every picture, sound, film and file is HTML with scripts that calls itself a PNG',
  'untyped-content': 'pictures, sound, film and files without a content type',
  'huge-media': 'sound and film of 512 MB, generated while being sent',
} as const
export type ContentFault = keyof typeof contentFaultDescriptions

export function isContentFault(name: string): name is ContentFault {
  return Object.hasOwn(contentFaultDescriptions, name)
}

/** The ways in which the demo host can misbehave on purpose, with a description of each. */
export const faultDescriptions = {
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
  drift: 'newer versions of the host, which deviate from the contract in 40 ways (--drift-version)',
  ...contentFaultDescriptions,
} as const
export type FaultName = keyof typeof faultDescriptions

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(faultDescriptions, name)
}

/**
 * `GET /status` is exempt, because otherwise every fault would only look like "offline". With
 * `drift` it tells the version, so that fault is applied apart from the others.
 */
export function isFaultExempt(endpointId: EndpointId): boolean {
  return endpointId === 'status.get'
}

/** False for faults that change the route's own reply (`applyReplyFault`) or act elsewhere. */
export function respondWithFault(name: FaultName, request: IncomingMessage, response: ServerResponse): boolean {
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
      sendSlowly(response)
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
      sendEndlessly(response)
      return true
    case 'gzip-bomb':
      response.writeHead(200, { ...json, 'Content-Encoding': 'gzip' }).end(createGzipBomb())
      return true
    case 'deep-json':
      response.writeHead(200, json).end(`{"nodes":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)
      return true
    default:
      return false
  }
}

let gzipMember: Buffer | null = null

/** Returns eight gzip members of 64 MB each, which readers treat as one stream. */
function createGzipBomb(): Buffer {
  gzipMember ??= gzipSync(Buffer.alloc(64 * 1024 * 1024))
  return Buffer.concat(Array.from({ length: 8 }, () => gzipMember ?? Buffer.alloc(0)))
}

function sendSlowly(response: ServerResponse): void {
  const text = '{"slow":true}'
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': text.length })
  let offset = 0
  const timer = setInterval(() => {
    response.write(text[offset] ?? '')
    offset += 1
    if (offset >= text.length) {
      clearInterval(timer)
      response.end()
    }
  }, 200)
  response.once('close', () => clearInterval(timer))
}

function sendEndlessly(response: ServerResponse): void {
  response.writeHead(200, { 'Content-Type': 'application/json' })
  response.write('{"x":"')
  const piece = Buffer.alloc(256 * 1024, 120)
  const writePieces = (): void => {
    while (!response.destroyed && response.write(piece)) continue
  }
  // The event loop gets a turn between writes, so that the host keeps responding to other requests.
  response.on('drain', () => setImmediate(writePieces))
  writePieces()
}

export function applyReplyFault(name: FaultName, endpointId: EndpointId, reply: DemoReply): DemoReply | Buffer {
  if (reply.kind === 'bytes') return applyContentFault(name, reply)
  if (reply.kind !== 'json') return reply
  if (name === 'error-after') return new DemoError(500, 'INTERNAL', 'The host failed while answering.').reply()
  const insert = (members: string): DemoReply => ({ ...reply, text: `{${members},${reply.text.slice(1)}` })
  if (name === 'big-numbers') return insert('"bigId":12345678901234567890,"exact":0.12345678901234567891')
  if (name === 'duplicate-keys') return insert('"twice":1,"twice":2')
  if (name === 'invalid-utf8') {
    const [head, tail] = ['{"broken":"caf', `",${reply.text.slice(1)}`]
    return Buffer.concat([Buffer.from(head), Buffer.from([0xe9]), Buffer.from(tail)])
  }
  if (name === 'tree-problems' && endpointId === 'studySets.tree') return corruptTreePage(reply)
  return reply
}

/** Adds one node for each possible defect of a tree page. */
function corruptTreePage(reply: DemoReply & { kind: 'json' }): DemoReply {
  const page = JSON.parse(reply.text) as { nodes: { noteid: string; title?: string }[]; nodeTotal: number }
  const [first] = page.nodes
  const defects = [
    { noteid: 'ORPHAN-1', parent: 'NOBODY', title: 'Orphan: parent is unknown', childCount: 0 },
    { noteid: 'SELF-1', parent: 'SELF-1', title: 'Its own parent', childCount: 1 },
    { noteid: 'CYCLE-A', parent: 'CYCLE-B', title: 'Cycle A', childCount: 1 },
    { noteid: 'CYCLE-B', parent: 'CYCLE-A', title: 'Cycle B', childCount: 1 },
    ...(first ? [{ ...first, title: `Duplicate of ${first.title ?? ''}` }] : []),
  ]
  const value = {
    ...page,
    nodes: [...page.nodes, ...defects],
    nodeTotal: page.nodeTotal + 50,
    walkLimitReached: true,
    truncated: true,
  }
  return { ...reply, text: JSON.stringify(value) }
}

/** Everything that could run a script or load a file; `loads` is a server that counts requests. */
export function createHostileSvg(loads = 'http://127.0.0.1:9'): string {
  return `<?xml version="1.0"?>
<!-- not the first element -->
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="320" height="200" onload="hacked('onload')">
<script>function hacked(by) { try { top.hacked = by } catch {} ; new Image().src = '${loads}/ran-' + by }; hacked('script')</script>
<script xlink:href="${loads}/script.js"/>
<style>@import url(${loads}/style.css); rect { fill: url(${loads}/fill.svg#x) }</style>
<rect width="320" height="200" fill="#e8f0e4"/>
<text x="16" y="40" font-size="20">An SVG with scripts</text>
<image href="${loads}/image.png" width="10" height="10"/>
<use href="${loads}/use.svg#x"/>
<a href="javascript:hacked('link')"><text x="16" y="80">a link</text></a>
<animate attributeName="x" onbegin="hacked('animate')" dur="1s"/>
<foreignObject width="300" height="100"><body xmlns="http://www.w3.org/1999/xhtml">
<img src="${loads}/foreign.png" onerror="hacked('foreign')"/><iframe src="${loads}/frame"></iframe>
<meta http-equiv="refresh" content="1;url=${loads}/refresh"/>
<form action="${loads}/form"><button>send</button></form></body></foreignObject>
</svg>
`
}

export function createHostileHtml(loads = 'http://127.0.0.1:9'): string {
  return `<!doctype html>
<title>HTML as content</title><script>try { top.hacked = 'html' } catch {}; new Image().src = '${loads}/html-ran'</script>
<img src="${loads}/html-image.png" onerror="top.hacked='html-image'"><iframe src="${loads}/html-frame"></iframe>
<meta http-equiv="refresh" content="1;url=${loads}/html-refresh"><link rel="stylesheet" href="${loads}/html.css">
<p>HTML that calls itself a picture
`
}

const createTextBytes = (mimeType: string, body: string): BytesReply => ({
  kind: 'bytes',
  mimeType,
  bytes: Buffer.from(body),
})

function applyContentFault(name: string, reply: BytesReply): DemoReply {
  switch (name) {
    case 'svg-content':
      return createTextBytes('image/svg+xml', createHostileSvg())
    case 'html-content':
      return createTextBytes('image/png', createHostileHtml())
    case 'untyped-content':
      return { ...reply, mimeType: '' }
    case 'no-range':
      return { ...reply, ranges: 'ignored' }
    case 'wrong-range':
      return { ...reply, ranges: 'wrong' }
    case 'huge-media':
      return /^(?:audio|video)\//.test(reply.mimeType)
        ? { kind: 'made', mimeType: 'audio/wav', ...createGeneratedSound(512 * 1024 * 1024) }
        : reply
    default:
      return reply
  }
}
