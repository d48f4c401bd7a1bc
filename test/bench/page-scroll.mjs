// node test/bench/page-scroll.mjs [--calls N]: frames while somebody scrolls the calls of a
// recording's page, by wheel and by keyboard. An empty virtual list in the same Chromium, which
// moves as many plain rows, tells what the machine can do meanwhile.
import '../../scripts/lib/ensure-node.mjs'
import { chromium } from '@playwright/test'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { writeRecordingPage } from '../../electron/recording-file/page-writer.ts'
import { writeRecording } from '../../electron/recording-file/recording-writer.ts'
import { createSigner } from '../../electron/recording-file/seal.ts'
import { chromiumArgs, ensureChromium } from '../../scripts/lib/chromium.mjs'
import { createRecordedExchange, createRecordingSource } from '../support/data/recordings.ts'

const WHEEL_STEPS = 200
const WHEEL_PX = 100
const KEY_STEPS = 100
const FRAME_MS = 1000 / 60
/** A frame that takes longer than one and a half leaves out another. */
const LATE_MS = FRAME_MS * 1.5
/** Share of the time of scrolling in late frames, beyond that of the empty list. */
const MAX_LATE_SHARE = 0.05

const { values } = parseArgs({ options: { calls: { type: 'string', default: '10000' } } })
const count = Number(values.calls)
const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-'))

/** The least that a list of rows of 26 px does: it places a window of plain lines. */
const EMPTY_LIST = `<!doctype html><meta charset="utf-8"><body style="margin:0">
<div role="grid" tabindex="0" style="height:100vh;overflow:auto"><div style="position:relative;height:${count * 26}px"></div></div>
<script>
const box = document.querySelector('[role=grid]'), inner = box.firstChild
function draw() {
  const first = Math.floor(box.scrollTop / 26)
  inner.replaceChildren(...Array.from({ length: 40 }, (_, index) => {
    const row = document.createElement('div')
    row.setAttribute('role', 'row')
    row.textContent = 'Row ' + (first + index)
    row.style.cssText = 'position:absolute;height:26px;top:' + (first + index) * 26 + 'px'
    return row
  }))
}
box.addEventListener('scroll', () => requestAnimationFrame(draw))
draw()
</script>`

async function writePages() {
  const origin = { kind: 'panel', label: 'Practice', caller: 'panel-1', load: 1 }
  const exchanges = Array.from({ length: count }, (_, index) =>
    createRecordedExchange(index + 1, '{}', {
      row: {
        origin,
        path: `/notes/5F2A${index}/children?limit=200`,
        startedAt: 1_000_000 + index * 20,
        durationMs: 5 + (index % 90),
        ...(index % 50 === 0 ? { status: 404, errorCode: 'NOT_FOUND' } : {}),
      },
    }),
  )
  const file = path.join(folder, 'calls.birec')
  const sign = createSigner(generateKeyPairSync('ed25519').privateKey)
  await writeRecording(file, createRecordingSource(['{}'], { lines: { exchanges } }), { sign })
  const template = fileURLToPath(new URL('../../out/page/recording-page.html', import.meta.url))
  await writeRecordingPage(file, template, path.join(folder, 'page.html'))
  writeFileSync(path.join(folder, 'empty.html'), EMPTY_LIST)
}

/** Runs in the page: measures frames and long tasks until it is called again. */
function toggleMeasuring(lateMs) {
  if (window.measured) {
    const { frames, tasks, observer } = window.measured
    window.measured = undefined
    observer.disconnect()
    const sum = (values) => values.reduce((total, value) => total + value, 0)
    const sorted = frames.toSorted((first, second) => first - second)
    return {
      median: sorted[sorted.length >> 1],
      most: sorted[Math.floor(sorted.length * 0.95)],
      count: frames.length,
      lateShare: sum(frames.filter((frame) => frame > lateMs)) / sum(frames),
      longest: Math.max(0, ...tasks),
    }
  }
  const [frames, tasks] = [[], []]
  const observer = new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration)))
  observer.observe({ entryTypes: ['longtask'] })
  const measured = (window.measured = { frames, tasks, observer })
  let last = performance.now()
  const onFrame = (time) => {
    if (window.measured !== measured) return
    frames.push(time - last)
    last = time
    requestAnimationFrame(onFrame)
  }
  requestAnimationFrame(onFrame)
}

async function measureFile(browser, name) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })
  await page.goto(pathToFileURL(path.join(folder, name)).href)
  const grid = page.getByRole('grid')
  await grid.getByRole('row').nth(9).waitFor()
  if (name === 'page.html') await page.getByText('Intact.').waitFor()
  const { x, y } = await grid.boundingBox()
  await page.mouse.move(x + 200, y + 200)
  await page.evaluate(toggleMeasuring, LATE_MS)
  for (let step = 0; step < WHEEL_STEPS; step += 1) await page.mouse.wheel(0, WHEEL_PX)
  const wheel = await page.evaluate(toggleMeasuring, LATE_MS)
  await grid.press('Home')
  await page.evaluate(toggleMeasuring, LATE_MS)
  for (let step = 0; step < KEY_STEPS; step += 1) await page.keyboard.press('PageDown')
  const keys = await page.evaluate(toggleMeasuring, LATE_MS)
  await page.close()
  return { wheel, keys }
}

await writePages()
const browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumArgs })
try {
  const empty = await measureFile(browser, 'empty.html')
  const measured = await measureFile(browser, 'page.html')
  for (const [input, { median, most, count: frames, lateShare, longest }] of Object.entries(measured)) {
    const other = empty[input]
    const added = lateShare - other.lateShare
    console.log(
      `${count} calls by ${input}: ${frames} frames (an empty list: ${other.count}), ${(lateShare * 100).toFixed(0)}% of the time in late ones ` +
        `(${(other.lateShare * 100).toFixed(0)}%, bar ${MAX_LATE_SHARE * 100}% more), median ${median.toFixed(1)} ms (${other.median.toFixed(1)}), ` +
        `95 of 100 within ${most.toFixed(1)} ms (${other.most.toFixed(1)}), longest task ${longest.toFixed(0)} ms (${other.longest.toFixed(0)}).`,
    )
    if (added > MAX_LATE_SHARE) process.exitCode = 1
  }
} finally {
  await browser.close()
  rmSync(folder, { recursive: true })
}
