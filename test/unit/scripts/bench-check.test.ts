import { expect, test } from 'vitest'
import {
  checked,
  checkedGroups,
  findSlowdowns,
  formatSlowdown,
  keepFigures,
  toMedians,
  toStoredResult,
} from '../../bench/wire/last.mjs'

type Figures = Readonly<Record<string, number>>

const names = Object.keys(checked)
const last: Figures = { ...toFigures(2), processor: 3, service: 0.6, browser: 0.2 }

function toFigures(floors: number): Figures {
  return Object.fromEntries(names.map((name) => [name, floors]))
}

test('a figure counts as worse only if it is in every run, and the best one is named', () => {
  const runs = [
    { ...last, processor: 3.5 },
    { ...last, processor: 3.46, browser: 0.4 },
  ]
  expect(findSlowdowns(last, runs)).toEqual([{ name: 'processor', before: 3, best: 3.46 }])
  expect(findSlowdowns(last, [...runs, { ...last, processor: 3.44 }])).toEqual([])
})

test('15% more is too much, unless it is little of a small figure', () => {
  expect(findSlowdowns(last, [{ ...last, service: 0.69 }])).toEqual([])
  expect(findSlowdowns(last, [{ ...last, service: 0.7 }])).toEqual([{ name: 'service', before: 0.6, best: 0.7 }])
  expect(findSlowdowns(last, [{ ...last, browser: 0.25 }])).toEqual([])
})

test('a figure that one side lacks fails the check, and it says which side', () => {
  const withoutMap = Object.fromEntries(Object.entries(last).filter(([name]) => name !== 'map'))
  const describeAll = (before: Figures, runs: readonly Figures[]): readonly string[] =>
    findSlowdowns(before, runs).map((slowdown) => formatSlowdown(slowdown, { commit: 'c0ffee' }, runs.length))
  expect(describeAll(last, [last, withoutMap])).toEqual(['the map of them opens: not measured in all of 2 rounds.'])
  expect(describeAll(withoutMap, [last])).toEqual([
    'the map of them opens: not measured at c0ffee, so nothing is compared.',
  ])
  expect(describeAll(last, [{ ...last, map: 2.4 }])).toEqual([
    'the map of them opens: 2 floors at c0ffee, 2.4 in the best of 1 rounds.',
  ])
  expect(findSlowdowns({}, [last])).toHaveLength(names.length)
  expect(findSlowdowns(last, [])).toHaveLength(names.length)
})

test('processor time is kept in floors of the same run', () => {
  const measured = { ratio: 1.5, first: 50, floorFirst: 8, floorProcessor: 300, processor: 900, afterwards: 600 }
  const stored = toStoredResult({ ...measured, processes: { service: 180, renderer: 540 } })
  expect(stored).toMatchObject({ firstOverFloorMs: 42, processor: 3, service: 0.6, renderer: 1.8, afterwards: 2 })
  // On a machine that is busy, the floor takes more, too.
  const busy = { ...measured, floorProcessor: 600, processor: 1_800, processes: { service: 360 } }
  expect(toStoredResult(busy)).toMatchObject({ processor: 3, service: 0.6 })
})

test('every checked place has a median, and 16% more of each is too much', () => {
  expect(names).toEqual(expect.arrayContaining(['processor', 'map', 'changes', 'trafficPage', 'door', 'kit', 'call']))
  const runs = [1, 3, 2].map(toFigures)
  const medians = toMedians(runs)
  expect(medians).toEqual(runs[2])
  const dearer = names.map((name) => ({ ...medians, [name]: 2.32 }))
  expect(dearer.flatMap((run) => findSlowdowns(medians, [run]).map(({ name }) => name))).toEqual(names)
})

test('a group that is measured alone keeps the figures of the others, each with its commit', () => {
  expect(Object.values(checkedGroups).flat().toSorted()).toEqual(names.toSorted())
  const medians = toMedians([toFigures(4), toFigures(5), toFigures(6)], checkedGroups['traffic'])
  expect(medians).toEqual({ door: 5, trafficPage: 5 })
  const stored = keepFigures({ commit: 'c0ffee', ...last }, medians, 'beef')
  expect(stored).toEqual({ commit: 'c0ffee', ...last, ...medians, commits: { door: 'beef', trafficPage: 'beef' } })
  expect(formatSlowdown({ name: 'door', before: 5, best: 6 }, stored, 4)).toContain('5 floors at beef, 6 in the best')
  expect(formatSlowdown({ name: 'map', before: 2, best: 3 }, stored, 4)).toContain('2 floors at c0ffee')
  expect(keepFigures(stored, toFigures(2), 'f00d')).toEqual({ commit: 'f00d', ...toFigures(2) })
  expect(findSlowdowns(last, [{ door: 9, trafficPage: 1 }], checkedGroups['traffic'])).toEqual([
    { name: 'door', before: 2, best: 9 },
  ])
})
