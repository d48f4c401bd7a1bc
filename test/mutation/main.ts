// npm run test:mutation: alters one member of one response of the host at a time, for every member
// of every read of every place, and checks that nothing breaks. `--sample` takes a few per view
// (seed: MUTATION_SEED), `--each N` that many; `--only PATTERN` selects views and `--case PATTERN`
// cases. A whole run that was stopped goes on with `--resume`.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ensureBuilt } from '../../scripts/lib/build.mjs'
import { root } from '../../scripts/lib/paths.mjs'
import { computeDigest, forgetProgress, sortLongestFirst, readProgress, saveProgress } from './progress.ts'
import { writeReport, REPORT, formatContractCounts, formatSummary } from './report.ts'
import { run, listUnreported, type StationResult } from './run.ts'
import { listStations, listUncovered } from './stations.ts'

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
const parts = ['out/web', 'out/serve', 'electron/demo-host', 'electron/core', 'shared', 'test/mutation']
const build = isFullRun ? computeDigest(parts.map((part) => path.join(root, part))) : ''
const stopped = values.resume && isFullRun ? readProgress(state, build) : null
if (typeof stopped === 'string') console.log(`Begins anew: ${stopped}.`)
const saved = typeof stopped === 'string' ? null : stopped
const results: StationResult[] = [...(saved?.results ?? [])]
const before = saved?.seconds ?? 0
if (results.length > 0) console.log(`Goes on after ${results.length} views`)
const visited = new Set(results.map(({ station }) => station))
const last = existsSync(REPORT) ? readFileSync(REPORT, 'utf8') : ''

const began = performance.now()
const computeSeconds = (): number => before + (performance.now() - began) / 1000
if (stepSize !== null) console.log(`Mutation sample, seed ${seed} (MUTATION_SEED=${seed} runs the same again)`)
await run(
  ({ host }) => {
    const stations = listStations(host)
    const missing = listUncovered(stations)
    if (missing.length > 0) throw new Error(`No station leads to ${missing.join(', ')}`)
    return stations
  },
  {
    workers: Number(values.workers),
    selectStations: (all) =>
      sortLongestFirst(
        all.filter(({ name }) => new RegExp(values.only).test(name) && !visited.has(name)),
        last,
      ),
    isWantedCase: ({ endpoint, pointer, mutation }) =>
      new RegExp(values.case).test(`${endpoint} ${pointer} ${mutation}`),
    perStation: stepSize,
    seed,
    onStation(result) {
      const { station, cases, unreachedCount, passedOnRetryCount, failures } = result
      console.log(
        `${station.padEnd(28)} ${cases} cases, ${failures.length} failures` +
          `${unreachedCount ? `, ${unreachedCount} not reached` : ''}${passedOnRetryCount ? `, ${passedOnRetryCount} failed once and not again` : ''}`,
      )
      results.push(result)
      if (isFullRun) saveProgress(state, build, { results, seconds: computeSeconds() })
    },
    onFailure: (station, { case: { endpoint, pointer, mutation }, failures }) =>
      console.log(
        `  FAILURE ${station.name}: ${endpoint} ${pointer || '(response)'} ${mutation}\n` +
          failures
            .map(({ kind, what }) => `       ${kind}: ${what.split('\n').slice(0, 3).join(' < ').slice(0, 400)}`)
            .join('\n'),
      ),
  },
)
const seconds = computeSeconds()
console.log(formatSummary(results, seconds))
console.log(formatContractCounts(results))
const silent = isFullRun ? listUnreported(results) : []
if (silent.length > 0) console.log(`Reported nowhere (${silent.length}):\n  ${silent.join('\n  ')}`)
const missed = results.reduce((sum, { contractCounts }) => sum + contractCounts.missed, 0)
const failed = results.reduce((sum, { failures }) => sum + failures.length, 0) + silent.length + missed
const passed = results.reduce((sum, { cases, unreachedCount }) => sum + cases - unreachedCount, 0) - failed
writeFileSync(path.join(folder, 'mutation.json'), JSON.stringify({ seed, passed, failed, results }))
if (isFullRun) {
  await writeReport(results, seconds, silent)
  forgetProgress(state)
}
process.exitCode = failed > 0 ? 1 : 0
