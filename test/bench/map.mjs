// node test/bench/map.mjs [cards]: the map of a generated study set in the whole program, in
// Chromium without a GPU: from all cards expanded to their layout and first picture, gestures with
// their processor time, and the memory of the page before, during and after.
import { chromium } from '@playwright/test'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import '../../scripts/lib/ensure-node.mjs'
import { ensureBuilt } from '../../scripts/lib/build.mjs'
import { chromiumArgs, ensureChromium } from '../../scripts/lib/chromium.mjs'
import { root } from '../../scripts/lib/paths.mjs'
import { heapsOf } from './heap.mjs'
import { moveMap, openMap, openTree } from './map-run.mjs'
import { processesOf, processorOf, spentBetween } from './wire/processor.mjs'

const cards = Number(process.argv[2] ?? 200_000)
const probe = readFileSync(path.join(root, 'test/bench/page-probe.js'), 'utf8')

ensureBuilt('web')
const browser = await chromium.launch({
  executablePath: await ensureChromium(),
  args: [...chromiumArgs, '--js-flags=--expose-gc'],
})
const { page, app } = await openTree(browser, cards, probe)
try {
  const processes = await processesOf(browser, app.pid)
  const before = await heapsOf(page)
  const opened = processorOf(processes)
  const opening = await openMap(page)
  const openingProcessor = spentBetween(opened, processorOf(processes)).threads
  const open = await heapsOf(page)

  async function measureGesture(zooms) {
    const begun = processorOf(processes)
    const gesture = await moveMap(page, { seconds: 4, zooms })
    return { ...gesture, processor: spentBetween(begun, processorOf(processes)).threads }
  }
  const gestures = { 'pan far': await measureGesture(false), zoom: await measureGesture(true) }
  await page.getByRole('tree').focus()
  await page.keyboard.press('0')
  await page.waitForTimeout(1_000)
  gestures['pan near'] = await measureGesture(false)
  await page.getByRole('link', { name: 'Tree', exact: true }).click()
  await page.waitForTimeout(1_500)
  const after = await heapsOf(page)

  const heap = ({ page: bytes, workers }) => bytes + workers
  const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MB`
  const ms = (value) => `${(value ?? 0).toFixed(1)} ms`
  const count = new Intl.NumberFormat('en-US').format(cards)
  const lines = [
    `Map of ${count} cards: layout ${ms(opening.layout)}, first picture ${ms(opening.picture)} later, ${ms(opening.fromPress)} after the press, longest task of the page ${ms(opening.longest)}; processor: page ${ms(openingProcessor['renderer/main'])}, worker ${ms(openingProcessor['renderer/DedicatedWorker'])}`,
    ...Object.entries(gestures).map(
      ([name, { fps, p95, sharpAfter, frames, pictures, longest, processor }]) =>
        `${name}: ${fps} frames a second, 95% within ${ms(p95)}, sharp after ${ms(sharpAfter)}, longest task ${ms(longest)}; processor: page ${ms((processor['renderer/main'] ?? 0) / frames)} a frame, worker ${ms((processor['renderer/DedicatedWorker'] ?? 0) / pictures)} a picture (${pictures})`,
    ),
    `memory: ${megabytes(heap(open) - heap(before))} more (${((heap(open) - heap(before)) / cards).toFixed(0)} bytes a card), ${megabytes(heap(after) - heap(before))} after leaving; workers ${before.workerCount}, ${open.workerCount}, ${after.workerCount}`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
} finally {
  await app.close()
  await browser.close()
}
