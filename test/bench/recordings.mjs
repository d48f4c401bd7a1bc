// Recordings of 10,000 exchanges with 500 MB of bodies: time, processor time and memory of writing,
// reading, checking, redacting and opening one, each in a process of its own. And how long a file
// of 2 GB takes to show its first page. `node test/bench/recordings.mjs`, or with the jobs and the
// number of exchanges: `node test/bench/recordings.mjs write,redact 1000`; a further number is that
// of megabytes of their bodies.
import { createHash } from 'node:crypto'
import { fork } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startDemoHost } from '../../electron/demo-host/server.ts'

const EXCHANGES = Number(process.argv[3] ?? 10_000)
const MEGABYTE = 1024 ** 2
const BODY_BYTES = Number(process.argv[4] ?? EXCHANGES / 20) * MEGABYTE
const LARGE_BYTES = 2 * 1024 * MEGABYTE
const LARGE_EXCHANGES = 400
const DAY = 1_700_000_000_000

/** Numbers that are the same in every run (xorshift). */
function createNumbers(seed) {
  let state = seed * 2_654_435_761 || 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

const WORDS = '颈椎 寰椎 横突孔 椎动脉 导数 连续 margin excerpt theorem proof vertebra artery of the and with'.split(
  ' ',
)
const createText = (pick, words) => Array.from({ length: words }, () => WORDS[pick(WORDS.length)]).join(' ')
const createId = (pick) =>
  [8, 4, 4, 4, 12]
    .map((digits) => Array.from({ length: digits }, () => '0123456789ABCDEF'[pick(16)]).join(''))
    .join('-')

function createListing(pick, bytes) {
  const nodes = []
  for (let size = 0; size < bytes; size += JSON.stringify(nodes.at(-1)).length + 1)
    nodes.push({
      noteid: createId(pick),
      parent: createId(pick),
      title: createText(pick, 1 + pick(6)),
      excerpt: createText(pick, 4 + pick(30)),
      childCount: pick(9),
      colorIndex: pick(16),
      depth: pick(7),
      hasMore: pick(2) === 0,
      bookmd5: createHash('md5')
        .update(String(pick(9)))
        .digest('hex'),
      lastModifiedAt: new Date(DAY + pick(1e9)).toISOString(),
    })
  return Buffer.from(JSON.stringify({ nodes, nextCursor: null, total: nodes.length }))
}

function createNoise(pick, start, bytes) {
  const body = Buffer.alloc(bytes - (bytes % 4))
  for (let offset = 0; offset < body.length; offset += 4) body.writeUInt32LE(pick(2 ** 32), offset)
  start.copy(body)
  return body
}

/** The first bytes of a picture of 640 to 480 pixels. */
const PNG_START = Buffer.from('89504e470d0a1a0a0000000d4948445200000280000001e00806000000', 'hex')
const PDF_START = Buffer.from('%PDF-1.7\n')

/** A few study sets are read again and again. */
const createTreeRead = (index) => ({
  endpoint: 'studySets.tree',
  path: `/study-sets/${createId(createNumbers(1 + (index % 7)))}/tree?limit=200`,
})
const createExcerptsRead = (index) => ({
  endpoint: 'documents.excerpts',
  path: `/documents/${createHash('md5').update(String(index)).digest('hex')}/excerpts`,
})

/** Two thirds of the bytes are listings, the rest pictures and parts of books. */
function createBody(index) {
  const pick = createNumbers(index + 1)
  const bytes = BODY_BYTES / EXCHANGES
  const id = createId(pick)
  if (index % 10 < 6)
    return {
      ...{ mediaType: 'application/json', ...(index % 10 < 2 ? createTreeRead(index) : createExcerptsRead(index)) },
      bytes: createListing(pick, bytes * 1.1),
    }
  const content = { endpoint: 'notes.content', path: `/notes/${id}/content/${index}` }
  return index % 10 < 9
    ? { ...content, mediaType: 'image/png', bytes: createNoise(pick, PNG_START, bytes * 0.7) }
    : { ...content, mediaType: 'application/pdf', bytes: createNoise(pick, PDF_START, bytes * 1.3) }
}

/** What a program asks before anything else, from a demo host. */
async function readFirstBodies() {
  const host = await startDemoHost({ nodes: 40 })
  try {
    const reads = {
      'status.get': '/status',
      'capabilities.get': '/capabilities',
      'studySets.list': '/library/study-sets',
    }
    return await Promise.all(
      Object.entries(reads).map(async ([endpoint, read]) => {
        const response = await fetch(host.baseUrl + read, { headers: { authorization: `Bearer ${host.token}` } })
        const bytes = Buffer.from(await response.arrayBuffer())
        return { mediaType: 'application/json', endpoint, path: read, bytes }
      }),
    )
  } finally {
    await host.close()
  }
}

/** Writes bodies to a folder, from which the process that writes a recording reads them. */
async function writeBodies(dir, count, create) {
  const first = await readFirstBodies()
  const bodies = []
  const file = openSync(path.join(dir, 'bodies.bin'), 'w')
  let offset = 0
  for (let index = 0; index < count; index += 1) {
    const { bytes, ...facts } = first[index] ?? create(index)
    writeSync(file, bytes)
    bodies.push({ ...facts, name: createHash('sha256').update(bytes).digest('hex'), offset, bytes: bytes.length })
    offset += bytes.length
  }
  closeSync(file)
  writeFileSync(path.join(dir, 'bodies.json'), JSON.stringify(bodies))
  return offset
}

/** Does one job in a process of its own. @returns what it took */
function measure(job, dir) {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('recordings-process.mjs', import.meta.url), [job, dir], { execArgv: ['--expose-gc'] })
    child.once('message', resolve)
    child.once('exit', (code) => code !== 0 && reject(new Error(`${job} ended with ${code}`)))
  })
}

const sizeOf = (dir, name) => Math.round(statSync(path.join(dir, name)).size / MEGABYTE)

export async function measureRecordings(jobs = ['floor', 'write', 'read', 'verify', 'open', 'redact', 'redactAgain']) {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))
  try {
    const bodyBytes = await writeBodies(dir, EXCHANGES, createBody)
    const figures = { exchanges: EXCHANGES, bodyMegabytes: Math.round(bodyBytes / MEGABYTE) }
    for (const job of jobs) {
      figures[job] = await measure(job, dir)
      console.log(job, figures[job])
    }
    return figures
  } finally {
    rmSync(dir, { recursive: true })
  }
}

/** Bodies that cannot be compressed, so that the file is as large. */
export async function measureLargeFile() {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))
  try {
    const bytes = LARGE_BYTES / LARGE_EXCHANGES
    await writeBodies(dir, LARGE_EXCHANGES, (index) => ({
      ...{ mediaType: 'image/png', endpoint: 'notes.content', path: `/notes/${index}/content/1` },
      bytes: createNoise(createNumbers(index + 1), PNG_START, bytes),
    }))
    await measure('write', dir)
    rmSync(path.join(dir, 'bodies.bin'))
    return { megabytes: sizeOf(dir, 'recording.birec'), ...(await measure('firstPage', dir)) }
  } finally {
    rmSync(dir, { recursive: true })
  }
}

if (process.argv[1] === import.meta.filename) {
  console.log(await measureRecordings(process.argv[2]?.split(',')))
  if (!process.argv[2]) console.log('large', await measureLargeFile())
}
