import http from 'node:http'
import { parseArgs } from 'node:util'
import { startDemoHost } from '../../../electron/demo-host/server.ts'

// A host whose pages of the large tree are serialised before anyone asks: what a load costs is then
// the program's, not the demo host's. Everything else is passed on to a demo host in this process.
// The parent sets the delay, asks for the counts, selects a card of the large set and settles
// commits by message; until then, none settles.

const { values } = parseArgs({ options: { nodes: { type: 'string' }, token: { type: 'string' } } })
const demo = await startDemoHost({
  nodes: Number(values.nodes),
  token: process.env['BENCH_TOKEN'],
  settleMs: Number.MAX_SAFE_INTEGER,
})
const authorization = `Bearer ${demo.token}`
const { prefix, topicid } = await largeSet()
/** By cursor; the first page under the empty one. */
const pages = new Map()
for (let cursor = ''; cursor !== null;) {
  const bytes = await bytesOf(`${prefix}?limit=5000${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`)
  pages.set(cursor, bytes)
  cursor = JSON.parse(bytes.toString()).nextCursor
}

let delayMs = 0
let requestCount = 0
let open = 0
/** When the last page that was begun ended, answered or not. */
let endedAt = 0
/** Requests that were passed on: by path, and those that the client did not wait for. */
const passed = new Map()
let abandoned = 0

const server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
  const url = new URL(request.url, 'http://127.0.0.1')
  const page = url.pathname === prefix ? pages.get(url.searchParams.get('cursor') ?? '') : undefined
  if (page === undefined || request.headers.authorization !== authorization) return passOn(request, response)
  requestCount += 1
  open += 1
  const send = () => {
    response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': page.byteLength })
    response.end(page)
  }
  const timer = delayMs > 0 ? setTimeout(send, delayMs) : null
  response.once('close', () => {
    if (timer) clearTimeout(timer)
    open -= 1
    endedAt = Date.now()
  })
  if (!timer) send()
})
server.listen(0, '127.0.0.1', () => {
  const baseUrl = `http://127.0.0.1:${server.address().port}/bridge/v1`
  process.send({ baseUrl, topicid, pages: pages.size })
})
process.on('message', (order) => {
  if (order.delayMs !== undefined) delayMs = order.delayMs
  if (order.select !== undefined)
    Object.assign(demo.state.openState, { topicid, noteid: demo.state.generatedSet.getCard(order.select).noteid })
  if (order.settleBut !== undefined) demo.state.writingDesk.finishCommits(order.settleBut)
  process.send({ asked: requestCount, open, endedAt, passed: Object.fromEntries(passed), abandoned })
})
process.on('disconnect', () => process.exit(0))

async function largeSet() {
  const { studySets } = JSON.parse((await bytesOf('/bridge/v1/library/study-sets')).toString())
  const { topicid: id } = studySets.find(({ noteCount }) => noteCount === Number(values.nodes))
  return { prefix: `/bridge/v1/study-sets/${id}/tree`, topicid: id }
}

async function bytesOf(path) {
  const response = await fetch(new URL(path, demo.baseUrl), { headers: { authorization } })
  if (!response.ok) throw new Error(`The demo host answered ${response.status} to ${path}.`)
  return Buffer.from(await response.arrayBuffer())
}

function passOn(request, response) {
  const { method, headers, url } = request
  const { pathname } = new URL(url, demo.baseUrl)
  passed.set(pathname, (passed.get(pathname) ?? 0) + 1)
  response.once('close', () => {
    if (!response.writableFinished) abandoned += 1
  })
  const on = http.request(new URL(url, demo.baseUrl), { method, headers }, (body) => {
    response.writeHead(body.statusCode, body.headers)
    body.pipe(response)
  })
  on.on('error', () => response.destroy())
  request.pipe(on)
}
