import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { root } from '../../scripts/lib/paths.mjs'
import { measureFloor } from './floor.mjs'
import { seedSnapshots } from './snapshots.mjs'
import { readThrough, traced } from './traffic-page.mjs'
import { checkedGroups, toStoredResult } from './wire/last.mjs'
import { loadOnce, startBuild, summary } from './wire/load.mjs'
import { processorOf, spentBetween } from './wire/processor.mjs'
import { startHost } from './wire/start-host.mjs'

const CARDS = 200_000
const READS = 1_000
const CARDS_OF_SNAPSHOT = 50_000
/** Long enough for what an action begins; the same for all rounds, so that they can be compared. */
const SETTLE_MS = 1_500
const AFTER_LOADS_MS = 5_000

/**
 * Measures what `--check` compares, in floors of processor time. A round has a floor of its own,
 * and the first one warms up and does not count. Rounds of a load with its map come first, because
 * what follows a load would be counted with whatever else is measured meanwhile. These have the
 * longest tasks of the page as well, in milliseconds, which are not compared. Of one more round,
 * which a trace makes dearer, they are in processor time, which other work does not make longer.
 *
 * @param groups names of `checkedGroups`
 */
export async function measureCheck({ rounds, token, tokenFile, groups = Object.keys(checkedGroups), ...rest }) {
  const host = await startHost(CARDS, token)
  const cache = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))
  const dataDir = path.join(cache, 'service')
  mkdirSync(dataDir)
  // A study set for each round, because a comparison is kept.
  seedSnapshots(
    dataDir,
    CARDS_OF_SNAPSHOT,
    Array.from({ length: rounds + 1 }, (_, round) => `compared-${round}`),
  )
  const build = await startBuild({ ...rest, tokenFile, host, from: root, dataDir, extra: ['--record'] })
  const flags = [`--base-url=${host.baseUrl}`, `--token-file=${tokenFile}`, `--data-dir=${cache}/data`]
  const inRounds = async (measure) => {
    const results = []
    for (let round = 0; round <= rounds; round += 1) {
      const floor = await measureFloor(host.baseUrl, token, host.topicid)
      results.push(await measure(floor, (ms) => Math.round((ms / floor.processor) * 100) / 100, round))
    }
    return results.slice(1)
  }
  const { page } = build
  const spendInFloors = async (toFloors, act) => toFloors(await spendOn(build, act))
  const measures = {
    changes: async (toFloors, round) => ({
      changes: await spendInFloors(toFloors, () => openChanges(page, `compared-${round}`)),
    }),
    traffic: async (toFloors) => {
      await showTraffic(page)
      const door = await spendInFloors(toFloors, () => readThrough(build.app.recordingUrl, READS, ['/ui-state']))
      return { door, trafficPage: await spendInFloors(toFloors, () => openTraffic(page)) }
    },
    kit: (toFloors) => ({ kit: toFloors(runKit(cache)) }),
    call: (toFloors) => ({ call: toFloors(runCall(cache, flags)) }),
  }
  const measureLoad = async (floor, toFloors) => {
    const load = await loadOnce(build, host.topicid, CARDS)
    await page.evaluate(() => void window.bench.longest())
    const map = await spendInFloors(toFloors, () => openMap(page))
    const longestOfMap = await page.evaluate(() => window.bench.longest())
    return { ...toStoredResult(summary([{ floor, ...load }])), map, longestOfLoad: load.longest, longestOfMap }
  }
  /** Null without loads. */
  let longest = null
  try {
    const loads = groups.includes('load') || groups.includes('map') ? await inRounds(measureLoad) : []
    if (loads.length > 0) {
      const load = await traced(build.browser, page, () => loadOnce(build, host.topicid, CARDS))
      const map = await traced(build.browser, page, () => spendOn(build, () => openMap(page)))
      longest = { load: load.longest, map: map.longest }
      await sleep(AFTER_LOADS_MS)
    }
    const others = await inRounds(async (_, toFloors, round) => {
      const figures = {}
      for (const group of groups) Object.assign(figures, await measures[group]?.(toFloors, round))
      return figures
    })
    return { results: others.map((figures, round) => ({ ...loads[round], ...figures })), longest }
  } finally {
    await build.close()
    host.stop()
    rmSync(cache, { recursive: true, force: true })
  }
}

/** Returns the processor time of the service and the browser until some time after an action. */
async function spendOn({ processes }, act) {
  const before = processorOf(processes)
  await act()
  await sleep(SETTLE_MS)
  return spentBetween(before, processorOf(processes)).total
}

async function openMap(page) {
  await page.getByRole('button', { name: 'Expand to level' }).click()
  await page.getByRole('menuitem', { name: 'Expand all' }).click()
  await page.getByRole('link', { name: 'Map', exact: true }).click()
  // A canvas has its default width until its first picture. Looking at each frame would cost much.
  const isDrawn = () => document.querySelector('section[role=region] [role=tree] canvas')?.width > 300
  await page.waitForFunction(isDrawn, null, { polling: 100 })
}

async function openChanges(page, topicid) {
  await page.evaluate((id) => {
    location.hash = `#/study-sets/${id}/changes?view=tree`
  }, topicid)
  await page.getByLabel('Changes', { exact: true }).getByRole('treeitem').first().waitFor()
}

/** Shows the list that grows with each read of the recording door. */
async function showTraffic(page) {
  await page.evaluate(() => {
    location.hash = '#/traffic'
  })
  await page.getByRole('grid', { name: 'Traffic' }).waitFor()
  await page.getByRole('searchbox').first().fill('/ui-state')
  await sleep(SETTLE_MS)
}

async function openTraffic(page) {
  await page.evaluate(() => {
    location.hash = '#/library'
  })
  await page.getByRole('grid', { name: 'Study sets' }).waitFor()
  await page.evaluate(() => {
    location.hash = '#/traffic'
  })
  const rows = page.getByRole('grid', { name: 'Traffic' }).getByRole('row')
  await rows.nth(5).waitFor()
  await page.getByRole('searchbox').first().fill('/ui-state')
  await rows.nth(5).filter({ hasText: '/ui-state' }).waitFor()
}

const KIT_SCRIPT = `
const { startDemoHost, startPanel } = await import(${JSON.stringify(pathToFileURL(path.join(root, 'out/cli/testing.js')).href)})
const host = await startDemoHost()
const panel = await startPanel({ panel: ${JSON.stringify(path.join(root, 'resources/demo/panels/practice'))}, host })
await panel.close()
await host.close()
`
const runKit = (cache) => measureProcess(cache, ['--input-type=module', '--eval', KIT_SCRIPT])

const runCall = (cache, flags) =>
  measureProcess(cache, [path.join(root, 'out/cli/bridge-inspector.js'), 'call', 'GET', '/status', ...flags])

const REPORT_MARK = 'processor microseconds:'
const REPORT_SCRIPT = `process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  process._rawDebug('${REPORT_MARK}', user + system)
})`

/** Returns the processor milliseconds of all threads of a process, from its start to its end. */
function measureProcess(cache, args) {
  const env = { ...process.env, XDG_CACHE_HOME: cache }
  Reflect.deleteProperty(env, 'NODE_COMPILE_CACHE')
  const reporter = `data:text/javascript,${encodeURIComponent(REPORT_SCRIPT)}`
  const { stderr, status } = spawnSync(process.execPath, ['--import', reporter, ...args], { encoding: 'utf8', env })
  const report = stderr.lastIndexOf(REPORT_MARK)
  if (status !== 0 || report < 0) throw new Error(stderr)
  return Number.parseInt(stderr.slice(report + REPORT_MARK.length), 10) / 1_000
}
