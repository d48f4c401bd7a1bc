// node test/bench/map-peers.mjs [5000,50000]: the map beside the same cards as SVG elements that d3
// places, and in sigma.js, which a temporary folder gets from npm. All begin with cards in memory.
// Chromium without a GPU draws WebGL with SwiftShader; the last run has no WebGL at all.
import { chromium } from '@playwright/test'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { build } from 'vite'
import '../../scripts/lib/ensure-node.mjs'
import { ensureBuilt } from '../../scripts/lib/build.mjs'
import { chromiumArgs, ensureChromium } from '../../scripts/lib/chromium.mjs'
import { root } from '../../scripts/lib/paths.mjs'
import { moveMap, openMap, openTree, VIEWPORT } from './map-run.mjs'

const PEERS = ['sigma@4.0.4', 'graphology@0.26.0']
const SECONDS = 3
const PEER_TIMEOUT_MS = 120_000
const probe = readFileSync(path.join(root, 'test/bench/page-probe.js'), 'utf8')

/** Megabytes of all processes of a browser, with shared pages divided (Linux). */
async function memoryOf(browser) {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.reduce((sum, { id }) => {
    const [, kilobytes = '0'] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${id}/smaps_rollup`, 'utf8')) ?? []
    return sum + Number(kilobytes) / 1024
  }, 0)
}

const p95 = (intervals) => intervals.toSorted((a, b) => a - b)[Math.floor(intervals.length * 0.95)]

async function withBrowser(args, measure) {
  const browser = await chromium.launch({
    executablePath: await ensureChromium(),
    args: [...args, '--js-flags=--expose-gc'],
  })
  try {
    return await measure(browser)
  } finally {
    await browser.close()
  }
}

const measureMap = (count) =>
  withBrowser(chromiumArgs, async (browser) => {
    const { page, app } = await openTree(browser, count, probe)
    try {
      await page.evaluate(() => window.gc())
      const before = await memoryOf(browser)
      const { fromPress } = await openMap(page)
      await page.evaluate(() => window.gc())
      const memory = (await memoryOf(browser)) - before
      const pan = await moveMap(page, { seconds: SECONDS, zooms: false })
      const zoom = await moveMap(page, { seconds: SECONDS, zooms: true })
      return { picture: fromPress, pan: pan.p95, zoom: zoom.p95, memory }
    } finally {
      await app.close()
    }
  })

const measurePeer = (count, mount, script, args) =>
  withBrowser(args, (browser) =>
    Promise.race([
      drawPeer(browser, count, mount, script),
      sleep(PEER_TIMEOUT_MS, { error: `not measured within ${PEER_TIMEOUT_MS / 1_000} s` }, { ref: false }),
    ]),
  ).catch((error) => ({ error: String(error.message).split('\n')[0] }))

async function drawPeer(browser, count, mount, script) {
  const page = await browser.newPage({ viewport: VIEWPORT })
  await page.addScriptTag({ content: probe })
  await page.addScriptTag({ path: script })
  await page.evaluate((cards) => window.prepareCards(cards), count)
  await page.evaluate(() => window.gc())
  const before = await memoryOf(browser)
  const picture = await page.evaluate(async (name) => {
    const begun = performance.now()
    window[name]()
    await window.bench.painted()
    return performance.now() - begun
  }, mount)
  await page.waitForTimeout(1_000)
  await page.evaluate(() => window.gc())
  const memory = (await memoryOf(browser)) - before
  const move = (zooms) => page.evaluate((gesture) => window.movePeer(gesture), { seconds: SECONDS, zooms })
  return { picture, pan: p95(await move(false)), zoom: p95(await move(true)), memory }
}

ensureBuilt('web')
const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-peers-'))
try {
  execFileSync('npm', ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts', ...PEERS], { cwd: folder })
  await build({
    configFile: false,
    logLevel: 'error',
    root,
    resolve: {
      alias: Object.fromEntries(['sigma', 'graphology'].map((name) => [name, path.join(folder, 'node_modules', name)])),
    },
    build: {
      outDir: path.join(folder, 'page'),
      target: 'chrome130',
      lib: {
        entry: path.join(root, 'test/bench/map-peers-page.js'),
        formats: ['iife'],
        name: 'peers',
        fileName: 'page',
      },
    },
  })
  const script = path.join(folder, 'page/page.iife.js')
  for (const count of (process.argv[2] ?? '5000,50000').split(',').map(Number)) {
    const map = await measureMap(count)
    const runs = {
      map,
      'SVG by d3': await measurePeer(count, 'mountSvg', script, chromiumArgs),
      'sigma.js': await measurePeer(count, 'mountSigma', script, chromiumArgs),
      'sigma.js without WebGL': await measurePeer(count, 'mountSigma', script, [...chromiumArgs, '--disable-3d-apis']),
    }
    for (const [name, run] of Object.entries(runs)) {
      const format = (figure, unit) => `${run[figure].toFixed(1)} ${unit} (${(run[figure] / map[figure]).toFixed(2)}x)`
      process.stdout.write(
        run.error
          ? `${count} ${name}: ${run.error}\n`
          : `${count} ${name}: first picture ${format('picture', 'ms')}, pan p95 ${format('pan', 'ms')}, zoom p95 ${format('zoom', 'ms')}, memory ${format('memory', 'MB')}\n`,
      )
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
