import { afterEach, expect, test } from 'vitest'
import type { Component } from 'vue'
import BandStrip from '../../../renderer/panes/bands/BandStrip.vue'
import BandTable from '../../../renderer/panes/bands/BandTable.vue'
import BlankStrip from '../../../renderer/panes/bands/BlankStrip.vue'
import CardTexts from '../../../renderer/panes/card/CardTexts.vue'
import PartChips from '../../../renderer/panes/card/PartChips.vue'
import PracticeHistory from '../../../renderer/panes/card/PracticeHistory.vue'
import TagPaths from '../../../renderer/panes/card/TagPaths.vue'
import { bandsOf } from '../../../renderer/model/cards/bands.ts'
import { practiceOf, tagsOf } from '../../../renderer/model/cards/facts.ts'
import { partsOf } from '../../../renderer/model/cards/parts.ts'
import { textsOf } from '../../../shared/cards/texts.ts'
import { byRole, show } from '../../support/page.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const many = <T>(one: (at: number) => T): T[] => Array.from({ length: 2_000 }, (_, at) => one(at))
const { bands } = bandsOf({ bands: many((seq) => ({ seq, height: 120 })) })
const practice = practiceOf({ practice: many((at) => ({ at: 1_793_347_200_000 + at * 60_000, self: 'again' })) })

const lists: readonly (readonly [string, Component, Readonly<Record<string, unknown>>])[] = [
  ['texts', CardTexts, { texts: textsOf({ texts: many((index) => ({ index, text: `Text ${index}` })) }), noteid: 'N' }],
  ['parts', PartChips, { parts: partsOf({ parts: many(() => ({ kind: 'text' })) }), noteid: 'N', to: () => '/' }],
  ['hashtags', TagPaths, { tags: tagsOf({ hashtags: many((at) => `#tag/${at}`) }), label: 'Hashtags' }],
  ['verdicts', PracticeHistory, { entries: practice }],
  ['bands to scale', BandStrip, { bands }],
  ['bands in a table', BandTable, { bands }],
  ['blanks', BlankStrip, { blanks: many(() => ({ contentIds: [] })) }],
]

test.each(lists)('safety 52: two thousand %s of one card are not drawn all at once', (_name, component, props) => {
  const page = show(component, { props })
  expect(page.findAll('li, tbody tr').length).toBe(20)
  byRole('button', 'Show 300 more of 1,700')
})

test('as many names of verdicts have eight lanes, and one for all others', () => {
  const entries = practiceOf({ practice: many((at) => ({ at: 1_793_347_200_000 + at, self: `verdict ${at}` })) })
  const page = show(PracticeHistory, { props: { entries } })
  expect(page.findAll('.lane').length).toBe(9)
  expect(byRole('img').getAttribute('aria-label')).toContain('…: 1,992')
})

test.each([
  ['verdicts', PracticeHistory, 'entries', practice],
  ['bands', BandStrip, 'bands', bands ?? []],
] as const)('more %s than a call takes arguments are no fault', (_name, component, prop, few) => {
  const page = show(component as Component, { props: { [prop]: Array.from({ length: 100 }, () => few).flat() } })
  expect(page.findAll('li').length).toBe(20)
})

test('a picture of two thousand verdicts is one shape, and still counts them all', () => {
  const page = show(PracticeHistory, { props: { entries: practice } })
  expect(page.findAll('.mark').length).toBe(0)
  expect(page.find('path').attributes('d')?.match(/M/g)?.length).toBe(2_000)
  expect(byRole('img').getAttribute('aria-label')).toContain('again: 2,000')
})
