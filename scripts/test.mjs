// npm test: runs the most important tests in five minutes on two cores: types, unit and component
// tests but for the slow files (`@module-tag slow`), one end-to-end spec for each main job (tagged
// `@core`), and the first steps of the desktop app if there is an Electron. It prints what it left
// out.
// npm run test:all: runs everything that can be tested on this machine.
// `--rest` runs only what `npm test` leaves out, unit tests and specs at once.
// `--only types|unit|component|browser|dialects|mutation|electron` (comma-separated) runs these
// suites in full.
// `--full` runs every spec in Electron, not only those that differ there, and every one in each
// dialect of the demo host, not only a sample.
// `--long` runs only the tests that have a long form, in that form.
// `--axe` runs only the checks of axe on each view and dialog, in both themes; otherwise each is
// checked in one theme, alternately.
// `--build` only builds what the tests run on.
// Other flags go to the runners. The last line adds all suites up: `N passed, N failed`.
import './lib/ensure-node.mjs'
import { ensureBuilt } from './lib/build.mjs'
import { ensureTestChromium, findTestChromium } from './lib/chromium.mjs'
import { findElectron } from './lib/electron.mjs'
import { ensureLibraries } from './lib/electron-libraries.mjs'
import { checkTypes, runMutationSample, runPlaywright, runVitest, formatSummary } from './lib/suites.mjs'
import { ensureDisplay } from './lib/xvfb.mjs'

const suites = ['types', 'unit', 'component', 'browser', 'dialects', 'mutation', 'electron']
/** The tests run in these dialects of the demo host besides its default one. */
const dialects = ['0.49', 'strict', 'loose']
const WORKERS = 2
const flags = process.argv.slice(2)
if (takeFlag('--build')) {
  ensureBuilt('web')
  ensureBuilt('cli')
  if (findElectron()) ensureBuilt('desktop')
  process.exit()
}
const isFull = takeFlag('--full')
const isLong = takeFlag('--long')
const isAxe = takeFlag('--axe')
const isRest = takeFlag('--rest')
const isAll = takeFlag('--all')
const picked = pickSuites()
/** True if this run ends after the most important tests. */
const isCore = picked === null && !isAll && !isRest && !isLong && !isAxe
const requestedSuites =
  picked ??
  (isCore
    ? ['types', 'unit', 'component', 'browser', 'electron']
    : suites.filter((name) => !isRest || !['types', 'component'].includes(name)))
const env = {
  ...(isFull ? { E2E_FULL: '1' } : {}),
  ...(isLong ? { TEST_LONG: '1' } : {}),
  ...(isAxe ? { E2E_AXE: '1' } : {}),
  ...(isCore ? { TEST_PART: 'core' } : isRest ? { TEST_PART: 'rest' } : {}),
  ...(requestedSuites.includes('dialects') ? { E2E_DIALECTS: isFull ? 'all' : 'sample' } : {}),
}
const sums = []

/** Types keep one core busy for most of a minute; the builds and the first tests take the other. */
const types = requestedSuites.includes('types') && !isLong ? checkTypes() : null
const hasPages = ['browser', 'dialects', 'mutation'].some((name) => requestedSuites.includes(name))
if (hasPages) {
  // Installing the faster one takes longer than the few specs of `npm test` save by it.
  process.env['CHROMIUM_PATH'] = (isCore ? await findTestChromium() : null) ?? (await ensureTestChromium())
  ensureBuilt('web')
}
const projects = []
let endDisplay = () => undefined
const missing = requestedSuites.includes('electron') ? await prepareElectron() : null

if (requestedSuites.includes('browser')) projects.unshift('browser')
if (requestedSuites.includes('dialects') && !isLong) projects.push(...dialects)
if (!isFull && !isCore && projects.includes('browser') && projects.includes('electron')) env['E2E_ONCE'] = '1'
const picks = [...(isLong ? ['--grep=@long'] : []), ...(isAxe ? ['--grep=@axe'] : [])]
const runSpecs = () => (projects.length > 0 ? runPlaywright(projects, [...picks, ...flags], env) : [])
const logic = requestedSuites.filter((name) => name === 'unit' || name === 'component')
const runLogic = (options) =>
  logic.length > 0 ? runVitest(logic, [...(isLong ? ['--tags-filter=long'] : []), ...flags], env, options) : []
if (isRest && projects.length > 0) {
  // Both wait for much of their time, and so keep the cores busy together.
  sums.push(...(await Promise.all([runLogic({ isQuiet: true }), runSpecs()])).flat())
} else {
  sums.push(...(await runLogic()))
  if (types) await types
  sums.push(...(await runSpecs()))
}
if (types) sums.unshift(await types)
endDisplay()
if (missing) {
  process.stdout.write(`\n*** SKIPPED: the Electron specs were not run: ${missing}. ***\n`)
  sums.push({ name: 'e2e electron', passed: 0, failed: 0, skipped: 0, note: `not run: ${missing}` })
}

if (requestedSuites.includes('mutation') && !isLong) sums.push(runMutationSample())

const { failed, text } = formatSummary(sums)
if (isCore) {
  process.stdout.write(
    '\nNot run here: the slow files of unit tests, all other end-to-end specs, those in the dialects of the demo host, and the mutation sample. ' +
      '`npm run test:all` runs everything; `npm run lint` checks style and import rules.\n',
  )
}
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
function takeFlag(name) {
  const index = flags.indexOf(name)
  if (index === -1) return false
  flags.splice(index, 1)
  return true
}

/**
 * Removes `--only` from the flags. Returns the suites that it picks, or null if it is not there.
 */
function pickSuites() {
  const index = flags.findIndex((flag) => flag === '--only' || flag.startsWith('--only='))
  if (index === -1) return null
  const [flag = '', value = ''] = flags.splice(index, flags[index] === '--only' ? 2 : 1)
  const names = (flag === '--only' ? value : flag.slice('--only='.length)).split(',')
  const unknown = names.filter((name) => !suites.includes(name))
  if (unknown.length > 0) {
    process.stderr.write(`--only takes ${suites.join(', ')}, not "${unknown.join(', ')}".\n`)
    process.exit(2)
  }
  return names
}
