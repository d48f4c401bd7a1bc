// npm run test:mutation: alters one member of one host answer at a time, for every member of every
// read of every place, and checks that nothing breaks. `--sample` takes a few per view (seed:
// MUTATION_SEED), `--each N` that many; `--only PATTERN` selects views and `--case PATTERN` cases.
// A whole run that was stopped goes on with `--resume`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ensureBuilt } from '../../scripts/lib/build.mjs'
import { root } from '../../scripts/lib/paths.mjs'
import { digestOf, forgetProgress, longestFirst, savedProgress, saveProgress } from './progress.ts'
import { report, REPORT, summaryOf } from './report.ts'
import { run, unsaid, type StationResult } from './run.ts'
import { stationsOf, uncovered } from './stations.ts'

const { values } = parseArgs({
  options: {
    sample: { type: 'boolean', default: false },
    each: { type: 'string' },
    only: { type: 'string', default: '' },
    case: { type: 'string', default: '' },
    workers: { type: 'string', default: '2' },
    resume: { type: 'boolean', default: false },
  },
})
// CI runs the same cases every time; on a developer's machine every run takes different ones.
const random = process.env['CI'] ? 20_261_120 : Math.floor(Math.random() * 1_000_000_000)
const seed = Number(process.env['MUTATION_SEED'] ?? random)
/** Cases per station in the sample: about a minute on two cores. */
const SAMPLE = 2
const stepSize = values.each === undefined ? (values.sample ? SAMPLE : null) : Number(values.each)

/** Any view may report a change, so only a full run knows that no view did. */
const isFullRun = stepSize === null && values.only === '' && values.case === ''

ensureBuilt('web')
const folder = path.join(root, 'test-results')
mkdirSync(folder, { recursive: true })
const state = path.join(folder, 'mutation-run.json')
// The progress of a run is valid only for the same built program, demo host and test sources.
const parts = ['out/web', 'out/serve', 'electron/demo-host', 'shared', 'test/mutation']
const build = isFullRun ? digestOf(parts.map((part) => path.join(root, part))) : ''
const stopped = values.resume && isFullRun ? savedProgress(state, build) : null
if (typeof stopped === 'string') console.log(`Begins anew: ${stopped}.`)
const saved = typeof stopped === 'string' ? null : stopped
const results: StationResult[] = [...(saved?.results ?? [])]
const before = saved?.seconds ?? 0
if (results.length > 0) console.log(`Goes on after ${results.length} views`)
const visited = new Set(results.map(({ station }) => station))
const last = existsSync(REPORT) ? readFileSync(REPORT, 'utf8') : ''

const began = performance.now()
const secondsSo = (): number => before + (performance.now() - began) / 1000
if (stepSize !== null) console.log(`Mutation sample, seed ${seed} (MUTATION_SEED=${seed} runs the same again)`)
await run(
  ({ host }) => {
    const stations = stationsOf(host)
    const missing = uncovered(stations)
    if (missing.length > 0) throw new Error(`No station leads to ${missing.join(', ')}`)
    return stations
  },
  {
    workers: Number(values.workers),
    selectStations: (all) =>
      longestFirst(
        all.filter(({ name }) => new RegExp(values.only).test(name) && !visited.has(name)),
        last,
      ),
    wantedCase: ({ endpoint, pointer, mutation }) => new RegExp(values.case).test(`${endpoint} ${pointer} ${mutation}`),
    perStation: stepSize,
    seed,
    onStation(result) {
      const { station, cases, missed, once, falls } = result
      console.log(
        `${station.padEnd(28)} ${cases} cases, ${falls.length} falls` +
          `${missed ? `, ${missed} not reached` : ''}${once ? `, ${once} fell once and not again` : ''}`,
      )
      results.push(result)
      if (isFullRun) saveProgress(state, build, { results, seconds: secondsSo() })
    },
    onFall: (station, { case: { endpoint, pointer, mutation }, falls }) =>
      console.log(
        `  FALL ${station.name}: ${endpoint} ${pointer || '(answer)'} ${mutation}\n` +
          falls
            .map(({ kind, what }) => `       ${kind}: ${what.split('\n').slice(0, 3).join(' < ').slice(0, 400)}`)
            .join('\n'),
      ),
  },
)
const seconds = secondsSo()
console.log(summaryOf(results, seconds))
const silent = isFullRun ? unsaid(results) : []
if (silent.length > 0) console.log(`Said nowhere (${silent.length}):\n  ${silent.join('\n  ')}`)
const failed = results.reduce((sum, { falls }) => sum + falls.length, 0) + silent.length
const passed = results.reduce((sum, { cases, missed }) => sum + cases - missed, 0) - failed
writeFileSync(path.join(folder, 'mutation.json'), JSON.stringify({ seed, passed, failed, results }))
if (isFullRun) {
  await report(results, seconds, silent)
  forgetProgress(state)
}
process.exitCode = failed > 0 ? 1 : 0
