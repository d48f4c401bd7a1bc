// node test/bench/traffic-page.mjs: the list of many exchanges of an earlier run, a large answer,
// and a load beside it. `--reads 5000` instead: a filter over so many exchanges of this run, and
// a reload of the page.
import http from 'node:http'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chromium } from '@playwright/test'
import { createThreadStore } from '../../electron/services/traffic/thread/thread-store.ts'
import { chromiumArgs, ensureChromium } from '../../scripts/lib/chromium.mjs'
import { startServe } from '../../scripts/lib/serve-process.mjs'
import { createBody, createEntry } from '../support/services/traffic.ts'
import { median, startBuild } from './wire/load.mjs'
import { processorOf, spentBetween } from './wire/processor.mjs'
import { startHost } from './wire/start-host.mjs'

const EXCHANGES = 100_000
const CARDS = 200_000
const BIG_MB = 50

/**
 * Data of an earlier run: many exchanges of the last minutes, and one answer of 50 MB in a single
 * line.
 */
async function seed(dataDir) {
  const silent = { add: (notice) => console.error(notice), error: console.error }
  const worker = new URL('../../electron/services/traffic/thread/worker.ts', import.meta.url)
  const onChange = () => undefined
  const store = createThreadStore({ dataDir, runStartedAt: 0, worker, notices: silent, log: silent, onChange })
  const now = Date.now()
  for (let n = 0; n < EXCHANGES; n += 1) {
    const row = {
      startedAt: now - (EXCHANGES - n) * 5,
      status: n % 50 === 0 ? 500 : 200,
      path: n % 3 ? `/notes/N-${n}` : '/library/study-sets',
    }
    store.add(createEntry({ row, response: createBody(`{"n":${n}}`) }))
    // As fast as the disk takes them, so that none waits in memory.
    if (n % 1_000 === 999) await store.rows([1])
  }
  const nodes = []
  const card = (n) => ({ noteid: `N-${n}`, title: `高等数学 ${n}`, excerpt: 'Lorem ipsum dolor sit amet. '.repeat(12) })
  for (let bytes = 0, n = 0; bytes < BIG_MB * 1024 * 1024; n += 1) {
    nodes.push(JSON.stringify(card(n)))
    bytes += Buffer.byteLength(nodes[n]) + 1
  }
  const row = { startedAt: now, path: '/study-sets/BIG/tree', endpoint: 'studySets.tree' }
  const big = createEntry({ row, response: createBody(`{"nodes":[${nodes.join(',')}]}`) })
  store.add(big)
  // Its body is saved before it is answered.
  await store.exchange({ id: big.row.id })
  // An earlier run ended long ago: its bodies have been indexed.
  const filter = { text: 'nothing has this', inBodies: true }
  while ((await store.find(filter, { by: 'time', descending: true }, 0)).incomplete) {
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  await store.close()
}

/**
 * The list and one exchange in the whole program: with many exchanges, with a large body, and while
 * a study set is read.
 */
export async function measureTrafficPage(browser, probe) {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))
  await seed(dataDir)
  const app = await startServe(['--demo', '--demo-nodes', String(CARDS)], dataDir)
  try {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })
    await context.addInitScript(probe)
    // Once for the times, and once for the tasks: a trace takes time of its own.
    const untraced = await atRest(await context.newPage(), app.url)
    const times = await untraced.evaluate(measureList)
    await untraced.evaluate(() => (location.hash = '#/library'))
    // Let in by the first, which is still there.
    const page = await atRest(await context.newPage(), new URL('/#/library', app.url).href)
    await untraced.close()
    const list = await traced(browser, page, () => page.evaluate(measureList))
    const big = await traced(browser, page, () => openBig(page))
    const other = await besides(page, new URL(app.url).origin)
    const load = await traced(browser, page, () => readIn(other))
    await context.close()
    return {
      ...{ exchanges: EXCHANGES, cards: CARDS, megabytes: BIG_MB },
      ...times,
      ...big.value,
      ...{ longestList: list.longest, longestBig: big.longest, longestLoad: load.longest },
    }
  } finally {
    await app.close()
  }
}

/**
 * In the library, when the code of the likely next places has been read
 * (`scripts/build/page-config.ts`).
 */
export async function atRest(page, url) {
  await page.goto(url)
  await page.getByRole('link', { name: 'Calculus II' }).waitFor()
  await page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => /\/next-[^/]*\.js$/.test(name)),
  )
  await page.waitForTimeout(2_000)
  return page
}

