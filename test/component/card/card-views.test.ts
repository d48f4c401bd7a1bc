import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { nextTick } from 'vue'
import ContentTab from '../../../renderer/places/card/ContentTab.vue'
import PartsTab from '../../../renderer/places/card/PartsTab.vue'
import BandStrip from '../../../renderer/panes/bands/BandStrip.vue'
import BandTable from '../../../renderer/panes/bands/BandTable.vue'
import BlankStrip from '../../../renderer/panes/bands/BlankStrip.vue'
import CardTexts from '../../../renderer/panes/card/CardTexts.vue'
import PartChips from '../../../renderer/panes/card/PartChips.vue'
import PracticeHistory from '../../../renderer/panes/card/PracticeHistory.vue'
import LevelSwatch from '../../../renderer/panes/card/LevelSwatch.vue'
import { activeTooltip } from '../../../renderer/components/tooltip.ts'
import TabBar from '../../../renderer/components/TabBar.vue'
import CardLink from '../../../renderer/panes/card/CardLink.vue'
import CardPane from '../../../renderer/panes/card/CardPane.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { parseCardBands } from '../../../renderer/model/cards/bands.ts'
import { parsePracticeEntries } from '../../../renderer/model/cards/card-facts.ts'
import { parseCardParts, type CardPart } from '../../../renderer/model/cards/card-parts.ts'
import { parseCardTexts } from '../../../shared/cards.ts'
import { AppError } from '../../../shared/errors.ts'
import {
  findAllByRole,
  getByRole,
  installFakeServiceProcess,
  pressKey,
  mountComponent,
} from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

describe('tabs', () => {
  const tabs = [
    { id: 'a', label: 'First' },
    { id: 'b', label: 'Second', count: '3' },
    { id: 'c', label: 'Third' },
  ]
  const chosen = (): string[] =>
    findAllByRole('tab')
      .filter((tab) => tab.tabIndex === 0)
      .map(({ id }) => id)

  test('put one tab into the tab order, and arrow keys cycle through them', async () => {
    const page = mountComponent(TabBar as never, {
      props: { name: 't', label: 'Sides', tabs, modelValue: 'a' } as never,
    })
    const list = getByRole('tablist', 'Sides')
    const go = async (key: string): Promise<string[]> => {
      pressKey(list, key)
      await page.setProps({ modelValue: page.emitted('update:modelValue')?.at(-1)?.[0] } as never)
      await nextTick()
      return chosen()
    }
    expect(chosen()).toEqual(['t-a'])
    expect(await go('ArrowRight')).toEqual(['t-b'])
    expect(document.activeElement?.id).toBe('t-b')
    expect(await go('End')).toEqual(['t-c'])
    expect(await go('ArrowRight')).toEqual(['t-a'])
    expect(await go('ArrowLeft')).toEqual(['t-c'])
    expect(await go('Home')).toEqual(['t-a'])
    expect(getByRole('tab', 'First').getAttribute('aria-selected')).toBe('true')
    expect(getByRole('tab', /^Second/).getAttribute('aria-selected')).toBe('false')
  })
})

test('card texts keep their indexes, name missing indexes and are never rendered as HTML', () => {
  const texts = parseCardTexts({
    texts: [
      { index: 0, text: '<b>x</b>', kind: 'text', noteid: 'A' },
      { index: 5, text: '', kind: 'blank', noteid: 'A' },
      { index: 7, text: 'theirs', kind: 'weird/kind', excerpt: true, noteid: 'OTHER' },
    ],
  })
  const page = mountComponent(CardTexts, { props: { texts, noteid: 'A' } })
  expect(page.find('b').exists()).toBe(false)
  for (const text of [
    '<b>x</b>',
    'Indexes 1 to 4 are missing.',
    'Empty band',
    'Index 6 is missing.',
    'weird/kind',
    'excerpt',
    'OTHER',
  ])
    expect(page.text()).toContain(text)
})

