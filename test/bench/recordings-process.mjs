// A process that does one job of recordings.mjs and tells what it took.
import { createHash, generateKeyPairSync } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { getHeapStatistics } from 'node:v8'
import { crc32, deflateRawSync } from 'node:zlib'
import { parseConfig } from '../../electron/config.ts'
import { openRecording } from '../../electron/recording-file/recording-file.ts'
import { writeRecording } from '../../electron/recording-file/recording-writer.ts'
import { redactRecording } from '../../electron/recording-file/redaction.ts'
import { createSigner } from '../../electron/recording-file/seal.ts'
import { verifyRecording } from '../../electron/recording-file/verification.ts'
import { RecordingRedaction } from '../../electron/services/recordings/redaction/recording-redaction.ts'
import { composeSwitchableApp } from '../../electron/switchable-composition.ts'
import { DEFAULT_REDACTION } from '../../shared/recordings/recording.ts'
import { createManifestFacts, createRecordedExchange } from '../support/data/recordings.ts'

const MEGABYTE = 1024 ** 2
const SAMPLE_MS = 20
const [job, dir] = process.argv.slice(2)
const fileOf = (name) => path.join(dir, name)
const recordingFile = fileOf('recording.birec')
const redactedFile = fileOf('redacted.birec')
const sign = createSigner(generateKeyPairSync('ed25519').privateKey)

function openBodies() {
  const bodies = JSON.parse(readFileSync(fileOf('bodies.json'), 'utf8'))
  const file = openSync(fileOf('bodies.bin'), 'r')
  const load = ({ offset, bytes }) => {
    const buffer = Buffer.alloc(bytes)
    readSync(file, buffer, 0, bytes, offset)
    return buffer
  }
  return { bodies, load, close: () => closeSync(file) }
}

/** What any archive takes: the same bodies, hashed and compressed. */
function writeFloor() {
  const { bodies, load, close } = openBodies()
  const target = openSync(fileOf('floor'), 'w')
  for (const body of bodies) {
    const bytes = load(body)
    createHash('sha256').update(bytes).digest()
    crc32(bytes)
    writeSync(target, body.mediaType === 'application/json' ? deflateRawSync(bytes) : bytes)
  }
  closeSync(target)
  close()
}

async function write() {
  const { bodies, load, close } = openBodies()
  const byName = new Map(bodies.map((body) => [body.name, body]))
  await writeRecording(
    recordingFile,
    {
      describe: () => createManifestFacts(),
      lines: { exchanges: createExchanges(bodies) },
      loadBody: async (name) => load(byName.get(name)),
    },
    { sign },
  )
  close()
}

function* createExchanges(bodies) {
  for (const [index, { name, bytes, mediaType, path: requestPath, endpoint }] of bodies.entries()) {
    const exchange = createRecordedExchange(index + 1, '', {
      row: { path: requestPath, endpoint, template: requestPath, bytes, mediaType, startedAt: 1_000_000 + index * 10 },
      responseHeaders: [['Content-Type', mediaType]],
    })
    const response = { ...exchange.response, total: bytes, kept: bytes, mediaType }
    yield { ...exchange, response, responseBody: name }
  }
}

async function withRecording(file, work) {
  const recording = await openRecording(file)
  try {
    return await work(recording)
  } finally {
    await recording.close()
  }
}

const read = () =>
  withRecording(recordingFile, async (recording) => {
    for await (const { responseBody } of recording.readExchanges()) await recording.readBody(responseBody)
  })

const verify = () =>
  withRecording(recordingFile, async (recording) => {
    const { verdict } = await verifyRecording(recording)
    if (verdict !== 'intact') throw new Error('The recording is not intact.')
  })

const redact = (from, to, policy) =>
  withRecording(from, async (recording) => {
    const redaction = new RecordingRedaction({ policy, tokens: [] })
    await redactRecording(recording, to, redaction, { policy, sign })
  })

const toSourceUrl = (file) => pathToFileURL(path.resolve(import.meta.dirname, '../..', file))

