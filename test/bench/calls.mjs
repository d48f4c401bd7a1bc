// node test/bench/calls.mjs [--rounds N]: what it costs a panel's call to carry the stack of its
// code. The same page makes the same calls in turn with its stack and with an empty one, which the
// helper script does not send. Both take the stack, which costs some hundredths of a millisecond.
import '../../scripts/lib/ensure-node.mjs'
import { chromium } from '@playwright/test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ensureBuilt } from '../../scripts/lib/build.mjs'
import { chromiumArgs, ensureChromium } from '../../scripts/lib/chromium.mjs'
import { startServe } from '../../scripts/lib/serve-process.mjs'
import { startHost } from './wire/start-host.mjs'

const CARDS = 2_000
const CALLS_PER_ROUND = 100
const MAX_RATIO = 1.05

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' } } })
const median = (numbers) => numbers.toSorted((first, second) => first - second)[Math.floor(numbers.length / 2)]

/** Runs in the panel's page. Returns the milliseconds per call of both variants in each round. */
async function measureCalls({ rounds, callsPerRound }) {
  const address = `${location.origin}/bridge/v1/ui-state`
  const callNested = async (depth) => (depth === 0 ? (await fetch(address)).text() : await callNested(depth - 1))
  const formats = { plain: () => '', stack: undefined }
  const measured = { plain: [], stack: [] }
  for (let round = 0; round <= rounds; round += 1) {
    const names = round % 2 === 0 ? ['plain', 'stack'] : ['stack', 'plain']
    for (const name of names) {
      Error.prepareStackTrace = formats[name]
      const start = performance.now()
      for (let index = 0; index < callsPerRound; index += 1) await callNested(8)
      // The first round warms up.
      if (round > 0) measured[name].push((performance.now() - start) / callsPerRound)
    }
  }
  return measured
}

ensureBuilt('web')
const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))
const tokenFile = path.join(folder, 'token')
const token = 'mnb0.bench-0123456789-0123456789'
writeFileSync(tokenFile, token, { mode: 0o600 })
writeFileSync(path.join(folder, 'index.html'), '<!doctype html><title>Calls</title><h1>Calls</h1>')
const host = await startHost(CARDS, token)
const app = await startServe(['--base-url', host.baseUrl, '--token-file', tokenFile])
const browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumArgs })
try {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })).newPage()
  await page.goto(app.url)
  await page.getByRole('link', { name: 'Calculus II' }).waitFor()
  await page.evaluate(() => void (location.hash = '#/panel'))
  await page.getByRole('textbox', { name: 'Path of the folder' }).fill(folder)
  await page.getByRole('button', { name: 'Open folder' }).click()
  const heading = page.getByRole('region', { name: 'Panel', exact: true }).frameLocator('iframe').getByRole('heading')
  await heading.waitFor()
  // Another place is shown, so that the list of calls is not drawn meanwhile.
  await page.evaluate(() => void (location.hash = '#/settings'))
  const panel = page.frames().find((frame) => frame !== page.mainFrame())
  const options = { rounds: Number(values.rounds), callsPerRound: CALLS_PER_ROUND }
  const measured = await panel.evaluate(measureCalls, options)
  const ratio = median(measured.stack.map((ms, round) => ms / measured.plain[round]))
  const format = (name) => `${median(measured[name]).toFixed(3)} ms`
  console.log(
    `A call takes ${format('plain')} without and ${format('stack')} with the stack: ${ratio.toFixed(3)}x (bar ${MAX_RATIO}x).`,
  )
  if (ratio > MAX_RATIO) process.exitCode = 1
} finally {
  await browser.close()
  await app.close()
  host.stop()
  rmSync(folder, { recursive: true })
}
