import { setTimeout as sleep } from 'node:timers/promises'
import { startServe } from '../../../scripts/lib/serve-process.mjs'
import { measureFloor } from '../floor.mjs'
import { processesOf, processorOf, spentBetween } from './processor.mjs'

/**
 * What goes on after a load: pages are checked for what parsing hid, and what was recorded is
 * saved.
 */
const AFTER_MS = 4_000

/**
 * One build of the program with a page of its own in a browser of its own, so that its processes
 * are known.
 */
export async function startBuild({ launch, probe, host, tokenFile, from, dataDir, extra = [] }) {
  const app = await startServe(['--base-url', host.baseUrl, '--token-file', tokenFile, ...extra], dataDir, from)
  const browser = await launch()
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })).newPage()
  await page.addInitScript(probe)
  await page.goto(app.url)
  await page.getByRole('link', { name: 'Calculus II' }).waitFor()
  const processes = await processesOf(browser, app.pid)
  const close = async () => {
    await browser.close()
    await app.close()
  }
  return { app, browser, page, processes, close }
}

/**
 * Loads the large tree once: milliseconds to the first rows and to all, and the processor's until
 * then and in the seconds after.
 */
export async function loadOnce({ page, processes }, topicid, nodes) {
  await page.evaluate(() => {
    location.hash = '#/library'
  })
  await page.getByRole('grid', { name: 'Study sets' }).waitFor()
  await sleep(500)
  const before = processorOf(processes)
  const times = await page.evaluate(openTree, [topicid, nodes])
  const loaded = processorOf(processes)
  await sleep(AFTER_MS)
  return { ...times, spent: spentBetween(before, loaded), after: spentBetween(loaded, processorOf(processes)) }
}

/**
 * In the page. Waits by observing, because looking at every frame would cost as much as what is
 * measured.
 */
async function openTree([id, total]) {
  const { bench } = window
  const fullText = `${total.toLocaleString('en-US')} cards`
  const waitForPage = (condition) =>
    new Promise((resolve) => {
      const look = () => {
        if (!condition()) return
        observer.disconnect()
        requestAnimationFrame(() => resolve())
      }
      const observer = new MutationObserver(look)
      observer.observe(document.body, { childList: true, subtree: true, characterData: true })
      look()
    })
  const hasTreeItem = () => document.querySelector('[role="treeitem"]') !== null
  const done = () => !document.querySelector('[role="progressbar"]') && document.body.textContent.includes(fullText)
  bench.longest()
  let started = performance.now()
  location.hash = `#/study-sets/${id}/tree`
  if (window.benchOpened === true) {
    // The store keeps an open tree: reading it again costs what opening it the first time did.
    await new Promise((resolve) => setTimeout(resolve, 300))
    started = performance.now()
    document.querySelector('[aria-label="Reload"]').click()
    await bench.painted()
  }
  window.benchOpened = true
  await waitForPage(hasTreeItem)
  const first = performance.now() - started
  await waitForPage(done)
  return { first, all: performance.now() - started, longest: bench.longest() }
}

/**
 * Measures builds in turn, so that all of them meet the same conditions; each load stands beside a
 * floor of its own. `builds` are `{ name, from }`. The first round warms up and does not count.
 */
export async function measureLoads({ builds, rounds, nodes, token, host, ...rest }) {
  const started = []
  for (const build of builds) started.push({ ...build, runs: [], ...(await startBuild({ ...rest, ...build, host })) })
  for (let round = 0; round <= rounds; round += 1) {
    for (const run of started) {
      const floor = await measureFloor(host.baseUrl, token, host.topicid)
      const load = await loadOnce(run, host.topicid, nodes)
      if (round > 0) run.runs.push({ floor, ...load })
    }
  }
  for (const { close } of started) await close()
  return started.map(({ name, runs }) => ({ name, runs, ...summary(runs) }))
}

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Medians of several loads. */
export function summary(runs) {
  const medianOf = (pick) => median(runs.map(pick))
  const names = (part, kind) => [...new Set(runs.flatMap((run) => Object.keys(run[part][kind])))]
  const table = (part, kind) =>
    Object.fromEntries(names(part, kind).map((name) => [name, medianOf((run) => run[part][kind][name] ?? 0)]))
  return {
    floorFirst: medianOf(({ floor }) => floor.first),
    floorAll: medianOf(({ floor }) => floor.all),
    floorProcessor: medianOf(({ floor }) => floor.processor),
    first: medianOf(({ first }) => first),
    all: medianOf(({ all }) => all),
    ratio: medianOf(({ all, floor }) => all / floor.all),
    longest: Math.max(...runs.map(({ longest }) => longest)),
    processor: medianOf(({ spent }) => spent.total),
    processes: table('spent', 'processes'),
    threads: table('spent', 'threads'),
    afterwards: medianOf(({ after }) => after.total),
    afterwardsThreads: table('after', 'threads'),
  }
}
