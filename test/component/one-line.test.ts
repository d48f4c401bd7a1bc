import type { Component } from 'vue'
import { afterEach, describe, expect, test, vi } from 'vitest'
import AppSelect from '../../renderer/components/AppSelect.vue'
import CopyableId from '../../renderer/components/CopyableId.vue'
import DataGrid from '../../renderer/components/grid/DataGrid.vue'
import FieldList from '../../renderer/components/FieldList.vue'
import TooltipLayer from '../../renderer/components/TooltipLayer.vue'
import { activeTooltip } from '../../renderer/components/tooltip.ts'
import HighlightedText from '../../renderer/places/search/HighlightedText.vue'
import TreeRow from '../../renderer/components/tree/TreeRow.vue'
import BandStrip from '../../renderer/panes/bands/BandStrip.vue'
import BandTable from '../../renderer/panes/bands/BandTable.vue'
import BlankStrip from '../../renderer/panes/bands/BlankStrip.vue'
import CardTexts from '../../renderer/panes/card/CardTexts.vue'
import PartChips from '../../renderer/panes/card/PartChips.vue'
import PracticeHistory from '../../renderer/panes/card/PracticeHistory.vue'
import TagPaths from '../../renderer/panes/card/TagPaths.vue'
import { parseCardBands } from '../../renderer/model/cards/bands.ts'
import { parsePracticeEntries, parseTagPaths } from '../../renderer/model/cards/card-facts.ts'
import { parseCardParts } from '../../renderer/model/cards/card-parts.ts'
import { parseCardTexts } from '../../shared/cards.ts'
import { toSingleLine } from '../../renderer/components/text-truncation.ts'
import { getByRole, mountComponent } from '../support/vue/mounting.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

const long = `Heart ${'x'.repeat(99_994)}`
const countRenderedChars = (): number => document.body.textContent.length

test('toSingleLine cuts a long text between characters, and returns an empty text for none', () => {
  expect(toSingleLine('Heart')).toBe('Heart')
  expect(toSingleLine(long)).toMatch(/^Heart x{994}…$/)
  expect(toSingleLine(`${'x'.repeat(999)}😀 and more`)).toBe(`${'x'.repeat(999)}…`)
  expect(toSingleLine(null)).toBe('')
  expect(toSingleLine(undefined)).toBe('')
})

