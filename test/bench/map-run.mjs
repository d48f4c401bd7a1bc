// What the benchmarks of the map do with the whole program: open the map, and move it.
import { startServe } from '../../scripts/lib/serve-process.mjs'

export const VIEWPORT = { width: 1440, height: 900 }
const SETTLE_MS = 1_000

/** Records when the map worker was asked and replied, and which view a picture shows. */
function watchMap() {
  window.mapEvents = []
  window.noteMapEvent = (kind, view = null) => window.mapEvents.push({ kind, view, time: performance.now() })
  const views = new Map()
  let lastView = null
  const { Worker: NativeWorker } = window
  window.Worker = class extends NativeWorker {
    constructor(url, options) {
      super(url, options)
      if (options?.name !== 'map') return
      this.addEventListener('message', ({ data }) => {
        if (data.kind === 'frame') lastView = views.get(data.seq)
        views.delete(data.seq)
        window.noteMapEvent(data.kind)
      })
    }
    postMessage(message, ...rest) {
      if (message?.task === 'layout') window.noteMapEvent('asked')
      if (message?.task === 'frame') views.set(message.seq, JSON.stringify(message.frame.view))
      super.postMessage(message, ...rest)
    }
  }
  const { transferFromImageBitmap } = ImageBitmapRenderingContext.prototype
  ImageBitmapRenderingContext.prototype.transferFromImageBitmap = function (bitmap) {
    window.noteMapEvent('picture', lastView)
    return transferFromImageBitmap.call(this, bitmap)
  }
}

/** Starts the program with a generated study set, and expands all of its cards in the tree. */
export async function openTree(browser, cards, probe) {
  const app = await startServe(['--demo', '--demo-nodes', String(cards)])
  const page = await (await browser.newContext({ viewport: VIEWPORT, locale: 'en-US' })).newPage()
  await page.addInitScript(probe)
  await page.addInitScript(watchMap)
  await page.goto(app.url)
  await page.getByRole('link', { name: 'Library', exact: true }).click()
  await page.getByRole('link', { name: /^Generated mind map/ }).click()
  const count = new Intl.NumberFormat('en-US').format(cards)
  await page.getByText(`${count} cards`, { exact: true }).waitFor({ timeout: 300_000 })
  await page.getByRole('button', { name: 'Expand to level' }).click()
  await page.getByRole('menuitem', { name: 'Expand all' }).click()
  await page.waitForTimeout(4_000)
  return { page, app }
}

/** Opens the map, and measures its way to the first picture in milliseconds. */
export async function openMap(page) {
  await page.evaluate(() => {
    window.bench.longest()
    window.noteMapEvent('pressed')
    const links = [...document.querySelectorAll('a')]
    links.find((link) => link.textContent.trim() === 'Map').click()
  })
  await page.waitForFunction(() => window.mapEvents.some(({ kind }) => kind === 'picture'), null, { timeout: 120_000 })
  await page.waitForTimeout(SETTLE_MS)
  return page.evaluate(() => {
    const timeOf = (kind) => window.mapEvents.find((event) => event.kind === kind)?.time
    return {
      layout: timeOf('plan') - timeOf('asked'),
      picture: timeOf('picture') - timeOf('plan'),
      fromPress: timeOf('picture') - timeOf('pressed'),
      longest: window.bench.longest(),
    }
  })
}

/**
 * Turns the wheel over the map before each frame of some seconds. `sharpAfter` is the time from the
 * last turn until a picture shows the final view.
 */
export const moveMap = (page, { seconds, zooms }) => page.evaluate(turnWheel, { seconds, zooms, settleMs: SETTLE_MS })

async function turnWheel({ seconds, zooms, settleMs }) {
  const stage = document.querySelector('section[role=region] [role=tree]')
  const box = stage.getBoundingClientRect()
  const place = { clientX: box.left + box.width / 2, clientY: box.top + box.height / 2 }
  window.bench.longest()
  const begun = performance.now()
  let ended = begun
  const intervals = await window.bench.frames(seconds * 1_000, (passed) => {
    const phase = Math.sin(passed / 700)
    const wheel = { deltaX: zooms ? 0 : 12 * phase, deltaY: zooms ? 40 * phase : 30 * phase, ctrlKey: zooms }
    ended = performance.now()
    stage.dispatchEvent(new WheelEvent('wheel', { ...wheel, ...place, bubbles: true, cancelable: true }))
  })
  await new Promise((resolve) => setTimeout(resolve, settleMs))
  const pictures = window.mapEvents.filter(({ kind, time }) => kind === 'picture' && time > begun)
  const sharp = pictures.find(({ view, time }) => time > ended && view === pictures.at(-1).view)
  const sorted = intervals.toSorted((a, b) => a - b)
  return {
    fps: Math.round(intervals.length / seconds),
    p95: sorted[Math.floor(sorted.length * 0.95)],
    sharpAfter: sharp ? sharp.time - ended : 0,
    frames: intervals.length,
    pictures: pictures.length,
    longest: window.bench.longest(),
  }
}
