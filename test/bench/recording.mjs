import http from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads'
import { spawnDemoHost } from '../../electron/demo-host/spawn.ts'
import { createBridgeClient } from '../../electron/services/bridge/client/client.ts'
import { createRecording } from '../../electron/services/recording/recording.ts'
import { createRecorder } from '../../electron/services/traffic/recorder.ts'
import { threadStore } from '../../electron/services/traffic/thread/thread.ts'
import { endpoint } from '../../shared/bridge/endpoints/index.ts'

const CARDS = 200_000
const SMALL = 400
const ROUNDS = 5
const at = (file) => new URL(`../../electron/${file}`, import.meta.url)
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** What recording another client costs it: the added latency of a small read, and the throughput of pages of 5,000 nodes, each beside direct. */
export async function measureRecording() {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))
  const host = await spawnDemoHost({ worker: at('demo-host/worker.ts'), nodes: CARDS, dialect: '0.91' })
  const silent = { add: (notice) => console.error(notice), error: console.error }
  const bus = { publish: () => undefined, subscribe: () => () => undefined }
  const recorder = createRecorder({
    bus,
    instanceOf: () => null,
    bodyBytes: () => 64 * 1024 * 1024,
    conceal: (text) => text,
    store: (onChange) =>
      threadStore({
        dataDir,
        runStartedAt: Date.now(),
        worker: at('services/traffic/thread/worker.ts'),
        notices: silent,
        log: silent,
        onChange,
      }),
  })
  const limits = { connectTimeoutMs: 5_000, idleTimeoutMs: 60_000, totalTimeoutMs: 60_000, maxBytes: 268_435_456 }
  const client = createBridgeClient({ limits: () => limits, recorder })
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  const common = { tlsFingerprint: null, readOnly: true, epoch: 1, pathOverrides: {} }
  const target = { ...common, baseUrl: host.baseUrl, token: host.token, auth }
  const connection = { target: () => target, capabilities: () => null, state: () => ({ profile: target }) }
  const recording = createRecording({ client, connection, bus, notices: silent, conceal: (text) => text })
  try {
    const sets = await client.requestJson(target, { endpoint: endpoint('studySets.list') })
    const { topicid } = sets.value.studySets.find(({ noteCount }) => noteCount === CARDS)
    const { baseUrl, key } = await recording.start({})
    const tree = endpoint('studySets.tree').path.replace('{topicid}', topicid)
    const figures = await measuredElsewhere({ direct: [host.baseUrl, host.token], through: [baseUrl, key], tree })
    return { ...figures, cards: CARDS }
  } finally {
    await recording.stop()
    client.close()
    await recorder.close()
    await host.close()
    rmSync(dataDir, { recursive: true })
  }
}

/** The client runs in a thread of its own, as it is a program of its own. */
function measuredElsewhere(data) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: data })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

async function measureAsClient({ direct, through, tree }) {
  const agents = [direct, through].map(() => new http.Agent({ keepAlive: true }))
  const get = (which, asked) =>
    new Promise((resolve, reject) => {
      const [baseUrl, secret] = [direct, through][which]
      const url = new URL(baseUrl + asked)
      http
        .get(url, { agent: agents[which], headers: { Authorization: `Bearer ${secret}` } }, (response) => {
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
  const small = [[], []]
  // In turn, so that both have the same conditions; the first ones do not count.
  for (let n = 0; n < SMALL + 50; n += 1) {
    for (const which of [0, 1]) {
      const started = performance.now()
      await get(which, '/status')
      if (n >= 50) small[which].push(performance.now() - started)
    }
  }
  const rates = [[], []]
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const which of [0, 1]) {
      let bytes = 0
      const started = performance.now()
      for (let cursor = null; cursor !== undefined;) {
        const page = await get(which, `${tree}?limit=5000${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`)
        bytes += page.byteLength
        const found =
          /"nextCursor":"([^"]+)"/.exec(page.subarray(0, 2_000).toString()) ??
          /"nextCursor":"([^"]+)"/.exec(page.subarray(-2_000).toString())
        cursor = found?.[1]
      }
      if (round > 0) rates[which].push(bytes / (performance.now() - started))
    }
  }
  for (const agent of agents) agent.destroy()
  const [directMs, throughMs] = small.map(median)
  const [directRate, throughRate] = rates.map(median)
  return {
    directMs,
    throughMs,
    added: throughMs - directMs,
    ratio: throughRate / directRate,
    megabytes: throughRate / 1_000,
  }
}

if (!isMainThread && workerData?.through) parentPort.postMessage(await measureAsClient(workerData))
else if (process.argv[1] === import.meta.filename) console.log(await measureRecording())
