import { expect, test } from 'vitest'
import { findSlowdowns } from '../../bench/wire/last.mjs'

const last = { ratio: 2, processor: 1_000, service: 300, renderer: 600, browser: 50, network: 50, afterwards: 400 }

test('a figure that is worse by more than a fifth in every run fails', () => {
  const runs = [1_300, 1_500, 1_201].map((processor) => ({ ...last, processor }))
  expect(findSlowdowns(last, runs)).toEqual([{ name: 'processor', before: 1_000, best: 1_201 }])
})

test('one good run is enough to pass', () => {
  expect(findSlowdowns(last, [{ ...last, ratio: 3 }, { ...last, ratio: 2.4 }, last])).toEqual([])
})

test('a few milliseconds of a small figure are ignored as noise, a ratio is not', () => {
  expect(findSlowdowns(last, [{ ...last, browser: 69 }])).toEqual([])
  expect(findSlowdowns(last, [{ ...last, browser: 71 }])).toEqual([{ name: 'browser', before: 50, best: 71 }])
  expect(findSlowdowns(last, [{ ...last, ratio: 2.5 }])).toHaveLength(1)
})

test('nothing is compared without earlier figures', () => {
  expect(findSlowdowns({}, [last])).toEqual([])
  expect(findSlowdowns(last, [])).toEqual([])
})
