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

/** The processes whose share is kept and checked. */
const processes = ['service', 'renderer', 'browser', 'network']

/**
 * What is kept of a measured tree: ratios and processor milliseconds, because times alone differ
 * from machine to machine.
 */
export function toStoredResult({ ratio, first, floorFirst, processor, processes: by, afterwards, heapPerCard, slow }) {
  const rounded = (value) => Math.round(value * 100) / 100
  return {
    ratio: rounded(ratio),
    firstOverFloorMs: Math.round(first - floorFirst),
    processor: Math.round(processor),
    ...Object.fromEntries(processes.map((name) => [name, Math.round(by[name] ?? 0)])),
    afterwards: Math.round(afterwards),
    ...(heapPerCard === undefined ? {} : { heapPerCard: Math.round(heapPerCard) }),
    ...(slow ? { slowRatio: rounded(slow.ratio), cancelMs: slow.cancelMs } : {}),
  }
}

/** How much worse a figure may get before it counts. */
const WORSE = 1.2
/** Ratios and processor figures; a few milliseconds more of a small figure are noise. */
const checked = ['ratio', 'processor', ...processes, 'afterwards']
const LEAST_MS = 20

/**
 * The figures that got worse by more than a fifth in every one of the runs, with the best of them.
 */
export function findSlowdowns(last, runs) {
  return checked.flatMap((name) => {
    const before = last[name]
    const best = Math.min(...runs.map((run) => run[name] ?? 0))
    if (typeof before !== 'number' || runs.length === 0 || best <= before * WORSE) return []
    return name !== 'ratio' && best - before < LEAST_MS ? [] : [{ name, before, best }]
  })
}
