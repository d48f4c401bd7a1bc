import http from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { spawnDemoHost } from '../../electron/demo-host/demo-thread.ts'
import { createBridgeClient } from '../../electron/services/bridge/client/client.ts'
import { createBreakpoints } from '../../electron/services/breakpoints/breakpoints.ts'
import { createBus } from '../../electron/services/bus.ts'
import { createClientProxy } from '../../electron/services/client-proxy/client-proxy.ts'
import { createRecorder } from '../../electron/services/traffic/recorder.ts'
import { createThreadStore } from '../../electron/services/traffic/thread/thread-store.ts'
import { getEndpoint } from '../../shared/bridge/endpoints/index.ts'

const CARDS = 200_000
const SMALL = 400
const ROUNDS = 5
const toUrl = (file) => new URL(`../../electron/${file}`, import.meta.url)
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/**
 * What recording another client costs it: the added latency of a small read, and the throughput of
 * pages of 5,000 nodes, each beside direct and beside a bare proxy of Node's `http`, which neither
 * masks nor records.
 */
export async function measureRecording() {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))
  const host = await spawnDemoHost({ worker: toUrl('demo-host/worker.ts'), nodes: CARDS, dialect: '0.91' })
  const silent = { add: (notice) => console.error(notice), error: console.error }
  const bus = createBus()
  const recorder = createRecorder({
    bus,
    getMaxBodyBytes: () => 64 * 1024 * 1024,
    conceal: (text) => text,
    createStore: (onChange) =>
      createThreadStore({
        dataDir,
        runStartedAt: Date.now(),
        worker: toUrl('services/traffic/thread/worker.ts'),
        notices: silent,
        log: silent,
        onChange,
      }),
  })
  const limits = { connectTimeoutMs: 5_000, idleTimeoutMs: 60_000, totalTimeoutMs: 60_000, maxBytes: 268_435_456 }
  const client = createBridgeClient({ limits: () => limits, recorder })
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  const common = { tlsFingerprint: null, isReadOnly: true, epoch: 1, pathOverrides: {}, limits: null }
  const target = { ...common, baseUrl: host.baseUrl, token: host.token, auth }
  const connection = { target: () => target, capabilities: () => null, state: () => ({ profile: target }) }
  const breakpoints = createBreakpoints({
    bus,
    holdsToken: (text) => text.includes(host.token),
    recorder,
    checkHost: () => Promise.resolve(),
  })
  const recording = createClientProxy({
    breakpoints,
    recorder,
    client,
    connection,
    bus,
    notices: silent,
    conceal: (text) => text,
  })
  let bare = null
  try {
    const sets = await client.requestJson(target, { endpoint: getEndpoint('studySets.list') })
    const { topicid } = sets.value.studySets.find(({ noteCount }) => noteCount === CARDS)
    const { baseUrl, key } = await recording.start({})
    const tree = getEndpoint('studySets.tree').path.replace('{topicid}', topicid)
    bare = elsewhere({ upstream: host.baseUrl })
    const variants = {
      direct: [host.baseUrl, host.token],
      bare: [await bare.report, host.token],
      recorded: [baseUrl, key],
    }
    return { ...(await elsewhere({ ways: variants, tree }).report), cards: CARDS }
  } finally {
    await bare?.worker.terminate()
    await recording.stop()
    breakpoints.close()
    client.close()
    await recorder.close()
    await host.close()
    rmSync(dataDir, { recursive: true })
  }
}

/**
 * The client and the bare proxy run in threads of their own, as they are programs of their own.
 * Resolves with the first message.
 */
function elsewhere(data) {
  const worker = new Worker(new URL(import.meta.url), { workerData: data })
  const firstReport = new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', reject)
  })
  return { worker, report: firstReport }
}

async function measureAsClient({ ways, tree }) {
  const names = Object.keys(ways)
  const agents = Object.fromEntries(names.map((name) => [name, new http.Agent({ keepAlive: true })]))
  const get = (name, request) =>
    new Promise((resolve, reject) => {
      const [baseUrl, secret] = ways[name]
      const url = new URL(baseUrl + request)
      http
        .get(url, { agent: agents[name], headers: { Authorization: `Bearer ${secret}` } }, (response) => {
          const pieces = []
          response.on('data', (piece) => pieces.push(piece))
          response.on('end', () =>
            response.statusCode === 200
              ? resolve(Buffer.concat(pieces))
              : reject(new Error(String(response.statusCode))),
          )
        })
        .once('error', reject)
    })
  const small = Object.fromEntries(names.map((name) => [name, []]))
  const pages = Object.fromEntries(names.map((name) => [name, []]))
  /** In turn, so that all have the same conditions. Returns the last answer. */
  const measured = async (request, connectionKept) => {
    let response
    for (const name of names) {
      const started = performance.now()
      response = await get(name, request)
      connectionKept?.[name].push(performance.now() - started)
    }
    return response
  }
  // The first ones do not count.
  for (let n = 0; n < SMALL + 50; n += 1) await measured('/status', n >= 50 ? small : null)
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (let cursor = null; cursor !== undefined;) {
      const query = `${tree}?limit=5000${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`
      const page = await measured(query, round > 0 ? pages : null)
      const match =
        /"nextCursor":"([^"]+)"/.exec(page.subarray(0, 2_000).toString()) ??
        /"nextCursor":"([^"]+)"/.exec(page.subarray(-2_000).toString())
      cursor = match?.[1]
    }
  }
  for (const agent of Object.values(agents)) agent.destroy()
  const ratioOf = (name) => median(pages.direct) / median(pages[name])
  return {
    directMs: median(small.direct),
    throughMs: median(small.recorded),
    added: median(small.recorded) - median(small.direct),
    bareAdded: median(small.bare) - median(small.direct),
    pageMs: median(pages.direct),
    ratio: ratioOf('recorded'),
    bareRatio: ratioOf('bare'),
  }
}

/** What a proxy costs that does nothing but pass on, in the same place. */
function serveBare(upstream) {
  const { port, host } = new URL(upstream)
  const agent = new http.Agent({ keepAlive: true })
  const server = http.createServer((request, response) => {
    const { method, url, headers } = request
    const passed = http.request({ host: '127.0.0.1', port, method, path: url, headers: { ...headers, host }, agent })
    passed.on('response', (body) => {
      response.writeHead(body.statusCode, body.rawHeaders)
      body.pipe(response)
    })
    request.pipe(passed)
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(`http://127.0.0.1:${server.address().port}/bridge/v1`))
}

if (!isMainThread && workerData?.ways) parentPort.postMessage(await measureAsClient(workerData))
else if (!isMainThread && workerData?.upstream) serveBare(workerData.upstream)
else if (process.argv[1] === import.meta.filename) console.log(await measureRecording())
