// node test/bench/hours.mjs [--hours N] [--nodes N] [--speed N]: hours of following the host and
// watching operations with a large tree open, on one clock for all processes that runs `--speed`
// times as fast; fails if what is held grows.
import '../../scripts/lib/ensure-node.mjs'
import { chromium } from '@playwright/test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { ensureBuilt } from '../../scripts/lib/build.mjs'
import { chromiumArgs, ensureChromium } from '../../scripts/lib/chromium.mjs'
import { fastClock } from './hours/fast-clock.mjs'
import { startUser } from './hours/user.mjs'
import { grownIn, rowOf, sampleOf } from './hours/sample.mjs'
import { startHost } from './wire/start-host.mjs'
import { startServe } from '../../scripts/lib/serve-process.mjs'

const MINUTE_MS = 60_000
/** The host's user selects another card this often. */
const SELECT_MINUTES = 5
const SAMPLE_MINUTES = 30

const { values } = parseArgs({
  options: {
    hours: { type: 'string', default: '8' },
    nodes: { type: 'string', default: '200000' },
    speed: { type: 'string', default: '60' },
  },
})
const [hours, nodes, speed] = [values.hours, values.nodes, values.speed].map(Number)

ensureBuilt('web')
const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))
const tokenFile = path.join(folder, 'token')
const token = 'mnb0.bench-0123456789-0123456789'
writeFileSync(tokenFile, token, { mode: 0o600 })

const dataDir = path.join(folder, 'data')
mkdirSync(dataDir)
// As long as can be set: on this clock, a second of the host is a minute.
const patience = { connectTimeoutMs: 120_000, idleTimeoutMs: 600_000, totalTimeoutMs: 3_600_000 }
writeFileSync(path.join(dataDir, 'settings.json'), JSON.stringify(patience))

const clock = fastClock(folder, speed)
Object.assign(process.env, clock.env)
const host = await startHost(nodes, token)
const app = await startServe(['--base-url', host.baseUrl, '--token-file', tokenFile], dataDir)

const browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumArgs })
try {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })).newPage()
  page.setDefaultTimeout(15_000)
  await page.addInitScript(clock.script)
  await page.goto(app.url)
  const user = await startUser(page, host, nodes)

  const samples = []
  const began = Date.now()
  for (let minute = 0; ; minute += SELECT_MINUTES) {
    // What the user does and what a sample takes is time as well.
    await sleep(Math.max(0, began + (minute * MINUTE_MS) / speed - Date.now()))
    if (minute % SAMPLE_MINUTES === 0) {
      const sample = { ...(await sampleOf({ minute, page, clock, host, service: app.pid })), unsent: user.unsent() }
      samples.push(sample)
      console.log(JSON.stringify(rowOf(sample)))
    }
    if (minute >= hours * 60) break
    await host.select((minute * 7919) % nodes)
    if (minute % SAMPLE_MINUTES === SELECT_MINUTES) await user.write(`after-${minute}-minutes`)
    else await user.keepWatching()
  }
  console.table(samples.map(rowOf))
  const simulated = ((Date.now() - began) * speed) / (60 * MINUTE_MS)
  console.log(`${simulated.toFixed(1)} hours simulated in ${Math.round((Date.now() - began) / 1000)} s.`)
  if (samples.length < 7) console.log('Too short to say whether anything grows.')
  else {
    const grown = grownIn(samples)
    for (const line of grown) console.error(line)
    if (grown.length > 0) process.exitCode = 1
    else console.log('Flat: nothing is held that was not after the first hours.')
  }
} finally {
  await browser.close()
  await app.close()
  host.stop()
  rmSync(folder, { recursive: true })
}
