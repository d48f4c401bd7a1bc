import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { spawnDemoHost } from '../../electron/demo-host/demo-thread.ts'
import { createBridgeClient } from '../../electron/services/bridge/client/client.ts'
import { createBus } from '../../electron/services/bus.ts'
import { createRecorder } from '../../electron/services/traffic/recorder.ts'
import { createThreadStore } from '../../electron/services/traffic/thread/thread-store.ts'
import { compareBodies } from '../../renderer/workers/body-comparison.ts'
import { getEndpoint } from '../../shared/bridge/endpoints/index.ts'
import { createBody, createEntry } from '../support/services/traffic.ts'

const EXCHANGES = 100_000
const CARDS = 200_000
const ROUNDS = 5
const toUrl = (file) => new URL(`../../electron/${file}`, import.meta.url)
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const sort = { by: 'time', descending: true }

async function timed(work, rounds = 5) {
  const times = []
  for (let round = 0; round < rounds; round += 1) {
    const started = performance.now()
    await work()
    times.push(performance.now() - started)
  }
  return median(times)
}

function storeIn(dataDir, onChange = () => undefined) {
  const silent = { add: (notice) => console.error(notice), error: console.error }
  const worker = toUrl('services/traffic/thread/worker.ts')
  return createThreadStore({ dataDir, runStartedAt: Date.now(), worker, notices: silent, log: silent, onChange })
}

/**
 * The recorder without a page: its store alone, and what it costs the load of a study set. `npm run
 * bench` runs it too.
 */
export async function measureTraffic() {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))
  try {
    const store = await measureStore(path.join(dataDir, 'store'))
    return { ...store, compare: await measureCompare(), ...(await measureLoad(path.join(dataDir, 'load'))) }
  } finally {
    rmSync(dataDir, { recursive: true })
  }
}

/**
 * Two answers of 5 MB, as the page's worker compares them: some cards have moved, some were
 * changed.
 */
const measureCompare = () => {
  const bytesOf = (shift) => {
    const notes = Array.from({ length: 20_000 }, (_, index) => ({
      noteid: `note-${(index + shift) % 20_000}`,
      title: 'A title of an ordinary length',
      text: 'x'.repeat(160),
      tags: ['one', 'two', index % 97 === 0 ? String(shift) : 'three'],
    }))
    return new TextEncoder().encode(JSON.stringify({ notes })).buffer
  }
  return timed(() => compareBodies({ before: bytesOf(0), after: bytesOf(700) }))
}

/** Every exchange has a body of its own of about a kilobyte. */
async function measureStore(dataDir) {
  const store = storeIn(dataDir)
  await store.info()
  const started = performance.now()
  for (let n = 0; n < EXCHANGES; n += 1) {
    const cards = Array.from({ length: 8 }, (_, k) => ({
      noteid: `N-${n}-${k}`,
      title: `高等数学 ${n * k}`,
      excerpt: '导数',
    }))
    const headers = [
      ['Content-Type', 'application/json'],
      ['Date', new Date(n * 1_000).toUTCString()],
    ]
    const body = createBody(JSON.stringify({ items: cards }))
    store.add(createEntry({ response: body, requestHeaders: headers, responseHeaders: headers }))
    // As fast as the disk takes them, so that none waits in memory.
    if (n % 1_000 === 999) await store.rows([1])
  }
  const insertPerSecond = (EXCHANGES / (performance.now() - started)) * 1_000
  const { bytes } = await store.info()
  const figures = {
    insertPerSecond,
    bytesPerThousand: bytes / (EXCHANGES / 1_000),
    head: await timed(() => store.head({}, sort)),
    headText: await timed(() => store.head({ text: 'N-777' }, sort)),
    findAll: await timed(() => store.find({}, sort, 0)),
    findText: await timed(() => store.find({ text: 'N-777' }, sort, 0)),
    findSlow: await timed(() => store.find({ slowerThanMs: 1_000, statuses: ['5'] }, sort, 0)),
    rows: await timed(() => store.rows(Array.from({ length: 500 }, (_, n) => n * 100 + 1))),
    exchange: await timed(() => store.exchange({ seq: EXCHANGES / 2 })),
  }
  let waited = 0
  for (let left = true; left && waited < 90_000; waited += 2_000) {
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    left = (await store.find({ text: 'n-77777-3', inBodies: true }, sort, 0)).incomplete
  }
  const bodySearch = await timed(() => store.find({ text: 'N-77777-3', inBodies: true }, sort, 0))
  const indexed = (await store.info()).bytes / (EXCHANGES / 1_000)
  await store.close()
  return { exchanges: EXCHANGES, ...figures, bodySearch, indexedBytesPerThousand: indexed }
}

/**
 * Loads with and without a recorder in turn, so that both have the same conditions; the first of
 * each does not count.
 */
async function measureLoad(dataDir) {
  const host = await spawnDemoHost({ worker: toUrl('demo-host/worker.ts'), nodes: CARDS, dialect: '0.91' })
  const bus = createBus()
  const recorder = createRecorder({
    bus,
    getMaxBodyBytes: () => 64 * 1024 * 1024,
    conceal: (text) => text,
    createStore: (onChange) => storeIn(dataDir, onChange),
  })
  const limits = { connectTimeoutMs: 5_000, idleTimeoutMs: 60_000, totalTimeoutMs: 60_000, maxBytes: 268_435_456 }
  const clients = [createBridgeClient({ limits: () => limits }), createBridgeClient({ limits: () => limits, recorder })]
  const auth = { header: 'Authorization', scheme: 'Bearer' }
  const common = { tlsFingerprint: null, isReadOnly: true, epoch: 1, pathOverrides: {}, limits: null }
  const target = { ...common, baseUrl: host.baseUrl, token: host.token, auth }
  const sets = await clients[0].requestJson(target, { endpoint: getEndpoint('studySets.list') })
  const { topicid } = sets.value.studySets.find(({ noteCount }) => noteCount === CARDS)
  const times = [[], []]
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [which, client] of clients.entries()) {
      const started = performance.now()
      await load(client, target, topicid)
      if (round > 0) times[which].push(performance.now() - started)
      // What can wait is done before the next round.
      await new Promise((resolve) => setTimeout(resolve, 3_000))
    }
  }
  const { droppedBodies } = await recorder.info()
  await recorder.close()
  for (const client of clients) client.close()
  await host.close()
  const [without, recorded] = times.map(median)
  return { cards: CARDS, without, recorded, cost: recorded / without - 1, droppedBodies }
}

/** Reads and parses every page, one after the other. */
async function load(client, target, topicid) {
  const ask = (cursor) =>
    client.request(target, {
      endpoint: getEndpoint('studySets.tree'),
      params: { topicid },
      query: { limit: 5_000, ...(cursor ? { cursor } : {}) },
    })
  for (let cursor = null; cursor !== undefined;) {
    const { bytes } = await ask(cursor)
    cursor = JSON.parse(new TextDecoder().decode(bytes)).nextCursor ?? undefined
  }
}

if (process.argv[1] === import.meta.filename) console.log(await measureTraffic())
