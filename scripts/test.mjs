// npm test: everything that can be tested on this machine. `-- --only unit|component|browser|electron` (comma-separated) picks
// suites; other flags go to their runners. The last line adds them all: `N passed, N failed`.
import { ensureBuilt } from './lib/build.mjs'
import { ensureChromium } from './lib/chromium.mjs'
import { findElectron } from './lib/electron.mjs'
import { runPlaywright, runVitest, summary } from './lib/suites.mjs'
import { ensureDisplay } from './lib/xvfb.mjs'

const suites = ['unit', 'component', 'browser', 'electron']
const flags = process.argv.slice(2)
const wanted = picked()
const sums = []

for (const name of ['unit', 'component']) if (wanted.includes(name)) sums.push(runVitest(name, flags))

if (wanted.includes('browser')) {
  process.env['CHROMIUM_PATH'] = await ensureChromium()
  ensureBuilt('web')
  sums.push(runPlaywright('browser', flags))
}

if (wanted.includes('electron')) {
  const electron = findElectron()
  const end = electron ? await ensureDisplay() : null
  if (electron && end) {
    ensureBuilt('desktop')
    sums.push(runPlaywright('electron', flags))
    end()
  } else {
    const why = electron
      ? 'there is no display and no Xvfb'
      : 'there is no Electron binary (npx install-electron fetches it, or set ELECTRON_PATH)'
    process.stdout.write(`\n*** SKIPPED: the Electron specs were not run: ${why}. ***\n`)
    sums.push({ name: 'e2e electron', passed: 0, failed: 0, skipped: 0, note: `not run: ${why}` })
  }
}

const { failed, text } = summary(sums)
process.stdout.write(text)
process.exitCode = failed > 0 ? 1 : 0

/** Takes `--only` out of the flags. */
function picked() {
  const at = flags.findIndex((flag) => flag === '--only' || flag.startsWith('--only='))
  if (at === -1) return suites
  const [flag = '', value = ''] = flags.splice(at, flags[at] === '--only' ? 2 : 1)
  const names = (flag === '--only' ? value : flag.slice('--only='.length)).split(',')
  const unknown = names.filter((name) => !suites.includes(name))
  if (unknown.length > 0) {
    process.stderr.write(`--only takes ${suites.join(', ')}; not "${unknown.join(', ')}".\n`)
    process.exit(2)
  }
  return names
}
