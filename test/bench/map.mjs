// node test/bench/map.mjs [cards]: the map of a generated study set in the whole program, in
// Chromium without a GPU: from all cards expanded to their layout and first picture, gestures, and
// the memory of the page before, during and after.
import { chromium } from '@playwright/test'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import '../../scripts/lib/ensure-node.mjs'
import { ensureBuilt } from '../../scripts/lib/build.mjs'
import { chromiumArgs, ensureChromium } from '../../scripts/lib/chromium.mjs'
import { root } from '../../scripts/lib/paths.mjs'
import { startServe } from '../../scripts/lib/serve-process.mjs'
import { heapOf } from './heap.mjs'

const cards = Number(process.argv[2] ?? 200_000)
const probe = readFileSync(path.join(root, 'test/bench/page-probe.js'), 'utf8')

/** Records when the map worker was asked and replied, and when a frame reached the canvas. */
function watchMap() {
  window.mapEvents = []
  const note = (kind, detail = null) => window.mapEvents.push({ kind, detail, time: performance.now() })
  const { Worker: NativeWorker } = window
  window.Worker = class extends NativeWorker {
    constructor(url, options) {
      super(url, options)
      if (options?.name !== 'map') return
      this.addEventListener('message', ({ data }) => note(data.kind, data.plan?.cardCount))
    }
    postMessage(message, ...rest) {
      if (message?.task === 'layout') note('asked', message.nodes.length)
      super.postMessage(message, ...rest)
    }
  }
  const { transferFromImageBitmap } = ImageBitmapRenderingContext.prototype
  ImageBitmapRenderingContext.prototype.transferFromImageBitmap = function (bitmap) {
    note('picture')
    return transferFromImageBitmap.call(this, bitmap)
  }
}

/** Sends wheel events for some seconds, and returns the intervals between frames. */
async function gesture({ seconds, zooms }) {
  const stage = document.querySelector('section[role=region] [role=tree]')
  const box = stage.getBoundingClientRect()
  const intervals = []
  const started = performance.now()
  window.bench.longest()
  for (let last = started; last - started < seconds * 1_000;) {
    const phase = Math.sin((last - started) / 700)
    const wheel = { deltaX: zooms ? 0 : 12 * phase, deltaY: zooms ? 40 * phase : 30 * phase, ctrlKey: zooms }
    const place = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 }
    stage.dispatchEvent(new WheelEvent('wheel', { ...wheel, ...place, bubbles: true, cancelable: true }))
    await new Promise((resolve) => requestAnimationFrame(resolve))
    intervals.push(performance.now() - last)
    last = performance.now()
  }
  const ended = performance.now()
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const pictures = window.mapEvents.filter(({ kind, time }) => kind === 'picture' && time > started)
  const sorted = intervals.toSorted((a, b) => a - b)
  return {
    fps: Math.round(intervals.length / seconds),
    p95: sorted[Math.floor(sorted.length * 0.95)],
    sharpAfter: Math.max(0, (pictures.at(-1)?.time ?? ended) - ended),
    pictures: pictures.length,
    longest: window.bench.longest(),
  }
}

ensureBuilt('web')
const browser = await chromium.launch({
  executablePath: await ensureChromium(),
  args: [...chromiumArgs, '--js-flags=--expose-gc'],
})
const app = await startServe(['--demo', '--demo-nodes', String(cards)])
try {
  const page = await (await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })).newPage()
  await page.addInitScript(probe)
  await page.addInitScript(watchMap)
  await page.goto(app.url)
  await page.getByRole('link', { name: 'Library', exact: true }).click()
  await page.getByRole('link', { name: /^Generated mind map/ }).click()
  const count = new Intl.NumberFormat('en-US').format(cards)
  await page.getByText(`${count} cards`, { exact: true }).waitFor({ timeout: 300_000 })
  await page.getByRole('button', { name: 'Expand all' }).click()
  await page.waitForTimeout(4_000)
  const before = await heapOf(page)
  await page.evaluate(() => window.bench.longest())
  await page.getByRole('link', { name: 'Map', exact: true }).click()
  await page.waitForFunction(() => window.mapEvents.some(({ kind }) => kind === 'picture'), null, { timeout: 120_000 })
  await page.waitForTimeout(1_000)
  const opening = await page.evaluate(() => {
    const timeOf = (kind) => window.mapEvents.find((event) => event.kind === kind)?.time
    return {
      layout: timeOf('plan') - timeOf('asked'),
      picture: timeOf('picture') - timeOf('plan'),
      longest: window.bench.longest(),
    }
  })
  const open = await heapOf(page)
  const results = {}
  results.panFar = await page.evaluate(gesture, { seconds: 4, zooms: false })
  results.zoom = await page.evaluate(gesture, { seconds: 4, zooms: true })
  await page.getByRole('tree').focus()
  await page.keyboard.press('0')
  await page.waitForTimeout(500)
  results.panNear = await page.evaluate(gesture, { seconds: 4, zooms: false })
  await page.getByRole('link', { name: 'Tree', exact: true }).click()
  await page.waitForTimeout(1_500)
  const after = await heapOf(page)
  const megabytes = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MB`
  const ms = (value) => `${value.toFixed(1)} ms`
  const lines = [
    `Map of ${count} cards: layout ${ms(opening.layout)}, first picture ${ms(opening.picture)} later, longest task of the page ${ms(opening.longest)}`,
    ...Object.entries(results).map(
      ([name, { fps, p95, sharpAfter, pictures, longest }]) =>
        `${name}: ${fps} frames a second, 95% within ${ms(p95)}, ${pictures} pictures, sharp after ${ms(sharpAfter)}, longest task ${ms(longest)}`,
    ),
    `memory: ${megabytes(open - before)} more (${((open - before) / cards).toFixed(0)} bytes a card), ${megabytes(after - before)} after leaving`,
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
} finally {
  await app.close()
  await browser.close()
}
