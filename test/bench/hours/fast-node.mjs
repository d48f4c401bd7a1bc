// Loaded by `NODE_OPTIONS=--import` into each thread of the service and of the host: the fast
// clock, and what the thread's heap holds when it is asked for by a number in the file that
// BENCH_CLOCK names.
import { readFileSync, writeFileSync } from 'node:fs'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { threadId } from 'node:worker_threads'

const { speed, began, folder } = JSON.parse(process.env['BENCH_CLOCK'])
const realSetInterval = setInterval
Object.assign(globalThis, { clockSpeed: speed, clockBegan: began })
await import('./clock.js')

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
const mine = `${folder}/${process.pid}-${threadId}`
let responseCount = 0
realSetInterval(() => {
  const requestCount = Number(readFileSync(`${folder}/asked`, 'utf8'))
  if (requestCount <= responseCount) return
  responseCount = requestCount
  collect()
  collect()
  tell()
}, 200).unref()

function tell() {
  const { external, rss } = process.memoryUsage()
  const memory = { asked: responseCount, objects: 0, code: 0, buffers: external, rss }
  for (const { space_name, space_used_size } of getHeapSpaceStatistics())
    memory[/code|trusted/.test(space_name) ? 'code' : 'objects'] += space_used_size
  writeFileSync(mine, JSON.stringify(memory))
}

tell()
