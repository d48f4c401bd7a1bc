// Draws `renderer/public/icon.svg` in every size that the packages need:
// `resources/icons/<size>.png` (Linux), `icon.ico` (Windows), `icon.icns` (macOS).
import './lib/ensure-node.mjs'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { chromium } from '@playwright/test'
import { chromiumArgs, ensureChromium } from './lib/chromium.mjs'
import { createIcns, createIco } from './lib/icon-files.mjs'
import { root } from './lib/paths.mjs'

const sizes = [16, 24, 32, 48, 64, 128, 256, 512, 1024]
const folder = path.join(root, 'resources', 'icons')
const drawing = readFileSync(path.join(root, 'renderer', 'public', 'icon.svg'), 'utf8')

const browser = await chromium.launch({ executablePath: await ensureChromium(), args: chromiumArgs })
const page = await browser.newPage()
await page.setContent(`<style>*{margin:0}svg{display:block;width:100vw;height:100vw}</style>${drawing}`)
const pictures = new Map()
mkdirSync(folder, { recursive: true })
for (const size of sizes) {
  await page.setViewportSize({ width: size, height: size })
  pictures.set(size, await page.screenshot({ omitBackground: true }))
  writeFileSync(path.join(folder, `${size}x${size}.png`), pictures.get(size))
}
await browser.close()
writeFileSync(path.join(root, 'resources', 'icon.ico'), createIco(pictures))
writeFileSync(path.join(root, 'resources', 'icon.icns'), createIcns(pictures))
process.stdout.write(`Icons in ${sizes.length} sizes, for Linux, Windows and macOS.\n`)