/**
 * Longest task of any page's main thread meanwhile, in milliseconds of processor time: what else
 * the machine does is not counted.
 */
export async function traced(browser, page, work) {
  await browser.startTracing(page, { categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline'] })
  const value = await work()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString())
  const threadOf = ({ pid, tid }) => `${pid}:${tid}`
  const names = traceEvents.filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
  const pages = new Set(names.map(threadOf))
  const tasks = traceEvents.filter((event) => event.name === 'RunTask' && pages.has(threadOf(event)))
  return { value, longest: tasks.reduce((longest, { tdur = 0 }) => Math.max(longest, tdur / 1_000), 0) }
}

/** Runs in the page. */
async function measureList() {
  const { bench } = window
  const cells = () => document.querySelectorAll('[aria-label="Traffic"] [role="gridcell"]')
  const settle = () => new Promise((resolve) => setTimeout(resolve, 1_000))
  const rowCount = () =>
    Number(document.querySelector('[aria-label="Traffic"][role="grid"]').getAttribute('aria-rowcount'))
  const started = performance.now()
  const open = await bench.until(
    () => (location.hash = '#/traffic?earlier=1'),
    () => cells().length > 0 && /[A-Z]\//.test(cells()[0].parentElement.textContent),
  )
  await bench.until(
    () => undefined,
    () => rowCount() > 0,
  )
  const counted = performance.now() - started
  await settle()
  const fps = await bench.scroll(document.querySelector('[role="grid"]'), 5_000)
  document.querySelector('[role="grid"]').scrollTop = 0
  await settle()
  const field = document.querySelector('input[type="search"]')
  const listVisibleRows = () => [
    ...document.querySelectorAll('[aria-label="Traffic"] [role="row"]:not([aria-rowindex="1"])'),
  ]
  const filterBy = async (text) => {
    const took = await bench.until(
      () => {
        field.value = text
        field.dispatchEvent(new Event('input', { bubbles: true }))
      },
      () => listVisibleRows().length > 0 && listVisibleRows().every(({ textContent }) => textContent.includes(text)),
    )
    await settle()
    return took
  }
  // A few of them pass, and then a third.
  const filter = Math.max(await filterBy('N-777'), await filterBy('/study-sets'))
  return { open, counted, fps, filter }
}

async function openBig(page) {
  await page.getByRole('searchbox').first().fill('/BIG/')
  const row = page.getByRole('grid', { name: 'Traffic' }).getByRole('row').nth(1)
  await row.filter({ hasText: '/BIG/' }).click()
  await page.getByRole('tab', { name: /^Response/ }).waitFor()
  const bigShown = await page.evaluate(async () => {
    const { bench } = window
    const lines = () => document.querySelectorAll('.cm-line').length > 10
    return bench.until(() => document.querySelector('#exchange-response').click(), lines)
  })
  // Until all that is shown at first has been added to the editor.
  await page.waitForTimeout(3_000)
  await page.getByText('Bytes', { exact: true }).click()
  await page.waitForTimeout(1_000)
  await page.getByRole('tab', { name: 'Contract' }).click()
  await page.getByRole('tabpanel', { name: 'Contract' }).getByText('GET /study-sets').first().waitFor()
  await page.waitForTimeout(5_000)
  return { bigShown }
}

/** A second page at rest, while the first one shows what is recorded. */
async function besides(page, origin) {
  await page.evaluate(() => {
    location.hash = '#/traffic?earlier=1'
  })
  const other = await page.context().newPage()
  await other.goto(`${origin}/#/library`)
  await other.getByRole('link', { name: 'Calculus II' }).waitFor()
  await other.waitForTimeout(3_000)
  return other
}

/** Reads a large study set to its end, and waits until it is recorded. */
async function readIn(page) {
  await page.getByRole('link', { name: /Generated mind map/ }).click()
  await page.getByText(`${CARDS.toLocaleString('en-US')} cards`, { exact: true }).waitFor()
  await page.waitForTimeout(5_000)
}

/** Reads these paths in turn through the recording door, four at a time. */
export async function readThrough(recordingUrl, reads, paths) {
  const { href, searchParams } = new URL(recordingUrl)
  const baseUrl = href.slice(0, href.indexOf('?'))
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 })
  const headers = { authorization: `Bearer ${searchParams.get('key')}` }
  const read = (_, index) =>
    new Promise((resolve, reject) => {
      const request = http.get(baseUrl + paths[index % paths.length], { agent, headers }, (response) => {
        response.resume()
        if (response.statusCode !== 200) reject(new Error(`The door answered ${response.statusCode}.`))
        response.once('end', resolve)
      })
      request.once('error', reject)
    })
  await Promise.all(Array.from({ length: reads }, read))
  agent.destroy()
}

