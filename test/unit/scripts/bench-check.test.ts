import { expect, test } from 'vitest'
import { checked, findSlowdowns, toMedians, toStoredResult } from '../../bench/wire/last.mjs'

const last = { ratio: 2, processor: 3, service: 0.6, renderer: 1.8, browser: 0.2, network: 0.2, afterwards: 3 }

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

test('without a figure of last time, or without a run, there is nothing to compare', () => {
  expect(findSlowdowns({}, [last])).toEqual([])
  expect(findSlowdowns(last, [])).toEqual([])
})

test('processor time is kept in floors of the same run', () => {
  const measured = { ratio: 1.5, first: 50, floorFirst: 8, floorProcessor: 300, processor: 900, afterwards: 600 }
  const stored = toStoredResult({ ...measured, processes: { service: 180, renderer: 540 } })
  expect(stored).toMatchObject({ firstOverFloorMs: 42, processor: 3, service: 0.6, renderer: 1.8, afterwards: 2 })
  // On a machine that is busy, the floor takes more, too.
  const busy = { ...measured, floorProcessor: 600, processor: 1_800, processes: { service: 360 } }
  expect(toStoredResult(busy)).toMatchObject({ processor: 3, service: 0.6 })
})

test('every checked place has a median and is compared', () => {
  const names = Object.keys(checked)
  expect(names).toEqual(expect.arrayContaining(['processor', 'map', 'trafficPage', 'door', 'kit', 'call']))
  const runs = [1, 3, 2].map((floors) => Object.fromEntries(names.map((name) => [name, floors])))
  const medians = toMedians(runs)
  expect(medians).toEqual(runs[2])
  const slower = names.map((name) => ({ ...medians, [name]: 2.4 }))
  expect(slower.flatMap((run) => findSlowdowns(medians, [run]).map(({ name }) => name))).toEqual(names)
})
