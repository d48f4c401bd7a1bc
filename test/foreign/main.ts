// npm run test:foreign: runs the suites of this folder in full and writes their figures into the
// README here. `npm test` runs them as well, with samples of the longer ones.
import { mkdirSync, rmSync } from 'node:fs'
import { ensureBuilt } from '../../scripts/lib/build.mjs'
import { ensureTestChromium } from '../../scripts/lib/chromium.mjs'
import { runPlaywright, runVitest, formatSummary } from '../../scripts/lib/suites.mjs'
import { folder } from './figures.ts'
import { report } from './report.ts'

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const began = performance.now()
process.env['CHROMIUM_PATH'] = await ensureTestChromium()
ensureBuilt('web')
const sums = [
  ...(await runVitest(['unit'], ['test/foreign'], { TEST_LONG: '1' })),
  ...(await runPlaywright(['browser'], ['test/foreign'], { TEST_LONG: '1' })),
]
const seconds = Math.round((performance.now() - began) / 1000)
const { failed, text } = formatSummary(sums)
process.stdout.write(text)
if (failed === 0)
  await report(
    sums.reduce((sum, { passed }) => sum + passed, 0),
    seconds,
  )
process.exitCode = failed > 0 ? 1 : 0
