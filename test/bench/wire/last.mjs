import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('last.json', import.meta.url)

/** The figures of the last run that was kept, by number of cards; empty before the first one. */
export function readLast() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return {}
  }
}

export const writeLast = (last) => writeFileSync(file, `${JSON.stringify(last, null, 2)}\n`)

/** The processes whose share of a load is kept and checked. */
const processes = ['service', 'renderer', 'browser', 'network']

/**
 * What is kept of a measured tree: ratios, and processor time in floors. A floor is the processor
 * time of the floor in the same run, because milliseconds differ from machine to machine, and from
 * a quiet to a busy minute.
 */
export function toStoredResult({
  ratio,
  first,
  floorFirst,
  floorProcessor,
  processor,
  processes: by,
  afterwards,
  heapPerCard,
  slow,
}) {
  const rounded = (value) => Math.round(value * 100) / 100
  const toFloors = (ms) => rounded(ms / floorProcessor)
  return {
    ratio: rounded(ratio),
    firstOverFloorMs: Math.round(first - floorFirst),
    processor: toFloors(processor),
    ...Object.fromEntries(processes.map((name) => [name, toFloors(by[name] ?? 0)])),
    afterwards: toFloors(afterwards),
    ...(heapPerCard === undefined ? {} : { heapPerCard: Math.round(heapPerCard) }),
    ...(slow ? { slowRatio: rounded(slow.ratio), cancelMs: slow.cancelMs } : {}),
  }
}

/** How much worse a figure may get before it counts. */
const WORSE = 1.15
/** Processor figures, in floors; a little more of a small one is noise. */
export const checked = {
  processor: 'a load of 200,000 cards',
  ...Object.fromEntries(processes.map((name) => [name, `of it ${name === 'service' ? 'the service' : name}`])),
  afterwards: 'the four seconds after it',
  map: 'the map of them opens',
  changes: 'two snapshots of 50,000 cards are compared',
  door: '1,000 small reads through the recording door, beside the open traffic page',
  trafficPage: 'the traffic page opens and is filtered',
  kit: 'the first demo host and panel of the kit, with the import',
  call: 'a call by the command line',
}
const LEAST_FLOORS = 0.05

/** Figures that are measured together, for `--only`. */
export const checkedGroups = {
  load: ['processor', ...processes, 'afterwards'],
  map: ['map'],
  changes: ['changes'],
  traffic: ['door', 'trafficPage'],
  kit: ['kit'],
  call: ['call'],
}

/**
 * The figures that got worse by more than 15% in every one of the runs, with the best of them, and
 * those that one side lacks: nothing says that they did not get worse.
 */
export function findSlowdowns(last, runs, names = Object.keys(checked)) {
  return names.flatMap((name) => {
    const before = last[name]
    const best = Math.min(...runs.map((run) => run[name] ?? Number.NaN))
    const isMeasured = Number.isFinite(before) && Number.isFinite(best)
    const isWorse = best > before * WORSE && best - before > LEAST_FLOORS
    return isMeasured && !isWorse ? [] : [{ name, before, best }]
  })
}

/** Says what `findSlowdowns` found, in a line for each figure. */
export function formatSlowdown({ name, before, best }, last, rounds) {
  const commit = last.commits?.[name] ?? last.commit
  if (!Number.isFinite(before)) return `${checked[name]}: not measured at ${commit}, so nothing is compared.`
  if (!Number.isFinite(best)) return `${checked[name]}: not measured in all of ${rounds} rounds.`
  return `${checked[name]}: ${before} floors at ${commit}, ${best} in the best of ${rounds} rounds.`
}

/** Returns the median of each of these figures. */
export function toMedians(runs, names = Object.keys(checked)) {
  const medianOf = (name) => runs.map((run) => run[name]).toSorted((a, b) => a - b)[Math.floor(runs.length / 2)]
  return Object.fromEntries(names.map((name) => [name, medianOf(name)]))
}

/**
 * Replaces the kept figures by those that were measured. `commits` names the commit of each figure
 * that was measured at another one than `commit`, because only some groups were.
 */
export function keepFigures(last, medians, commit) {
  if (Object.keys(checked).every((name) => name in medians)) return { commit, ...medians }
  const commits = Object.fromEntries(Object.keys(medians).map((name) => [name, commit]))
  return { ...last, ...medians, commits: { ...last.commits, ...commits } }
}