const READ_PATHS = ['/ui-state', '/status', '/capabilities', '/library/study-sets']
const FILTERS = ['/ui-state', '/status', '', '/capabilities', '/study', '', 'ui-st']
const RELOADS = 4
/** Until what was read is saved and the page is at rest. */
const REST_MS = 8_000

/** A filter over exchanges of this run, and the list after a reload of the page; medians. */
async function measureReads(launch, probe, reads) {
  const home = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))
  const [token, tokenFile] = ['mnb0.bench-0123456789-0123456789', path.join(home, 'token')]
  writeFileSync(tokenFile, token, { mode: 0o600 })
  const host = await startHost(200, token)
  const build = await startBuild({ launch, probe, host, tokenFile, extra: ['--record'] })
  const { page, processes } = build
  const listShownRows = page.getByRole('grid', { name: 'Traffic' }).getByRole('row')
  try {
    await page.addInitScript(watchStart)
    await readThrough(build.app.recordingUrl, reads, READ_PATHS)
    await sleep(REST_MS)
    await page.evaluate(() => (location.hash = '#/traffic'))
    await listShownRows.nth(5).waitFor()
    const filters = []
    for (const text of FILTERS) {
      await sleep(REST_MS / 4)
      const before = processorOf(processes)
      const ms = await page.evaluate(filterReads, text)
      filters.push({ ms, processor: spentBetween(before, processorOf(processes)).total })
    }
    const starts = []
    for (let reload = 0; reload < RELOADS; reload += 1) {
      await sleep(REST_MS / 4)
      const before = processorOf(processes)
      await page.reload({ waitUntil: 'commit' })
      await listShownRows.nth(5).waitFor()
      const processor = spentBetween(before, processorOf(processes)).total
      starts.push({ ...(await page.evaluate(() => window.benchStart)), processor })
    }
    const medians = (rows) =>
      Object.fromEntries(Object.keys(rows[0]).map((name) => [name, Math.round(median(rows.map((row) => row[name])))]))
    return { reads, filter: medians(filters), reload: medians(starts) }
  } finally {
    await build.close()
    host.stop()
    rmSync(home, { recursive: true, force: true })
  }
}

/** Runs before the page: when its first landmark and the first row of traffic stand there. */
function watchStart() {
  const marks = { landmark: 'main, nav', row: '[aria-label="Traffic"] [role="gridcell"]' }
  window.benchStart = {}
  const observer = new MutationObserver(() => {
    for (const [name, selector] of Object.entries(marks))
      if (!(name in window.benchStart) && document.querySelector(selector)) window.benchStart[name] = performance.now()
  })
  observer.observe(document, { childList: true, subtree: true })
}

/** Runs in the page: until the rows of a filter and the number of all matches stand there. */
async function filterReads(text) {
  const grid = document.querySelector('[aria-label="Traffic"][role="grid"]')
  const field = document.querySelector('input[type="search"]')
  const countRows = () => grid.getAttribute('aria-rowcount')
  const listRows = () => [...grid.querySelectorAll('[role="row"]:not([aria-rowindex="1"])')]
  const before = countRows()
  return window.bench.until(
    () => {
      field.value = text
      field.dispatchEvent(new Event('input', { bubbles: true }))
    },
    () =>
      countRows() !== before &&
      countRows() !== '-1' &&
      listRows().length > 5 &&
      listRows().every(({ textContent }) => textContent.includes(text)),
  )
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({ options: { reads: { type: 'string' } } })
  const launch = async () => chromium.launch({ executablePath: await ensureChromium(), args: chromiumArgs })
  const probe = readFileSync(new URL('./page-probe.js', import.meta.url), 'utf8')
  if (values.reads) console.log(await measureReads(launch, probe, Number(values.reads)))
  else {
    const browser = await launch()
    console.log(await measureTrafficPage(browser, probe))
    await browser.close()
  }
}
