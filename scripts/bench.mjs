// npm run bench: compares runs on this machine and writes the ratios to test/bench/README.md, where
// what stands outside of its sections is kept.
// `-- --quick` skips the tree with a million cards.
// `-- --wire` measures only the large trees.
// `-- --profile` measures the steps of one page of a large tree.
// `-- --check` fails if anything takes more processor time than when it was measured last;
// `-- --check --keep` does so as well, and then keeps what it measured and writes it to the report.
// `-- --check --only=load,traffic` measures only these groups of figures (wire/last.mjs).
import './lib/ensure-node.mjs'
import { chromium } from '@playwright/test'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { measureCheck } from '../test/bench/check.mjs'
import { compareTrees } from '../test/bench/compare.mjs'
import { measureOperations } from '../test/bench/operations.mjs'
import { measureRecording } from '../test/bench/recording.mjs'
import { formatProgramReport } from '../test/bench/report.mjs'
import { measureStrip } from '../test/bench/strip.mjs'
import { measureTraffic } from '../test/bench/traffic.mjs'
import { measureTrafficPage } from '../test/bench/traffic-page.mjs'
import {
  checkedGroups,
  findSlowdowns,
  formatSlowdown,
  keepFigures,
  readLast,
  toMedians,
  toStoredResult,
  writeLast,
} from '../test/bench/wire/last.mjs'
import { profilePage } from '../test/bench/wire/profile.mjs'
import { formatCheckReport, formatWireReport, replaceSection } from '../test/bench/wire/report.mjs'
import { measureTree } from '../test/bench/wire/tree.mjs'
import { measureCold } from '../test/bench/cold.mjs'
import { ensureBuilt } from './lib/build.mjs'
import { chromiumArgs, ensureChromium } from './lib/chromium.mjs'
import { findElectron, hasDisplay } from './lib/electron.mjs'
import { bin, root } from './lib/paths.mjs'

const [quick, wireOnly, profileOnly, check, keep] = ['--quick', '--wire', '--profile', '--check', '--keep'].map(
  (flag) => process.argv.includes(flag),
)
const only = process.argv.find((arg) => arg.startsWith('--only='))?.slice('--only='.length)
const readme = path.join(root, 'test/bench/README.md')
const probe = readFileSync(path.join(root, 'test/bench/page-probe.js'), 'utf8')
const tokenFile = path.join(mkdtempSync(path.join(os.tmpdir(), 'bridge-inspector-bench-')), 'token')
const token = 'mnb0.bench-0123456789-0123456789'
writeFileSync(tokenFile, token, { mode: 0o600 })

const launch = async () =>
  chromium.launch({ executablePath: await ensureChromium(), args: [...chromiumArgs, '--js-flags=--expose-gc'] })
const wire = { token, tokenFile, probe, launch }
const last = readLast()
const commit = spawnSync('git', ['describe', '--always', '--dirty'], { cwd: root, encoding: 'utf8' }).stdout.trim()

if (profileOnly) await keepProfile()
else if (check) await checkProgram()
else {
  if (wireOnly) replaceSection(readme, await measureWire(), 'wire')
  else await measureAll()
  formatReadme()
}

function formatReadme() {
  spawnSync(bin('prettier'), ['--write', '--log-level', 'warn', readme], { stdio: 'inherit' })
}

/**
 * Measures the large trees, stores their results for the next comparison, and returns their section
 * of the report.
 */
async function measureWire() {
  ensureBuilt('web')
  const trees = [await measureTree({ ...wire, nodes: 200_000, rounds: 3 })]
  if (!quick) trees.push(await measureTree({ ...wire, nodes: 1_000_000, rounds: 1 }))
  const results = Object.fromEntries(trees.map((tree) => [tree.nodes, toStoredResult(tree)]))
  const text = formatWireReport(trees, last, commit)
  writeLast({ ...last, commit, ...results })
  return text
}

async function keepProfile() {
  const steps = await profilePage(token)
  console.table(steps)
  writeLast({
    ...last,
    page: Object.fromEntries(Object.entries(steps).map(([name, ms]) => [name, Math.round(ms * 100) / 100])),
  })
}

/** Measures four rounds, because one that is slow by chance must not fail. */
async function checkProgram() {
  ensureBuilt('web')
  ensureBuilt('cli')
  const groups = only?.split(',') ?? Object.keys(checkedGroups)
  const unknown = groups.filter((group) => !(group in checkedGroups))
  if (unknown.length > 0) throw new Error(`No such group: ${unknown.join(', ')}.`)
  const names = groups.flatMap((group) => checkedGroups[group])
  const { results, longest } = await measureCheck({ ...wire, rounds: 4, groups })
  const medians = toMedians(results, names)
  console.table(medians)
  if (longest !== null) console.log(formatLongestTasks(results, longest))
  const before = last.check ?? { commit: 'an earlier commit' }
  const worse = findSlowdowns(before, results, names)
  for (const slowdown of worse) console.error(formatSlowdown(slowdown, before, results.length))
  if (worse.length > 0) process.exitCode = 1
  else console.log(`Nothing got worse by more than 15% since ${before.commit}.`)
  if (!keep) return
  const check = keepFigures(before, medians, commit)
  writeLast({ ...last, check })
  replaceSection(readme, formatCheckReport(check), 'check')
  formatReadme()
}

/** Other work on the machine makes tasks longer by the clock, so all rounds are named. */
function formatLongestTasks(results, longest) {
  const format = (ms) => (ms === 0 ? 'none over 50' : `${Math.round(ms)}`)
  const list = (name) => results.map((result) => format(result[name])).join(', ')
  return `Longest task of the page in each round: ${list('longestOfLoad')} ms while loading, ${list('longestOfMap')} ms while the map opens.
In processor time of one more round: ${format(longest.load)} and ${format(longest.map)} ms.`
}

async function measureAll() {
  replaceSection(readme, await measureWire(), 'wire')
  const built = spawnSync(
    bin('vite'),
    ['build', '--config', 'test/bench/ntree/vite.config.ts', '--logLevel', 'error'],
    {
      cwd: root,
      stdio: 'inherit',
    },
  )
  if (built.status !== 0) process.exit(1)
  const browser = await launch()
  const trees = await compareTrees(browser, probe, path.join(root, 'out/bench'), 200_000)
  const strip = await measureStrip(browser, probe, tokenFile, token)
  const operations = await measureOperations(browser, probe)
  const traffic = await measureTraffic()
  const recording = await measureRecording()
  const trafficPage = await measureTrafficPage(browser, probe)
  await browser.close()
  const cold = findElectron() && hasDisplay() ? await measureCold() : null
  const figures = { cold, trees, strip, operations, traffic, recording, trafficPage }
  replaceSection(readme, formatProgramReport(figures, commit), 'program')
}
