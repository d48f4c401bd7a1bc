import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import type { Component } from 'vue'
import BandStrip from '../../../renderer/panes/bands/BandStrip.vue'
import BandTable from '../../../renderer/panes/bands/BandTable.vue'
import BlankStrip from '../../../renderer/panes/bands/BlankStrip.vue'
import FieldList from '../../../renderer/components/FieldList.vue'
import CardTexts from '../../../renderer/panes/card/CardTexts.vue'
import PartChips from '../../../renderer/panes/card/PartChips.vue'
import PracticeHistory from '../../../renderer/panes/card/PracticeHistory.vue'
import TagPaths from '../../../renderer/panes/card/TagPaths.vue'
import SwatchPicker from '../../../renderer/panes/write/SwatchPicker.vue'
import BundleFiles from '../../../renderer/places/bundles/BundleFiles.vue'
import BandsTab from '../../../renderer/places/card/BandsTab.vue'
import PalettePlace from '../../../renderer/places/palette/PalettePlace.vue'
import PrintPlace from '../../../renderer/places/print/PrintPlace.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { parseCardBands } from '../../../renderer/model/cards/bands.ts'
import { parsePracticeEntries, parseTagPaths } from '../../../renderer/model/cards/card-facts.ts'
import { parseCardParts } from '../../../renderer/model/cards/card-parts.ts'
import { parseCardTexts } from '../../../shared/cards.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { getByRole, installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

/** The lists of one test must not grow during the next ones. */
const mountForTest: typeof mountComponent = (...inputs) => {
  const page = mountComponent(...inputs)
  onTestFinished(() => page.unmount())
  return page
}
const isPlain = (value: unknown): boolean => typeof value !== 'function'
const createMany = <T>(createItem: (index: number) => T): T[] =>
  Array.from({ length: 2_000 }, (_, index) => createItem(index))
const { bands } = parseCardBands({ bands: createMany((seq) => ({ seq, height: 120 })) })
const traces = createMany((index) => ({ from: 'part', index, kind: 'ink', contentId: null }))
const practice = parsePracticeEntries({
  practice: createMany((index) => ({ at: 1_793_347_200_000 + index * 60_000, self: 'again' })),
})

const lists: readonly (readonly [string, Component, Readonly<Record<string, unknown>>])[] = [
  [
    'texts',
    CardTexts,
    { texts: parseCardTexts({ texts: createMany((index) => ({ index, text: `Text ${index}` })) }), noteid: 'N' },
  ],
  [
    'parts',
    PartChips,
    { parts: parseCardParts({ parts: createMany(() => ({ kind: 'text' })) }), noteid: 'N', to: () => '/' },
  ],
  [
    'hashtags',
    TagPaths,
    {
      tags: parseTagPaths({ hashtags: createMany((index) => `#tag/${index}`) }),
      noteid: 'N',
      topicid: 'T',
      label: 'Hashtags',
    },
  ],
  ['verdicts', PracticeHistory, { entries: practice, noteid: 'N' }],
  ['bands to scale', BandStrip, { bands, noteid: 'N' }],
  ['bands in a table', BandTable, { bands, noteid: 'N' }],
  ['traces of bands', BandsTab, { cardBands: { bands: null, traces }, source: null, noteid: 'N' }],
  [
    'fields',
    FieldList,
    { owner: 'one', source: JSON.stringify(Object.fromEntries(createMany((index) => [`field ${index}`, index]))) },
  ],
  ['blanks', BlankStrip, { blanks: createMany(() => ({ contentIds: [] })), owner: 'page' }],
]

test.each(lists)('safety 52: two thousand %s of one card are not rendered all at once', (_name, component, props) => {
  const page = mountForTest(component, { props })
  expect(page.findAll('li, tbody tr, dd').length).toBe(20)
  getByRole('button', 'Show 300 more of 1,700')
})

test.each(lists)('%s stay rendered when the card is read again', async (_name, component, props) => {
  const page = mountForTest(component, { props })
  const countRendered = (): number => page.findAll('li, tbody tr, dd').length
  await vi.waitUntil(() => countRendered() > 40)
  const before = countRendered()
  const copies = Object.entries(props).map(([name, value]) => [name, isPlain(value) ? structuredClone(value) : value])
  await page.setProps(Object.fromEntries(copies) as typeof props)
  expect(countRendered()).toBeGreaterThanOrEqual(before)
})

const color = (colorIndex: number) => {
  const value = { hex: '#010203', rgba: { r: 1, g: 2, b: 3, a: 1 } }
  return { colorIndex, baseColor: value, displayColor: value }
}
const warnings = createMany((index) => `Warning ${index}`)
const ofStudySet = '/study-sets/:topicid/:rest(.*)*'
const bundle = { bundleId: 'B', files: createMany((index) => `file ${index}.txt`) }

test.each([
  [
    'colors to choose from',
    SwatchPicker,
    { noteid: 'N', topicid: 'T', modelValue: '1' },
    { colors: createMany(color) },
  ],
  ['colors of a palette', PalettePlace, {}, { colors: createMany(color) }],
  ['warnings of a plan', PrintPlace, {}, { pages: [{ kind: 'singleCard' }], warnings }],
  ['files of a bundle', BundleFiles, bundle, {}],
] as const)('safety 52: two thousand %s are not rendered all at once', async (_name, component, props, response) => {
  installFakeServiceProcess({
    'bridge.read': (input) => createReadReply((input as { endpoint: string }).endpoint, JSON.stringify(response)),
  })
  // Without frames, the list does not grow before it is looked at.
  vi.stubGlobal('requestAnimationFrame', () => 1)
  onTestFinished(() => void vi.unstubAllGlobals())
  const page = mountForTest(component as Component, { props, route: ofStudySet })
  await page.vm.$router.push('/study-sets/T/x')
  useConnection().state = createConnectionState()
  const countRendered = (): number => page.findAll('[role=group] > button, tbody tr, li').length
  await vi.waitUntil(() => countRendered() > 0)
  expect(countRendered()).toBeLessThan(100)
  getByRole('button', 'Show 300 more of 1,700')
})

test('two thousand different verdict names share eight lanes and one lane for all others', () => {
  const entries = parsePracticeEntries({
    practice: createMany((index) => ({ at: 1_793_347_200_000 + index, self: `verdict ${index}` })),
  })
  const page = mountForTest(PracticeHistory, { props: { entries, noteid: 'N' } })
  expect(page.findAll('.lane').length).toBe(9)
  expect(getByRole('img').getAttribute('aria-label')).toContain('…: 1,992')
})

test.each([
  ['verdicts', PracticeHistory, 'entries', practice],
  ['bands', BandStrip, 'bands', bands ?? []],
] as const)(
  'more %s than a function call takes as arguments are rendered without an error',
  (_name, component, prop, entries) => {
    const page = mountForTest(component as Component, {
      props: { noteid: 'N', [prop]: Array.from({ length: 100 }, () => entries).flat() },
    })
    expect(page.findAll('li').length).toBe(20)
  },
)

test('a chart of two thousand verdicts is a single path, and its label counts them all', () => {
  const page = mountForTest(PracticeHistory, { props: { entries: practice, noteid: 'N' } })
  expect(page.findAll('.mark').length).toBe(0)
  expect(page.find('path').attributes('d')?.match(/M/g)?.length).toBe(2_000)
  expect(getByRole('img').getAttribute('aria-label')).toContain('again: 2,000')
})
