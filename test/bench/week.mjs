// node --expose-gc test/bench/week.mjs [--days 7] [--a-day 100000] [--keep-days 14] [--max-mb 500]
// Records a week in minutes: exchanges get the times of a simulated clock, and what the thread does
// at rest is done after each minute of it. Says what the data directory and the memory do.
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createBody, createEntry, openDiskStore } from '../support/services/traffic.ts'

const number = (value) => ({ type: 'string', default: String(value) })
const { values } = parseArgs({
  options: { days: number(7), 'a-day': number(100_000), 'keep-days': number(14), 'max-mb': number(500) },
})
const DAYS = Number(values.days)
const A_DAY = Number(values['a-day'])
const bounds = { keepDays: Number(values['keep-days']), maxBytes: Number(values['max-mb']) * 1024 * 1024 }
const DAY_MS = 86_400_000
const PART_ROWS = 500
const startsAt = Date.UTC(2026, 0, 5)
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))

/** Half of the exchanges are polls with equal bodies; the others have a body of about 1 KB. */
function createExchange(n, startedAt) {
  const poll = { path: '/ui-state', endpoint: 'uiState.get', template: '/ui-state' }
  const read = { path: `/notes/N-${n}`, status: n % 50 === 1 ? 404 : 200 }
  const note = { noteid: `N-${n}`, title: `高等数学 ${n}`, excerpt: `${n} `.repeat(100), tags: ['one', String(n % 97)] }
  return createEntry({
    row: { startedAt, ...(n % 2 === 0 ? poll : read) },
    response: createBody(JSON.stringify(n % 2 === 0 ? { page: 'library' } : { note })),
  })
}

async function sample(day, store, spentMs) {
  // What finalizers let go is collected the second time.
  for (let round = 0; round < 2; round += 1) {
    globalThis.gc()
    await setTimeout(100)
  }
  const bytes = readdirSync(dataDir).reduce((sum, name) => sum + statSync(path.join(dataDir, name)).size, 0)
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage()
  const toMb = (size) => Math.round(size / 104_857.6) / 10
  const { exchanges } = store.info()
  return {
    day,
    exchanges,
    files: toMb(bytes),
    heap: toMb(heapUsed + arrayBuffers),
    rss: toMb(rss),
    seconds: spentMs / 1e3,
  }
}

const opened = openDiskStore(dataDir, startsAt)
const { store } = opened
try {
  store.setBounds(bounds)
  for (let day = 1; day <= DAYS; day += 1) {
    const { user, system } = process.cpuUsage()
    for (let n = 0; n < A_DAY; n += 1) {
      const now = startsAt + (day - 1 + n / A_DAY) * DAY_MS
      store.add(createExchange((day - 1) * A_DAY + n, now))
      if (n % PART_ROWS < PART_ROWS - 1 && n < A_DAY - 1) continue
      store.flush()
      while (store.saveBody());
      while (store.trim(now));
      while (store.contract.judgeNew(25));
      store.contract.save()
      while (store.indexNext());
    }
    // The lists of the test's listeners are not the program's.
    for (const list of [opened.changes, opened.findings]) list.length = 0
    const spent = process.cpuUsage({ user, system })
    console.log(await sample(day, store, Math.round((spent.user + spent.system) / 1e3)))
  }
} finally {
  store.close()
  rmSync(dataDir, { recursive: true })
}
