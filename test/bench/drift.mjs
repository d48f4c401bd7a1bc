// What it costs to hold recorded exchanges against the contract: processor time while 200,000 cards
// are loaded, with and without it in turn, and memory while 1 GB of recorded traffic is judged
// again. `node test/bench/drift.mjs`
import { fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createBridgeClient } from '../../electron/services/bridge/client/client.ts'
import { createBus } from '../../electron/services/bus.ts'
import { createRecorder } from '../../electron/services/traffic/recorder.ts'
import { createThreadStore } from '../../electron/services/traffic/thread/thread-store.ts'
import { getEndpoint } from '../../shared/bridge/endpoints/index.ts'
import { addAll, createBody, createEntry, openDiskStore } from '../support/services/traffic.ts'
import { startHost } from './wire/start-host.mjs'

const CARDS = 200_000
const ROUNDS = 5
/**
 * What was recorded is saved and judged after a load, at a low priority, which takes long on a busy
 * machine. It has ended once the process takes less than this in such an interval.
 */
const IDLE_INTERVAL_MS = 2_000
const IDLE_PROCESSOR_MS = 20
const GIGABYTE = 1024 ** 3
const MEGABYTE = 1024 ** 2
const PAGE_NODES = 5_000
const TREE = { endpoint: 'studySets.tree', path: '/study-sets/T/tree', template: '/study-sets/{topicid}/tree' }
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const createDir = () => mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))

/** The host is a process of its own: the processor time is that of client and recorder. */
async function measureLoads() {
  const token = `mnb0.${randomBytes(24).toString('base64url')}`
  const host = await startHost(CARDS, token)
  const workers = [
    new URL('drift-worker.mjs', import.meta.url),
    new URL('../../electron/services/traffic/thread/worker.ts', import.meta.url),
  ]
  const spent = [[], []]
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [index, worker] of workers.entries()) {
      const cost = await measureLoad(host, token, worker)
      if (round > 0) spent[index].push(cost)
    }
  }
  host.stop()
  const [without, judged] = spent.map(median)
  return { without, judged, added: judged - without }
}

/** Each load has a store of its own, because equal exchanges are judged once. */
async function measureLoad(host, token, worker) {
  const dataDir = createDir()
  const silent = { add: console.error, error: console.error, warn: console.error }
  const recorder = createRecorder({
    bus: createBus(),
    getMaxBodyBytes: () => 64 * MEGABYTE,
    conceal: (text) => text,
    createStore: (onChange) =>
      createThreadStore({ dataDir, runStartedAt: Date.now(), worker, notices: silent, log: silent, onChange }),
  })
  const limits = { connectTimeoutMs: 5_000, idleTimeoutMs: 60_000, totalTimeoutMs: 60_000, maxBytes: 256 * MEGABYTE }
  const client = createBridgeClient({ limits: () => limits, recorder })
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  const common = { tlsFingerprint: null, isReadOnly: true, epoch: 1, pathOverrides: {}, limits: null }
  const target = { ...common, baseUrl: host.baseUrl, token, auth }
  await recorder.info()
  const before = process.cpuUsage()
  for (let cursor = null; cursor !== undefined;) {
    const { bytes } = await client.request(target, {
      endpoint: getEndpoint('studySets.tree'),
      params: { topicid: host.topicid },
      query: { limit: PAGE_NODES, ...(cursor ? { cursor } : {}) },
    })
    cursor = /"nextCursor":"([^"]*)"/.exec(Buffer.from(bytes).latin1Slice())?.[1]
  }
  await waitUntilIdle()
  const { user, system } = process.cpuUsage(before)
  await recorder.close()
  client.close()
  rmSync(dataDir, { recursive: true })
  return (user + system) / 1_000
}

async function waitUntilIdle() {
  for (let isIdle = false; !isIdle;) {
    const before = process.cpuUsage()
    await sleep(IDLE_INTERVAL_MS)
    const { user, system } = process.cpuUsage(before)
    isIdle = (user + system) / 1_000 < IDLE_PROCESSOR_MS
  }
}

/** Pages of cards, no two of them equal, and as many small exchanges. */
function fillStore(dataDir) {
  const opened = openDiskStore(dataDir)
  let bytes = 0
  for (let page = 0; bytes < GIGABYTE; page += 1) {
    const nodes = Array.from({ length: PAGE_NODES }, (_, index) => ({
      noteid: `BE2A4808-0000-4000-8000-${String(page).padStart(6, '0')}${String(index).padStart(6, '0')}`,
      parent: index === 0 ? null : `BE2A4808-0000-4000-8000-${String(page).padStart(6, '0')}000000`,
      depth: index % 7,
      childCount: index % 3,
      title: `高等数学 · derivative ${page} ${index}`,
      createdAt: '2026-01-10T08:00:00Z',
    }))
    const text = JSON.stringify({ bridgeApiVersion: '0.91', nodes, nextCursor: null, extra: page })
    bytes += Buffer.byteLength(text)
    addAll(opened, [
      createEntry({ row: TREE, response: createBody(text) }),
      createEntry({
        row: { endpoint: 'status.get', path: '/status', template: '/status' },
        response: createBody(JSON.stringify({ app: 'App', bridgeApiVersion: '0.91', uptime: page })),
      }),
    ])
  }
  opened.store.close()
  return bytes
}

/** Runs in a process of its own. */
function judgeStore(dataDir) {
  const { store } = openDiskStore(dataDir)
  const readAnonymousMb = () => Number(/RssAnon:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024
  const startMb = readAnonymousMb()
  const startedAt = performance.now()
  let peakMb = startMb
  let judged = 0
  for (let part = store.contract.judgeAgain(0); ; part = store.contract.judgeAgain(part.lastSeq)) {
    judged += part.judged
    peakMb = Math.max(peakMb, readAnonymousMb())
    if (part.isWhole) break
  }
  const ms = performance.now() - startedAt
  process.send({ startMb, peakMb, judged, ms, deviations: store.contract.list().deviations.length })
  store.close()
}

async function measureAgain() {
  const dataDir = createDir()
  try {
    const bytes = fillStore(dataDir)
    const child = fork(import.meta.filename, ['--judge', dataDir])
    const figures = await new Promise((resolve, reject) => {
      child.once('message', resolve)
      child.once('exit', (code) => reject(new Error(`It ended with code ${code}.`)))
    })
    return { bytes, ...figures }
  } finally {
    rmSync(dataDir, { recursive: true })
  }
}

const judgedDir = process.argv[2] === '--judge' ? process.argv[3] : undefined
if (judgedDir !== undefined) judgeStore(judgedDir)
else {
  console.log('load', await measureLoads())
  console.log('again', await measureAgain())
}
