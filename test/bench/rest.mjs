// node test/bench/rest.mjs [--samples N]: what the processes take of a core while nobody does
// anything, with a tree of 2,000 cards open in the browser host. Processor time is read from the
// scheduler (Linux), because a clock tick is more than a sample.
import '../../scripts/lib/ensure-node.mjs'
import { chromium } from '@playwright/test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ensureBuilt } from '../../scripts/lib/build.mjs'
import { chromiumArgs, ensureChromium } from '../../scripts/lib/chromium.mjs'
import { startServe } from '../../scripts/lib/serve-process.mjs'
import { processesOf, processorOf, spentBetween } from './wire/processor.mjs'
import { startHost } from './wire/start-host.mjs'

const CARDS = 2_000
/** After this long, what was read is checked and what the start left behind is collected. */
const SETTLED_MS = 40_000
const SAMPLE_MS = 20_000

const { values } = parseArgs({ options: { samples: { type: 'string', default: '6' } } })

ensureBuilt('web')
const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))
const tokenFile = path.join(folder, 'token')
const token = 'mnb0.bench-0123456789-0123456789'
writeFileSync(tokenFile, token, { mode: 0o600 })
const host = await startHost(CARDS, token)
const app = await startServe(['--base-url', host.baseUrl, '--token-file', tokenFile])
const browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumArgs })
try {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })).newPage()
  await page.goto(app.url)
  await page.getByRole('link', { name: 'Calculus II' }).waitFor()
  await page.evaluate((to) => void (location.hash = to), `#/study-sets/${host.topicid}/tree`)
  await page.getByRole('treeitem').first().waitFor()
  await sleep(SETTLED_MS)
  const processes = await processesOf(browser, app.pid)
  const rows = []
  for (let n = 0; n < Number(values.samples); n += 1) {
    const before = processorOf(processes)
    await sleep(SAMPLE_MS)
    const { processes: by, threads } = spentBetween(before, processorOf(processes))
    rows.push({ ...by, 'page, main thread': threads['renderer/main'] })
  }
  const share = (ms) => `${(((ms ?? 0) / SAMPLE_MS) * 100).toFixed(2)}%`
  console.table(rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, ms]) => [name, share(ms)]))))
  const pages = rows.map(({ renderer }) => renderer).toSorted((a, b) => a - b)
  console.log(`The page takes ${share(pages[Math.floor(pages.length / 2)])} of a core in the median (bar 0.2%).`)
} finally {
  await browser.close()
  await app.close()
  host.stop()
  rmSync(folder, { recursive: true })
}