test.each([
  ['seconds', 1_793_347_200, '1793347200'],
  ['milliseconds', 1_793_347_200_000, '1793347200000'],
  ['seconds as a text', '1793347200', '1793347200'],
])('a verdict whose time is in %s is shown with its date and the time as sent', (_unit, index, rawValue) => {
  const page = mountComponent(PracticeHistory, {
    props: { noteid: 'N', entries: parsePracticeEntries({ practice: { at: index, self: 'again' } }) },
  })
  expect(page.find('time').attributes('datetime')).toBe('2026-10-30T08:00:00.000Z')
  expect(page.text()).toContain(rawValue)
})

test('parts link to their content only if they have bytes', () => {
  const parts = parseCardParts({
    parts: [
      { kind: 'title', contentId: 't' },
      { kind: 'audio', contentId: 'a' },
      { kind: 'text', contentId: 'x' },
    ],
  })
  const page = mountComponent(PartChips, {
    props: { parts, noteid: 'N', getAddress: ({ contentId }: CardPart) => `/content/${contentId ?? ''}` },
  })
  expect(page.findAll('a').map((link) => link.attributes('href'))).toEqual([expect.stringContaining('/content/a')])
})

describe('a color level', () => {
  test('is shown as a number without a color if the palette is unknown', () => {
    const page = mountComponent(LevelSwatch, { props: { level: 3, color: null } })
    expect(page.text()).toContain('Level 3')
    expect(findAllByRole('img')).toEqual([])
    expect(page.text()).not.toMatch(/red|blue|green|yellow|#[0-9a-f]{3}/i)
  })

  test('is shown in the display color, not in the base color', () => {
    const value = (hex: string, r: number) => ({ hex, rgba: { r, g: 2, b: 3, a: 1 } })
    mountComponent(LevelSwatch, {
      props: {
        level: 3,
        color: { colorIndex: 3, baseColor: value('#FF0203', 255), displayColor: value('#010203', 1) },
      },
    })
    const swatch = getByRole('img', 'Level 3: #010203')
    expect(swatch.style.backgroundColor).toBe('rgb(1, 2, 3)')
    expect(document.body.textContent).not.toContain('#FF0203')
  })
})

describe('card bands', () => {
  const { bands } = parseCardBands({
    bands: [
      { seq: 0, role: 'practice', height: 240, hasInk: true, inkParts: 2, live: true, closed: false, owner: 'user' },
      { seq: 1, height: 120, hasInk: false, live: false, closed: true },
      { hasInk: 'yes' },
    ],
  })
  const list = bands ?? []

  test('name their properties in words, including those that the host did not report', async () => {
    const page = mountComponent(BandStrip, { props: { noteid: 'N', bands: list } })
    expect(findAllByRole('button').map((button) => button.getAttribute('aria-label'))).toEqual([
      'Band 0 · practice · height 240 · ink in 2 parts · live · not closed',
      'Band 1 · height 120 · no ink · not live · closed',
      'Band 2 · height not reported · ink not reported · live not reported · closed not reported',
    ])
    const sizes = page.findAll('li').map((slot) => (slot.element as HTMLElement).style.flexGrow)
    expect(sizes).toEqual(['240', '120', '120'])
    getByRole('button', /^Band 1/).click()
    await nextTick()
    expect(page.emitted('update:selected')).toEqual([[1]])
  })

  test('explain which states the contract does not define', async () => {
    vi.useFakeTimers()
    mountComponent(BandTable, { props: { noteid: 'N', bands: list } })
    expect(document.querySelectorAll('tbody tr').length).toBe(3)
    expect(document.querySelectorAll('tbody tr')[2]?.textContent).toContain('–')
    for (const field of ['live', 'closed']) {
      const head = [...document.querySelectorAll('th span')].find(({ textContent }) => textContent === field)
      expect(head?.getAttribute('tabindex')).toBe('0')
      head?.dispatchEvent(new Event('pointerenter'))
      vi.advanceTimersByTime(500)
      expect(activeTooltip.value?.text).toContain('The contract doesn’t say what that depends on')
    }
    vi.useRealTimers()
  })

  test('list the segments, handwriting and backing of the blanks of a page', () => {
    const blanks = [
      { contentIds: ['c'], segments: [{ height: 240 }, { height: 120 }], mapBacked: true },
      { contentIds: [] },
    ]
    mountComponent(BlankStrip, { props: { owner: 'page', blanks } })
    expect(findAllByRole('button').map((button) => button.getAttribute('aria-label'))).toEqual([
      'Blank 1 · 2 segments · handwriting in 1 content · backed by the mind map',
      'Blank 2 · no segments listed · no handwriting listed · map backing not reported',
    ])
    document.body.innerHTML = ''
    expect(mountComponent(BlankStrip, { props: { owner: 'page', blanks: 'none' } }).text()).toContain('lists no blanks')
  })
})

const meta = {
  exchangeId: 'e1',
  endpoint: 'notes.batchGet',
  method: 'POST',
  path: '/notes/batch-get',
  status: 200,
  contentType: 'application/json',
  headers: {},
  durationMs: 1,
  receivedAt: 1,
  epoch: 1,
  byteLength: 1,
}

/** A host with these cards; anything else it is asked fails. */
function cards(items: () => unknown[]) {
  return installFakeServiceProcess({
    'bridge.read': (input) => {
      const { endpoint } = input as { endpoint: string }
      if (endpoint !== 'notes.batchGet')
        throw new AppError({ kind: 'host', code: 'NO', message: 'no', retryable: false })
      const text = JSON.stringify({ items: items() })
      return { meta, bytes: new TextEncoder().encode(text).buffer as ArrayBuffer }
    },
  })
}

describe('a card in a pane', () => {
  beforeEach(() => {
    vi.useRealTimers()
  })

  test('shows its contents, including unknown fields, and links to its place', async () => {
    cards(() => [
      {
        noteid: 'A',
        title: 'Title',
        texts: [{ index: 0, text: 'body' }],
        parts: [{ kind: 'ink', contentId: 'c' }, { kind: 'hologram' }],
        metadata: { colorIndex: 2, fillIndex: -1 },
        hashtags: ['#a/b'],
        surprise: { n: 1 },
      },
    ])
    const page = mountComponent(CardPane, { props: { noteid: 'A', topicid: 'T/1' } })
    useConnection().state = createConnectionState()
    await vi.waitFor(() => expect(page.text()).toContain('body'))
    for (const text of ['Title', 'Level 2', 'Adaptive', '2 parts', 'Ink', 'hologram', 'surprise', '{"n":1}'])
      expect(page.text()).toContain(text)
    expect(getByRole('link', 'Open card').getAttribute('href')).toBe('/notes/A?topicid=T/1')
  })

  test('reports that the card is gone, or why reading it failed, and can be reloaded', async () => {
    let items: () => unknown[] = () => []
    cards(() => items())
    const page = mountComponent(CardPane, { props: { noteid: 'A' } })
    useConnection().state = createConnectionState()
    await vi.waitFor(() => expect(page.text()).toContain('This card is gone'))
    items = () => {
      throw new AppError({ kind: 'host', code: 'SCAN_BUSY', message: 'A scan is under way.', retryable: true })
    }
    await page.setProps({ noteid: 'B' })
    await vi.waitFor(() => expect(getByRole('alert').textContent).toContain('SCAN_BUSY'))
    items = () => [{ noteid: 'B', title: 'Back' }]
    getByRole('button', 'Try again').click()
    await vi.waitFor(() => expect(page.text()).toContain('Back'))
    expect(findAllByRole('alert')).toEqual([])
  })

  test('can be cancelled while it loads, and read again', async () => {
    let resolveCall: (items: unknown[]) => void = () => undefined
    const { calls, cancelled } = installFakeServiceProcess({
      'bridge.read': () =>
        new Promise((resolve) => {
          resolveCall = (items) => {
            resolve({ meta, bytes: new TextEncoder().encode(JSON.stringify({ items })).buffer })
          }
        }),
    })
    const getReadIds = (): string[] => calls.filter(({ method }) => method === 'bridge.read').map(({ id }) => id)
    const page = mountComponent(CardPane, { props: { noteid: 'A' } })
    useConnection().state = createConnectionState()
    await vi.waitFor(() => expect(findAllByRole('progressbar').length).toBe(1))
    getByRole('button', 'Cancel').click()
    await vi.waitFor(() => expect(cancelled).toContain(getReadIds()[0]))
    expect(page.text()).toContain('Reading stopped')
    getByRole('button', 'Reload').click()
    await vi.waitFor(() => expect(getReadIds()).toHaveLength(2))
    resolveCall([{ noteid: 'A', title: 'At last' }])
    await vi.waitFor(() => expect(page.text()).toContain('At last'))
  })

  test('safety 39: is marked as stale if it was read before an interruption', async () => {
    cards(() => [{ noteid: 'A', title: 'Old' }])
    const page = mountComponent(CardPane, { props: { noteid: 'A' } })
    useConnection().state = createConnectionState()
    await vi.waitFor(() => expect(page.text()).toContain('Old'))
    useConnection().state = createConnectionState({ epoch: 2 })
    await nextTick()
    expect(getByRole('note').textContent).toContain('Read before the connection was interrupted')
    expect(page.text()).toContain('Old')
  })
})

test('links to cards show the title, the id if the title is unknown, and a mark if the card is gone', async () => {
  cards(() => [{ noteid: 'A', title: '<i>A</i>' }, { noteid: 'B', title: '' }, { noteid: 'D' }])
  const page = mountComponent({
    components: { CardLink },
    template: '<CardLink v-for="id in [`A`,`B`,`C`,`D`]" :key="id" :noteid="id" />',
  } as never)
  useConnection().state = createConnectionState()
  await vi.waitFor(() => expect(page.text()).toContain('<i>A</i>'))
  expect(findAllByRole('link').map(({ textContent }) => textContent)).toEqual(['<i>A</i>', '(untitled)', 'Cgone', 'D'])
})

describe('the number of a part', () => {
  const item = {
    noteid: 'N',
    parts: [
      { index: 0, kind: 'title' },
      { index: 5, kind: 'text' },
      { index: 7, kind: 'image', contentId: 'c', contentPath: '/notes/N/content/c' },
    ],
  }

  test('is its position on the card in the strip of contents', async () => {
    installFakeServiceProcess({})
    mountComponent(ContentTab, {
      props: { noteid: 'N', item, parts: parseCardParts(item), source: null, content: null },
    })
    await vi.waitFor(() => getByRole('option', '3: Image'))
  })

  test('has the index of the host beside it in the table of parts', async () => {
    mountComponent(PartsTab, { props: { noteid: 'N', parts: parseCardParts(item), areSent: true, source: null } })
    await nextTick()
    expect(findAllByRole('columnheader').map(({ textContent }) => textContent.trim())).toContain('index')
    const cells = findAllByRole('row').at(-1)?.querySelectorAll('[role=gridcell]') ?? []
    expect([...cells].slice(0, 3).map(({ textContent }) => textContent.trim())).toEqual(['3', '7', 'Image'])
  })

  test('stands alone if the host sends no index', async () => {
    mountComponent(PartsTab, {
      props: { noteid: 'N', parts: parseCardParts({ parts: [{ kind: 'text' }] }), areSent: true, source: null },
    })
    await nextTick()
    expect(findAllByRole('columnheader').map(({ textContent }) => textContent.trim())).not.toContain('index')
  })
})
