// npm test: everything that can be tested on this machine. `-- --only unit|component|browser|dialects|mutation|electron` (comma-separated)
// picks suites; other flags go to their runners. The last line adds them all up: `N passed, N failed`.
// `--all`: every spec in Electron, not only what differs there, and every one in each dialect of the demo host, not only a sample.
// `--long`: only the tests that have a long form, in that form.
// `--axe`: only what axe says about each view and dialog, in both themes; otherwise each is looked at in one, by turns.
// `--build`: only builds what they run on.
import './lib/ensure-node.mjs'
import { ensureBuilt } from './lib/build.mjs'
import { ensureTestChromium } from './lib/chromium.mjs'
import { findElectron } from './lib/electron.mjs'
import { ensureLibraries } from './lib/electron-libraries.mjs'
import { runMutationSample, runPlaywright, runVitest, summary } from './lib/suites.mjs'
import { ensureDisplay } from './lib/xvfb.mjs'

const suites = ['unit', 'component', 'browser', 'dialects', 'mutation', 'electron']
/** Of the demo host, besides the one that it speaks by itself. */
const dialects = ['0.49', 'strict', 'loose']
const WORKERS = 2
const flags = process.argv.slice(2)
if (taken('--build')) {
  ensureBuilt('web')
  ensureBuilt('cli')
  if (findElectron()) ensureBuilt('desktop')
  process.exit()
}
const all = taken('--all')
const long = taken('--long')
const axe = taken('--axe')
const wanted = picked()
const env = {
  ...(all ? { E2E_ALL: '1' } : {}),
  ...(long ? { TEST_LONG: '1' } : {}),
  ...(axe ? { E2E_AXE: '1' } : {}),
  ...(wanted.includes('dialects') ? { E2E_DIALECTS: all ? 'all' : 'sample' } : {}),
}
const sums = []

const logic = wanted.filter((name) => name === 'unit' || name === 'component')
if (logic.length > 0) sums.push(...runVitest(logic, [...(long ? ['--tags-filter=long'] : []), ...flags], env))

const projects = []
let endDisplay = () => undefined
if (wanted.includes('browser') || wanted.includes('dialects')) {
  process.env['CHROMIUM_PATH'] = await ensureTestChromium()
  ensureBuilt('web')
  if (wanted.includes('browser')) projects.push('browser')
  if (wanted.includes('dialects') && !long) projects.push(...dialects)
}
const missing = wanted.includes('electron') ? await prepareElectron() : null
if (!all && projects.includes('browser') && projects.includes('electron')) env['E2E_ONCE'] = '1'
const picks = [...(long ? ['--grep=@long'] : []), ...(axe ? ['--grep=@axe'] : [])]
if (projects.length > 0) sums.push(...runPlaywright(projects, [...picks, ...flags], env))
endDisplay()
if (missing) {
  process.stdout.write(`\n*** SKIPPED: the Electron specs were not run: ${missing}. ***\n`)
  sums.push({ name: 'e2e electron', passed: 0, failed: 0, skipped: 0, note: `not run: ${missing}` })
}

if (wanted.includes('mutation') && !long) {
  process.env['CHROMIUM_PATH'] = await ensureTestChromium()
  ensureBuilt('web')
  sums.push(runMutationSample())
}

const { failed, text } = summary(sums)
process.stdout.write(text)
process.exitCode = failed > 0 ? 1 : 0

/** Makes Electron ready to be tested. Returns what is missing, if anything. */
async function prepareElectron() {
  const electron = findElectron()
  if (!electron) return 'there is no Electron binary (npx install-electron downloads it, or set ELECTRON_PATH)'
  const lacking = ensureLibraries(electron)
  if (lacking) return lacking
  const end = await ensureDisplay(WORKERS)
  if (!end) return 'there is no display and no Xvfb'
  endDisplay = end
  ensureBuilt('desktop')
  projects.push('electron')
  return null
}

/** Removes a flag from the flags. Returns whether it was there. */
function taken(name) {
  const at = flags.indexOf(name)
  if (at === -1) return false
  flags.splice(at, 1)
  return true
}

/** Removes `--only` from the flags and returns the suites it picks. */
function picked() {
  const at = flags.findIndex((flag) => flag === '--only' || flag.startsWith('--only='))
  if (at === -1) return suites
  const [flag = '', value = ''] = flags.splice(at, flags[at] === '--only' ? 2 : 1)
  const names = (flag === '--only' ? value : flag.slice('--only='.length)).split(',')
  const unknown = names.filter((name) => !suites.includes(name))
  if (unknown.length > 0) {
    process.stderr.write(`--only takes ${suites.join(', ')}, not "${unknown.join(', ')}".\n`)
    process.exit(2)
  }
  return names
}
