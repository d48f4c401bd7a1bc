// node test/bench/faults.mjs [operations] [seed]: writes through a proxy that resets, delays, loses answers, says 429 and 500, and restarts the
// host, at random; then every record is compared with what the host did. Exits 1 where one is not true. Figures go into README.md here.
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { compose } from '../../electron/compose.ts'
import { parseConfig } from '../../electron/config.ts'
import { startDemoHost } from '../../electron/demo-host/server.ts'

const count = Number(process.argv[2] ?? 1000)
let seed = Number(process.argv[3] ?? 20_260)
const AT_ONCE = 6
const random = () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
  return seed / 2 ** 32
}

const host = await startDemoHost({ nodes: count + 10 })
const upstream = new URL(host.baseUrl)
const faults = { none: 0, reset: 0, lost: 0, delay: 0, 'answer 429': 0, 'answer 500': 0, restart: 0 }
const sends = new Map()

/** What becomes of a write: half of them are left alone. */
function fate() {
  const at = random()
  if (at < 0.5) return 'none'
  return ['reset', 'lost', 'delay', 'answer 429', 'answer 500', 'restart'][Math.floor((at - 0.5) * 12)] ?? 'none'
}

const proxy = http
  .createServer((request, response) => {
    const noteid = /\/notes\/([^/]+)\/title$/.exec(request.url ?? '')?.[1]
    if (noteid) sends.set(noteid, (sends.get(noteid) ?? 0) + 1)
    const chosen = noteid ? fate() : 'none'
    faults[chosen] += noteid ? 1 : 0
    if (chosen === 'reset') return request.socket.resetAndDestroy()
    if (chosen === 'answer 429') {
      const body = '{"error":{"code":"SCAN_BUSY","message":"busy","retryAfterSeconds":1}}'
      return response.writeHead(429, { 'Content-Type': 'application/json' }).end(body)
    }
    if (chosen === 'answer 500') return response.writeHead(500, { 'Content-Type': 'text/html' }).end('<h1>500</h1>')
    if (chosen === 'restart') host.restart()
    const forward = http.request(
      {
        host: upstream.hostname,
        port: upstream.port,
        method: request.method,
        path: request.url,
        headers: request.headers,
      },
      (answer) => {
        // Executed, and nobody hears of it.
        if (chosen === 'lost') return void answer.resume().on('end', () => request.socket.resetAndDestroy())
        const send = () => answer.pipe(response.writeHead(answer.statusCode ?? 502, answer.headers))
        if (chosen === 'delay') setTimeout(send, 50 + random() * 400)
        else send()
      },
    )
    forward.on('error', () => request.socket.resetAndDestroy())
    request.pipe(forward)
  })
  .listen(0, '127.0.0.1')
await new Promise((resolve) => proxy.once('listening', resolve))

const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-faults-'))
const start = async () => {
  const app = await compose(parseConfig(['--data-dir', dataDir], {}), {
    mode: 'browser',
    chooseFile: null,
    cipher: null,
    demoWorker: new URL('../../electron/demo-host/worker.ts', import.meta.url),
    openExternal: () => Promise.resolve(false),
    runtime: {},
    version: '0',
  })
  let id = 0
  const call = async (method, input) => {
    const reply = await app.door.call('page', { id: String((id += 1)), method, input })
    if (!reply.ok) throw Object.assign(new Error(reply.error.message), { code: reply.error.code })
    return reply.value
  }
  return { app, call }
}
const { app, call } = await start()
const baseUrl = `http://127.0.0.1:${proxy.address().port}/bridge/v1`
const auth = { header: 'Authorization', scheme: 'Bearer' }
const { profile } = await call('profiles.save', { name: 'Faults', baseUrl, auth, readOnly: false })
await call('vault.set', { profileId: profile.id, token: host.token, remember: false })
await call('connection.connect', { profileId: profile.id })

const began = performance.now()
const noteids = Array.from({ length: count }, (_, n) => host.state.generated.noteid(n))
const before = new Map(noteids.map((id, n) => [id, host.state.generated.titleOf(n)]))
let next = 0
let unprepared = 0
await Promise.all(
  Array.from({ length: AT_ONCE }, async () => {
    while (next < noteids.length) {
      const noteid = noteids[next++]
      for (let prepared = null; prepared === null;) {
        try {
          prepared = await call('operations.prepare', {
            endpoint: 'notes.title',
            params: { noteid },
            query: {},
            body: { title: `new ${noteid}` },
          })
          await call('operations.send', { ticket: prepared.ticket })
        } catch (error) {
          // Refused before anything was written down (the connection had changed): a person reviews again, and so does this.
          if (!['TICKET_STALE', 'NOT_CONNECTED'].includes(error.code)) throw error
          unprepared += 1
          prepared = null
          await new Promise((resolve) => setTimeout(resolve, 100))
        }
      }
    }
  }),
)
const seconds = (performance.now() - began) / 1000
await app.dispose()

// The next start reads what was written down.
const again = await start()
const records = []
for (let offset = 0; ; offset += 1000) {
  const { items } = await again.call('operations.list', { offset, limit: 1000 })
  records.push(...items)
  if (items.length < 1000) break
}
const problems = []
const states = new Map()
for (const { noteid, state } of records) {
  states.set(state, (states.get(state) ?? 0) + 1)
  const changed = host.state.generated.titleOf(host.state.generated.indexOf(noteid)) !== before.get(noteid)
  if ((sends.get(noteid) ?? 0) > 1) problems.push(`${noteid} was sent ${sends.get(noteid)} times`)
  if (state === 'persisted' && !changed) problems.push(`${noteid} is called persisted and is not`)
  if (['refused', 'not-sent'].includes(state) && changed) problems.push(`${noteid} is called ${state} and was executed`)
  if (['prepared', 'sent'].includes(state)) problems.push(`${noteid} is left ${state}`)
}
const known = new Set(records.map(({ noteid }) => noteid))
for (const noteid of noteids) if (!known.has(noteid)) problems.push(`${noteid} is lost`)
await again.app.dispose()
proxy.close()
await host.close()

const list = (map) => [...map].map(([name, n]) => `${n} ${name}`).join(', ')
const text = `## Faults

\`node test/bench/faults.mjs\`: ${records.length} writes, ${AT_ONCE} at a time, through a proxy that misbehaves at random (seeded): ${list(Object.entries(faults))}.
States afterwards, read by the next start: ${list(states)}. Sent twice: ${[...sends.values()].filter((n) => n > 1).length}. Lost: ${noteids.length - known.size}.
Records that are not true to what the host did: ${problems.length}. ${unprepared} reviews had to be made again because the connection had changed. ${Math.round(seconds)} s.
`
process.stdout.write(text + problems.slice(0, 20).join('\n'))
const file = fileURLToPath(new URL('README.md', import.meta.url))
const readme = readFileSync(file, 'utf8')
const at = readme.indexOf('## Faults')
writeFileSync(file, `${(at < 0 ? readme : readme.slice(0, at)).trimEnd()}\n\n${text}`)
process.exit(problems.length === 0 ? 0 : 1)