async function startApp() {
  const dataDir = mkdtempSync(fileOf('data-'))
  const app = await composeSwitchableApp(parseConfig(['--demo', '--demo-nodes', '40', '--data-dir', dataDir], {}), {
    ...{ mode: 'browser', chooseFile: null, chooseFolder: null, panelProcess: null, cipher: null },
    resources: toSourceUrl('resources/'),
    demoWorker: toSourceUrl('electron/demo-host/worker.ts'),
    trafficWorker: toSourceUrl('electron/services/traffic/thread/worker.ts'),
    snapshotWorker: toSourceUrl('electron/services/snapshots/thread/worker.ts'),
    sourceMapWorker: toSourceUrl('electron/services/panel/source-map-thread/worker.ts'),
    openExternal: async () => false,
    runtime: { node: process.versions.node },
    version: '1.2.3',
    env: process.env,
  })
  let next = 0
  const call = async (method, input) => {
    const reply = await app.dispatcher.call('page', { id: String((next += 1)), method, input })
    if (!reply.ok) throw new Error(`${method}: ${reply.error.message}`)
    return reply.value
  }
  await waitFor(async () => (await call('connection.get', {})).phase === 'online')
  const close = async () => {
    await app.dispose()
    rmSync(dataDir, { recursive: true, force: true })
  }
  return { call, close }
}

async function waitFor(isTrue) {
  while (!(await isTrue())) await sleep(10)
}

const toInput = (file) => ({ source: { from: 'path', path: file } })

/** Opens a recording in place of a host, and waits until the first page can be shown. */
async function openFirstPage({ call }) {
  const started = performance.now()
  await call('recordings.open', toInput(recordingFile))
  await waitFor(async () => (await call('connection.get', {})).phase === 'online')
  await call('bridge.read', { endpoint: 'studySets.list', params: {}, query: {} })
  const libraryMs = performance.now() - started
  const newestFirst = { by: 'time', descending: true }
  await waitFor(async () => (await call('traffic.head', { filter: {}, sort: newestFirst })).rows?.length > 0)
  return { libraryMs: Math.round(libraryMs), rowsMs: Math.round(performance.now() - started) }
}

async function openAll({ call }) {
  const first = await openFirstPage({ call })
  const count = JSON.parse(readFileSync(fileOf('bodies.json'), 'utf8')).length
  await waitFor(async () => (await call('traffic.info', {})).exchanges === count)
  return first
}

/** Resident memory of the process, in megabytes: now, or the most since `resetPeak`. */
const readMemory = (member) =>
  Math.round(Number(new RegExp(`^${member}:\\s+(\\d+)`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024)
const resetPeak = () => writeFileSync('/proc/self/clear_refs', '5')

async function measure(work) {
  global.gc()
  await sleep(300)
  global.gc()
  resetPeak()
  const idle = readMemory('VmRSS')
  const idleHeap = getHeapStatistics().used_heap_size
  let peakHeap = idleHeap
  const sampler = setInterval(() => (peakHeap = Math.max(peakHeap, getHeapStatistics().used_heap_size)), SAMPLE_MS)
  const spent = process.cpuUsage()
  const started = performance.now()
  const result = await work()
  const ms = performance.now() - started
  const { user, system } = process.cpuUsage(spent)
  clearInterval(sampler)
  return {
    seconds: Math.round(ms / 100) / 10,
    processorSeconds: Math.round((user + system) / 1e5) / 10,
    idleMegabytes: idle,
    peakAboveIdle: readMemory('VmHWM') - idle,
    heapAboveIdle: Math.round((peakHeap - idleHeap) / MEGABYTE),
    ...result,
  }
}

const jobs = {
  floor: async () => writeFloor(),
  write,
  read,
  verify,
  redact: () => redact(recordingFile, redactedFile, DEFAULT_REDACTION),
  redactAgain: () => redact(redactedFile, fileOf('again.birec'), { ...DEFAULT_REDACTION, ids: 'map' }),
}
const appJobs = { open: openAll, firstPage: openFirstPage }

if (job in appJobs) {
  const app = await startApp()
  process.send(await measure(() => appJobs[job](app)))
  await app.close()
} else process.send(await measure(jobs[job]))
process.disconnect()