describe('a text of 100,000 characters is only partly rendered', () => {
  test.each([false, true])('in a grid cell (monospace: %s)', (mono) => {
    const rows = [{ title: mono ? long.replace(' ', '') : long }]
    const columns = [{ id: 'title', header: 'Title', width: 300, mono, value: (row: { title: string }) => row.title }]
    mountComponent(DataGrid<{ title: string }>, { props: { label: 'Cards', rows, columns, rowKey: () => 'one' } })
    expect(getByRole('gridcell', /^Heart/).textContent.length).toBeLessThan(1_100)
  })

  test.each(['', 'heart'])('in a tree row, whose accessible name stays complete (searched for: "%s")', (highlight) => {
    const rowProps = { id: 'r', node: 0, y: 0, depth: 0, position: 1, setSize: 1, childCount: 0, pageLabel: '' }
    const state = { open: false, selected: false, active: false, isDimmed: false, isSubMap: false, hasProblem: false }
    mountComponent(TreeRow, { props: { ...rowProps, ...state, title: long, noteid: 'N', highlight } })
    expect(countRenderedChars()).toBeLessThan(1_100)
    expect(document.querySelector('mark')?.textContent).toBe(highlight === '' ? undefined : 'Heart')
    expect(getByRole('treeitem', long)).toBeTruthy()
  })

  test('in a search result', () => {
    mountComponent(HighlightedText, { props: { text: long, query: 'heart' } })
    expect(countRenderedChars()).toBeLessThan(1_100)
    expect(document.querySelector('mark')?.textContent).toBe('Heart')
  })

  test('in a search result for the whole text, with the rendered part highlighted', () => {
    mountComponent(HighlightedText, { props: { text: long, query: long } })
    expect(document.querySelector('mark')?.textContent).toBe(toSingleLine(long))
    expect(countRenderedChars()).toBeLessThan(1_100)
  })

  const noteid = 'N'
  const { bands } = parseCardBands({ bands: [{ seq: 1, role: long, height: 10 }] })
  const practice = [{ at: 1_793_347_200_000, self: long, reason: long, reasonLabel: long }]
  test.each<readonly [string, Component, Readonly<Record<string, unknown>>]>([
    ['an option', AppSelect, { modelValue: '', options: [{ value: 'T', label: long }] }],
    ['an id', CopyableId, { value: long }],
    ['a kind of part', PartChips, { parts: parseCardParts({ parts: [{ kind: long }] }), noteid, to: () => '/' }],
    ['a hashtag', TagPaths, { tags: parseTagPaths({ hashtags: [`#${long}`] }), noteid, label: 'Hashtags' }],
    [
      'a hashtag of steps',
      TagPaths,
      { tags: parseTagPaths({ hashtags: ['a/'.repeat(50_000)] }), noteid, label: 'Hashtags' },
    ],
    ['a verdict', PracticeHistory, { entries: parsePracticeEntries({ practice }), noteid }],
    ['a role in a drawing', BandStrip, { bands, noteid, upright: true }],
    ['a role in a table', BandTable, { bands, noteid }],
  ])('as %s', (_name, component, props) => {
    mountComponent(component, { props })
    expect(countRenderedChars()).toBeGreaterThan(50)
    expect(countRenderedChars()).toBeLessThan(4_000)
  })

  test('as a text of a card, until all of it is requested', async () => {
    mountComponent(CardTexts, { props: { texts: parseCardTexts({ texts: [{ text: long }] }), noteid } })
    expect(countRenderedChars()).toBeLessThan(3_000)
    getByRole('button', 'Show all 100,000 characters').click()
    await expect.poll(countRenderedChars).toBeGreaterThan(100_000)
  })

  test('in the fields of an object, until all of it is requested', async () => {
    mountComponent(FieldList, {
      props: { owner: 'one', source: JSON.stringify({ title: long, more: { deep: long } }) },
    })
    expect(countRenderedChars()).toBeLessThan(5_000)
    getByRole('button', 'Show all 100,000 characters').click()
    await expect.poll(countRenderedChars).toBeGreaterThan(100_000)
  })
})

test('a blank of two thousand segments is drawn as sixty, to the same scale', () => {
  const segments = Array.from({ length: 2_000 }, () => ({ height: 2 }))
  mountComponent(BlankStrip, { props: { owner: 'page', blanks: [{ contentIds: [], segments }] } })
  const parts = [...document.querySelectorAll<HTMLElement>('.segment')].map(({ style }) => Number(style.flexGrow))
  expect(parts).toEqual([...Array.from({ length: 59 }, () => 2), 1_941 * 2])
  expect(document.querySelector('li')?.style.flexGrow).toBe('4000')
})

test('a truncated hashtag ends with an ellipsis instead of a last step', () => {
  mountComponent(TagPaths, {
    props: { tags: parseTagPaths({ hashtags: ['a/'.repeat(50_000)] }), noteid: 'N', topicid: null, label: 'Hashtags' },
  })
  expect([...document.querySelectorAll('bdi')].at(-1)?.textContent).toBe('…')
})

test('a long tooltip is truncated as well', async () => {
  const anchor = document.createElement('button')
  document.body.append(anchor)
  mountComponent(TooltipLayer)
  activeTooltip.value = { text: long, anchor }
  await expect.poll(() => document.querySelector('[role=tooltip]')?.textContent ?? '').toMatch(/^Heart x+…/)
  expect(countRenderedChars()).toBeLessThan(1_100)
  activeTooltip.value = null
})

test('a field list starts over for another object with the same members, but not when the same object is read again', async () => {
  const source = (first: number): string =>
    JSON.stringify(Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`field ${index}`, first + index])))
  const page = mountComponent(FieldList, { props: { source: source(0), owner: 'one' } })
  await vi.waitUntil(() => page.findAll('dd').length > 40)
  const before = page.findAll('dd').length
  await page.setProps({ source: source(1) })
  expect(page.findAll('dd').length).toBeGreaterThanOrEqual(before)
  await page.setProps({ source: source(2), owner: 'two' })
  expect(page.findAll('dd').length).toBe(20)
})
