// npm run bench: compares runs on this machine and writes the ratios to test/bench/README.md. `-- --quick` skips the million cards.
import './lib/ensure-node.mjs'
import { chromium } from '@playwright/test'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { compareTrees } from '../test/bench/compare.mjs'
import { measureFloor } from '../test/bench/floor.mjs'
import { heapOf } from '../test/bench/heap.mjs'
import { measureOperations } from '../test/bench/operations.mjs'
import { measureRecording } from '../test/bench/recording.mjs'
import { report } from '../test/bench/report.mjs'
import { measureStrip } from '../test/bench/strip.mjs'
import { measureTraffic } from '../test/bench/traffic.mjs'
import { measureTrafficPage } from '../test/bench/traffic-page.mjs'
import { ensureBuilt } from './lib/build.mjs'
import { chromiumArgs, ensureChromium } from './lib/chromium.mjs'
import { bin, root } from './lib/paths.mjs'
import { startServe } from './lib/serve-process.mjs'

const quick = process.argv.includes('--quick')
const probe = readFileSync(path.join(root, 'test/bench/page-probe.js'), 'utf8')
const tokenFile = path.join(mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-')), 'token')
const token = 'mnb0.bench-0123456789-0123456789'
writeFileSync(tokenFile, token, { mode: 0o600 })

ensureBuilt('web')
const built = spawnSync(bin('vite'), ['build', '--config', 'test/bench/ntree/vite.config.ts', '--logLevel', 'error'], {
  cwd: root,
  stdio: 'inherit',
})
if (built.status !== 0) process.exit(1)
const browser = await chromium.launch({
  executablePath: await ensureChromium(),
  args: [...chromiumArgs, '--js-flags=--expose-gc'],
})

const small = await measureTree(200_000)
const large = quick ? null : await measureTree(1_000_000)
const trees = await compareTrees(browser, probe, path.join(root, 'out/bench'), 200_000)
const strip = await measureStrip(browser, probe, tokenFile, token)
const operations = await measureOperations(browser, probe)
const traffic = await measureTraffic()
const recording = await measureRecording()
const trafficPage = await measureTrafficPage(browser, probe)
await browser.close()
report(
  { small, large, trees, strip, operations, traffic, trafficPage, recording },
  path.join(root, 'test/bench/README.md'),
)

/** Measures one generated study set in the whole program: browser host, its client, and a demo host in a separate process. */
async function measureTree(nodes) {
  const demo = await startDemo(nodes)
  const app = await startServe(['--base-url', demo.baseUrl, '--token-file', tokenFile])
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })).newPage()
  await page.addInitScript(probe)
  await page.goto(app.url)
  await page.getByRole('link', { name: 'Calculus II' }).waitFor()
  const empty = await heapOf(page)
  const floors = []
  const opened = []
  // The floor is measured next to each opening, so that both run under the same conditions.
  for (let round = 0; round < (nodes > 500_000 ? 1 : 3); round += 1) {
    floors.push(await measureFloor(demo.baseUrl, token, demo.topicid))
    opened.push(await open(page, demo.topicid, nodes))
  }
  const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
  const heap = await heapOf(page)
  const used = await use(page, nodes)
  await page.context().close()
  await app.close()
  demo.stop()
  return {
    nodes,
    floorFirst: median(floors.map(({ first }) => first)),
    floorAll: median(floors.map(({ all }) => all)),
    firstRows: median(opened.map(({ first }) => first)),
    loaded: median(opened.map(({ all }) => all)),
    longestLoading: Math.max(...opened.map(({ longest }) => longest)),
    heapPerCard: (heap - empty) / nodes,
    ...used,
  }
}

async function open(page, topicid, nodes) {
  await page.evaluate(() => {
    location.hash = '#/library'
  })
  await page.getByRole('grid', { name: 'Study sets' }).waitFor()
  return page.evaluate(
    async ([id, total]) => {
      const { bench } = window
      bench.longest()
      const button = () => document.querySelector('[aria-label="Reload"]')
      const shown = () => document.querySelectorAll('[role="treeitem"]').length > 0
      const done = () =>
        document.body.textContent.includes(`${total.toLocaleString('en-US')} cards`) &&
        !document.querySelector('[role="progressbar"]')
      const started = performance.now()
      const wasOpen = window.benchOpened === true
      location.hash = `#/study-sets/${id}/tree`
      if (wasOpen) {
        // The store keeps an open tree: reading it again costs what opening it the first time did.
        await new Promise((resolve) => setTimeout(resolve, 300))
        const again = performance.now()
        button().click()
        await bench.painted()
        const first = await bench.until(() => undefined, shown)
        await bench.until(() => undefined, done)
        return { first, all: performance.now() - again, longest: bench.longest() }
      }
      window.benchOpened = true
      await bench.until(() => undefined, shown)
      const first = performance.now() - started
      await bench.until(() => undefined, done)
      return { first, all: performance.now() - started, longest: bench.longest() }
    },
    [topicid, nodes],
  )
}

/** Expands all, scrolls from top to bottom in 5 s, and filters. */
async function use(page, nodes) {
  return page.evaluate(async (total) => {
    const { bench } = window
    const scroller = document.querySelector('[role="tree"]')
    bench.longest()
    const height = () => scroller.scrollHeight
    const before = height()
    const expandAll = await bench.until(
      () => document.querySelector('[aria-label="Expand all"]').click(),
      () => height() > before,
    )
    const longestExpand = bench.longest()
    const fps = await bench.scroll(scroller, 5_000)
    const longestScroll = bench.longest()
    const names = [...document.querySelectorAll('[role="treeitem"]')].map((row) => row.getAttribute('aria-label') ?? '')
    const field = document.querySelector('input[type="search"]')
    const filter = await bench.until(
      () => {
        field.value = '细胞膜'
        field.dispatchEvent(new Event('input', { bubbles: true }))
      },
      () => document.querySelector('[role="treeitem"] mark') !== null,
    )
    return {
      expandAll,
      longestExpand,
      fps,
      longestScroll,
      filter,
      longestFilter: bench.longest(),
      reachedEnd: names.some((name) => name.endsWith(String(total))),
    }
  }, nodes)
}

function startDemo(nodes) {
  const args = ['electron/demo-host/main.ts', '--port', '0', '--token-file', tokenFile, '--nodes', String(nodes)]
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The demo host exited with code ${code}.`)))
    child.stdout.once('data', async (data) => {
      const baseUrl = /http:\/\/\S+/.exec(String(data))[0]
      const answer = await fetch(`${baseUrl}/library/study-sets`, { headers: { authorization: `Bearer ${token}` } })
      const { studySets } = await answer.json()
      const { topicid } = studySets.find(({ noteCount }) => noteCount === nodes)
      child.removeAllListeners('exit')
      resolve({ baseUrl, topicid, stop: () => child.kill('SIGTERM') })
    })
  })
}
