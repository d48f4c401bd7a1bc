import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createRefusedError } from '../../../shared/errors.ts'
import type { IpcInput } from '../../../shared/ipc/index.ts'
import type { SnapshotChangeRow, SnapshotComparison } from '../../../shared/ipc/snapshots.ts'
import type { SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'
import type { Column } from '../../../renderer/components/grid/columns.ts'
import ExchangeOverview from '../../../renderer/panes/exchange/ExchangeOverview.vue'
import SnapshotChangesLink from '../../../renderer/panes/SnapshotChangesLink.vue'
import ChangeDetail from '../../../renderer/places/changes/ChangeDetail.vue'
import SnapshotBar from '../../../renderer/places/changes/SnapshotBar.vue'
import ChangesPlace from '../../../renderer/places/changes/ChangesPlace.vue'
import type { ListedChange } from '../../../renderer/places/changes/change-columns.ts'
import { exportChanges, type changeFormats } from '../../../renderer/places/changes/change-export.ts'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useUi } from '../../../renderer/stores/ui.ts'
import {
  findAllByRole,
  getByRole,
  installFakeServiceProcess,
  mountComponent,
  pressKey,
} from '../../support/vue/mounting.ts'
import { createExchangeDetail } from '../../support/vue/exchanges.ts'
import { createConnectionState } from '../../support/vue/states.ts'

beforeEach(() => {
  // happy-dom has no layout: pretend there are 400 px of room.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 1600 })
})
afterEach(() => {
  document.body.innerHTML = ''
  vi.restoreAllMocks()
})

const createInfo = (id: number, changed: Partial<SnapshotInfo> = {}): SnapshotInfo => ({
  ...{ id, topicid: 'T-1', host: 'http://127.0.0.1:1', startedAt: id * 1000, endedAt: id * 1000, seenAt: id * 1000 },
  ...{
    origin: { kind: 'place', label: null },
    isRequested: false,
    cards: 4_312,
    detailed: 0,
    excerpts: null,
    palette: null,
    pages: 1,
    hostCount: 4_312,
    gaps: [],
  },
  ...{ isInTreeOrder: true, members: ['title'], anomalies: { duplicates: 0, orphans: 0, circles: 0 }, bytes: 10 },
  ...changed,
})
const createState = (title: string, position = 1, parent = 'Heart') => ({
  ...{ title, parentId: 'N-0', parentTitle: parent, position, members: {} },
})
const write = {
  ...{ exchangeId: 'x1', startedAt: 1, endedAt: 2, method: 'POST', path: '/notes/N-1/title', endpoint: 'notes.title' },
  ...{
    origin: { kind: 'panel' as const, label: 'Practice' },
    cards: ['N-1'],
    sets: [],
    requestedValues: {},
    isCertain: true,
  },
}
const nobody = { certainty: 'nobody' as const, writes: [] }
const rows: SnapshotChangeRow[] = [
  { row: 'context', depth: 0, noteid: 'N-0', title: 'Heart' },
  { row: 'gap', depth: 1, count: 4_309 },
  {
    ...{ row: 'change', depth: 1, change: 0, noteid: 'N-1', kinds: ['renamed'], members: ['title'] },
    ...{ before: createState('Valves'), after: createState('Heart valves') },
    cause: { certainty: 'named', writes: [write] },
  },
  {
    ...{ row: 'ghost', depth: 1, change: 1, noteid: 'N-2', kinds: ['moved'], members: [] },
    ...{ before: createState('Aorta', 2), after: createState('Aorta', 1, 'Vessels'), cause: nobody },
  },
  {
    ...{ row: 'change', depth: 0, change: 1, noteid: 'N-2', kinds: ['moved'], members: [] },
    ...{ before: createState('Aorta', 2), after: createState('Aorta', 1, 'Vessels'), cause: nobody },
  },
]
const createComparison = (changed: Partial<SnapshotComparison> = {}): SnapshotComparison => ({
  ...{ before: createInfo(1), after: createInfo(2), changes: 2, counts: { renamed: 1, moved: 1 } },
  ...{ causes: { named: 1, nobody: 1 }, uncoveredBefore: 0, uncoveredAfter: 0, isOrderCompared: true, palette: null },
  ...{ rowCount: rows.length, offset: 0, rows },
  ...changed,
})

async function open(
  snapshots: SnapshotInfo[],
  compare: (input: IpcInput<'snapshots.compare'>) => unknown = () => createComparison(),
  take: () => unknown = () => createInfo(3),
  query = '',
) {
  const process = installFakeServiceProcess({
    'snapshots.list': () => ({ snapshots, isOnDisk: true }),
    'snapshots.compare': (input) => compare(input as IpcInput<'snapshots.compare'>),
    'snapshots.take': take,
  })
  const view = mountComponent(ChangesPlace, { route: '/study-sets/:topicid/changes' })
  useConnection().state = createConnectionState()
  await view.vm.$router.push(`/study-sets/T-1/changes${query}`)
  return { process, view }
}
const getItems = (): string[] =>
  findAllByRole('treeitem', undefined, getByRole('tree', 'Changes')).map(({ textContent }) =>
    textContent.replace(/\s+/g, ' ').trim(),
  )
const two = [createInfo(2), createInfo(1)]

describe('changes', () => {
  test('are a tree with kinds, causes, cards above them and what did not change', async () => {
    const { process, view } = await open(two)
    await vi.waitFor(() => expect(getItems()).toHaveLength(5))
    const items = getItems()
    expect(items[1]).toContain('… 4,309 unchanged')
    expect(items[2]).toContain('Heart valves')
    expect(items[2]).toContain('renamed')
    expect(items[2]).toContain('POST /notes/N-1/title')
    expect(items[2]).toContain('panel: Practice')
    expect(items[3]).toContain('was here, moved')
    expect(items[4]).toContain('nobody that was recorded')
    expect(findAllByRole('treeitem')[2]?.getAttribute('aria-label')).toBe('Heart valves')
    expect(findAllByRole('treeitem')[2]?.getAttribute('aria-level')).toBe('2')
    const compared = process.calls.filter(({ method }) => method === 'snapshots.compare')
    expect(compared.map(({ input }) => input)).toEqual([
      { topicid: 'T-1', before: 1, after: 2, layout: 'tree', offset: 0, limit: 100 },
    ])
    expect(view.text()).toContain('2 changed cards')
  })

  test('are read in parts until the last row', async () => {
    const { process } = await open(two, ({ offset }) =>
      createComparison({ offset, rows: rows.slice(offset, offset + 3) }),
    )
    await vi.waitFor(() => expect(getItems()).toHaveLength(5))
    const offsets = process.calls.flatMap(({ method, input }) =>
      method === 'snapshots.compare' ? [(input as { offset: number }).offset] : [],
    )
    expect(offsets).toEqual([0, 3])
  })

  test('are filtered by kind and cause, and listed', async () => {
    const { view } = await open(two, undefined, undefined, '?cause=nobody&view=list')
    await vi.waitFor(() => expect(findAllByRole('row', undefined, getByRole('grid', 'Changes'))).toHaveLength(2))
    expect(view.text()).toContain('1 of 2 changed cards')
    expect(getByRole('grid').textContent).toContain('Heart, place 2 → Vessels, place 1')
    getByRole('button', 'Filter').click()
    await vi.waitFor(() => getByRole('checkbox', /^renamed/))
    getByRole('checkbox', /^renamed/).click()
    await vi.waitFor(() => expect(view.text()).toContain('No change matches'))
  })

  test('name short values before and after', async () => {
    const createColored = (members: Record<string, unknown>) => ({ ...createState('Aorta'), members })
    const row: SnapshotChangeRow = {
      ...{ row: 'change', depth: 0, change: 0, noteid: 'N-2', kinds: ['recoloured', 'parts'], cause: nobody },
      ...{ members: ['colorIndex', 'fillIndex', 'parts'], before: createColored({ colorIndex: 3, parts: [1] }) },
      after: createColored({ colorIndex: 6, fillIndex: 2, parts: [2] }),
    }
    await open(two, () => createComparison({ changes: 1, rowCount: 1, rows: [row] }))
    await vi.waitFor(() => expect(getItems()[0]).toContain('recoloured, changed: parts'))
    expect(getItems()[0]).toContain('colorIndex 3 → 6, fillIndex – → 2, parts')
  })

  test('compare the newest snapshot with one of the same host, unless the address says otherwise', async () => {
    const { process } = await open([createInfo(3), createInfo(2, { host: 'http://127.0.0.1:9' }), createInfo(1)])
    const findInput = () => process.calls.find(({ method }) => method === 'snapshots.compare')?.input
    await vi.waitFor(() => expect(findInput()).toMatchObject({ before: 1, after: 3 }))
  })

  test('say which kinds of a change its call does not explain', async () => {
    const row: SnapshotChangeRow = {
      ...{ row: 'change', depth: 0, change: 0, noteid: 'N-1', kinds: ['renamed', 'recoloured'], members: [] },
      ...{ before: createState('Valves'), after: createState('Heart valves') },
      ...{ cause: { certainty: 'named', writes: [write] }, unexplained: ['recoloured'] },
    }
    await open(two, () => createComparison({ changes: 1, rowCount: 1, rows: [row] }))
    await vi.waitFor(() => expect(getItems()[0]).toContain('not explained by it: recoloured'))
  })

  test('are stepped through with N and P, which select no card by its title', async () => {
    await open(two)
    await vi.waitFor(() => expect(getItems()).toHaveLength(5))
    const tree = getByRole('tree', 'Changes')
    pressKey(tree, 'n')
    await vi.waitFor(() => expect(useUi().inspector?.title).toBe('Heart valves'))
    pressKey(tree, 'n')
    await vi.waitFor(() => expect(useUi().inspector?.title).toBe('Aorta'))
    expect(useUi().inspector?.props?.['row']).toMatchObject({ row: 'change', noteid: 'N-2' })
    pressKey(tree, 'p')
    await vi.waitFor(() => expect(useUi().inspector?.title).toBe('Heart valves'))
  })

  test('begin at the card that the address names', async () => {
    await open(two, undefined, undefined, '?card=N-2')
    await vi.waitFor(() => expect(useUi().inspector?.title).toBe('Aorta'))
    expect(useUi().inspector?.props?.['row']).toMatchObject({ row: 'change', noteid: 'N-2' })
  })

  test('keep the other snapshot and the card where one snapshot is chosen', async () => {
    const three = [createInfo(3), createInfo(2), createInfo(1)]
    const { view } = await open(three, ({ before, after }) =>
      createComparison({ before: createInfo(Number(before)), after: createInfo(Number(after)) }),
    )
    await vi.waitFor(() => expect(getItems()).toHaveLength(5))
    findAllByRole('treeitem')[2]?.click()
    await vi.waitFor(() => expect(useUi().inspector?.title).toBe('Heart valves'))
    view.findComponent(SnapshotBar).vm.$emit('update:after', 1)
    await vi.waitFor(() => expect(view.vm.$route.query).toEqual({ before: '2', after: '1' }))
    await vi.waitFor(() => expect(useUi().inspector?.title).toBe('Heart valves'))
  })

  test('say what a snapshot that is not whole does not cover', async () => {
    const partial = createInfo(2, { gaps: ['cancelled'] })
    const { view } = await open([partial, createInfo(1)], () =>
      createComparison({ after: partial, uncoveredAfter: 7, isOrderCompared: false }),
    )
    await vi.waitFor(() => expect(view.text()).toContain('“After” is not a whole snapshot: reading was cancelled.'))
    expect(view.text()).toContain('7 cards that only “Before” has are not counted as removed.')
    expect(view.text()).toContain('The order of the cards was not compared')
    expect(view.text()).toContain('4,312 cards · this program · partial')
  })

  test('say that nothing differs, with the number of cards', async () => {
    const { view } = await open(two, () =>
      createComparison({ changes: 0, counts: {}, causes: {}, rowCount: 0, rows: [] }),
    )
    await vi.waitFor(() => expect(view.text()).toContain('No differences in 4,312 cards'))
  })

  test('say that details were not compared, unless both snapshots have them', async () => {
    const { view } = await open(two)
    await vi.waitFor(() =>
      expect(getByRole('note').textContent).toContain('hashtags, parts, bands and practice were not'),
    )
    view.unmount()
    const detailed = { before: createInfo(1, { detailed: 4_312 }), after: createInfo(2, { detailed: 4_312 }) }
    await open(two, () => createComparison(detailed))
    await vi.waitFor(() => expect(getItems()).not.toHaveLength(0))
    expect(findAllByRole('note')).toHaveLength(0)
  })

  test('need two snapshots, and say what makes one', async () => {
    const { view } = await open([])
    await vi.waitFor(() => expect(view.text()).toContain('No snapshot of this study set'))
    view.unmount()
    const { view: secondView, process } = await open([createInfo(1)])
    await vi.waitFor(() => expect(secondView.text()).toContain('One snapshot so far'))
    expect(process.calls.some(({ method }) => method === 'snapshots.compare')).toBe(false)
  })

  test('of the palette stand above those of cards, and say where excerpts are not compared', async () => {
    const toLevel = (base: string, display = base) => ({ colorIndex: 3, base, display })
    const palette = [
      { colorIndex: 3, before: toLevel('#AA0000'), after: toLevel('#00AA00') },
      { colorIndex: 4, before: toLevel('#AA0000', '#BB0000'), after: toLevel('#AA0000', '#CC0000') },
      { colorIndex: 5, before: null, after: toLevel('#0000AA80') },
    ]
    const after = createInfo(2, { excerpts: { documents: 1, total: 2 } })
    await open(two, () => createComparison({ palette, after }))
    await vi.waitFor(() => expect(getItems()).toHaveLength(5))
    const items = getByRole('region', 'Palette').querySelectorAll('li')
    expect([...items].map(({ textContent }) => textContent)).toEqual([
      expect.stringContaining('#AA0000→#00AA00'),
      expect.stringContaining('#BB0000 in this theme→#CC0000 in this theme'),
      expect.stringContaining('no such level→#0000AA80'),
    ])
    expect(findAllByRole('note').map(({ textContent }) => textContent)).toContainEqual(
      expect.stringContaining('After: The excerpts of 1 of 2 documents were read'),
    )
  })

  test('show why they could not be compared', async () => {
    await open(two, () => {
      throw createRefusedError('SNAPSHOT_UNKNOWN', 'There is no such snapshot.')
    })
    await vi.waitFor(() => expect(getByRole('alert').textContent).toContain('SNAPSHOT_UNKNOWN'))
  })
})

describe('taking a snapshot', () => {
  test('shows its progress and can be cancelled', async () => {
    const { process, view } = await open([createInfo(1)], undefined, () => new Promise(() => undefined))
    await vi.waitFor(() => expect(view.text()).toContain('One snapshot so far'))
    view.find('input[type="checkbox"], [role="checkbox"]').trigger('click')
    getByRole('button', 'Take snapshot').click()
    await vi.waitFor(() => expect(getByRole('progressbar').getAttribute('aria-label')).toBe('Reading the cards'))
    expect(process.calls.find(({ method }) => method === 'snapshots.take')?.input).toEqual({
      topicid: 'T-1',
      ...{ details: true, excerpts: false, palette: false },
    })
    process.push({
      topic: 'snapshots.progress',
      payload: { topicid: 'T-1', phase: 'listing', count: 5_000, total: 20_000 },
    })
    await vi.waitFor(() => expect(getByRole('progressbar').getAttribute('aria-valuenow')).toBe('5000'))
    getByRole('button', 'Cancel').click()
    const takeId = process.calls.find(({ method }) => method === 'snapshots.take')?.id
    await vi.waitFor(() => expect(process.cancelled).toContain(takeId))
  })

  test('says which excerpts and colors it does not have', async () => {
    const partial = { excerpts: { documents: 2, total: 5 }, cards: 10 }
    const { view } = await open([createInfo(1)], undefined, () => createInfo(3, partial))
    await vi.waitFor(() => expect(view.text()).toContain('One snapshot so far'))
    for (const name of ['Excerpts', 'Palette']) getByRole('checkbox', name).click()
    getByRole('button', 'Take snapshot').click()
    await vi.waitFor(() => expect(view.text()).toContain('Snapshot taken: 10 cards.'))
    expect(view.text()).toContain('The excerpts of 2 of 5 documents were read')
    expect(view.text()).toContain('The host sent no complete palette.')
  })

  test('says that the host lists the same cards, and shows a new snapshot', async () => {
    const list = [createInfo(1)]
    const { process, view } = await open(list, undefined, () => createInfo(1, { seenAt: 9_000 }))
    await vi.waitFor(() => expect(view.text()).toContain('One snapshot so far'))
    getByRole('button', 'Take snapshot').click()
    await vi.waitFor(() => expect(view.text()).toContain('The host lists the same 4,312 cards'))
    list.unshift(createInfo(2))
    process.push({ topic: 'snapshots.changed', payload: { topicid: 'T-1' } })
    await vi.waitFor(() => expect(getItems()).toHaveLength(5))
  })
})

test('says that the last listing was too large to become a snapshot', async () => {
  let wasDropped = false
  const process = installFakeServiceProcess({
    'snapshots.list': () => ({ snapshots: two, isOnDisk: true, ...(wasDropped ? { wasDropped } : {}) }),
    'snapshots.compare': () => createComparison(),
  })
  const view = mountComponent(ChangesPlace, { route: '/study-sets/:topicid/changes' })
  await view.vm.$router.push('/study-sets/T-1/changes')
  await vi.waitFor(() => expect(getItems()).toHaveLength(5))
  expect(view.text()).not.toContain('too large')
  wasDropped = true
  process.push({ topic: 'snapshots.changed', payload: { topicid: 'T-1' } })
  await vi.waitFor(() => expect(view.text()).toContain('too large to become a snapshot by itself'))
})

test('something that was done links to the snapshots before and after it, if there are both', async () => {
  const snapshots = [createInfo(5), createInfo(4), createInfo(2), createInfo(1, { host: 'http://127.0.0.1:2' })]
  installFakeServiceProcess({ 'snapshots.list': () => ({ snapshots, isOnDisk: true }) })
  const props = { topicids: ['T-1'], host: 'http://127.0.0.1:1', startedAt: 2_500, endedAt: 3_500 }
  const view = mountComponent(SnapshotChangesLink, { props })
  await vi.waitFor(() =>
    expect(getByRole('link').getAttribute('href')).toBe('/study-sets/T-1/changes?before=2&after=4'),
  )
  await view.setProps({ startedAt: 1_500 })
  expect(findAllByRole('link')).toEqual([])
})

test('the exchange of a write links to the changes in the study set that it names, a read does not', async () => {
  const host = 'http://127.0.0.1:1'
  const snapshots = [createInfo(4, { host }), createInfo(2, { host })]
  installFakeServiceProcess({
    'snapshots.list': () => ({ snapshots, isOnDisk: true }),
    'findings.of': () => ({ findings: [] }),
    'breakpoints.get': () => ({ rules: [], held: [] }),
  })
  const names = [{ member: 'topicid', id: 'T-1' }]
  const row = { method: 'POST', endpoint: 'studySets.createSnapshot', startedAt: 2_500, durationMs: 20, host }
  const findLinks = (): (string | null)[] =>
    findAllByRole('link', 'What changed between the snapshots before and after it').map((link) =>
      link.getAttribute('href'),
    )
  const view = mountComponent(ExchangeOverview, { props: { detail: createExchangeDetail({ row, names }) } })
  await vi.waitFor(() => expect(findLinks()).toEqual(['/study-sets/T-1/changes?before=2&after=4']))
  const read = { ...row, method: 'GET', endpoint: 'studySets.tree' }
  await view.setProps({ detail: createExchangeDetail({ row: read, names }) })
  expect(findLinks()).toEqual([])
})

test('the changes that are shown are saved as Markdown, CSV and JSON, in which titles do nothing', async () => {
  const evil: ListedChange = {
    index: 0,
    row: { ...rows[2], noteid: 'N-9', after: createState('=1+1 | <b>') } as ListedChange['row'],
  }
  const columns: Column<ListedChange>[] = [
    { id: 'title', header: 'Card', width: 1, value: ({ row }) => row.after?.title },
    { id: 'noteid', header: 'Card id', width: 1, value: ({ row }) => row.noteid },
  ]
  let exported: Parameters<typeof exportChanges>[1] = {
    ...{ heading: 'Changes', changes: [evil], columns, comparison: createComparison(), levels: [] },
  }
  const { signal } = new AbortController()
  const read = async (format: (typeof changeFormats)[number]): Promise<string> =>
    (await exportChanges(format, exported, signal))?.text() ?? ''
  expect(await read('markdown')).toBe('# Changes\n\n| Card | Card id |\n| --- | --- |\n| =1+1 \\| \\<b\\> | N-9 |\n')
  expect(await read('csv')).toContain(`'=1+1 | <b>",N-9`)
  expect(JSON.parse(await read('json'))).toMatchObject({
    ...{ before: { id: 1 }, after: { id: 2 } },
    changes: [{ noteid: 'N-9', kinds: ['renamed'], after: { title: '=1+1 | <b>' }, cause: { certainty: 'named' } }],
  })
  expect(await exportChanges('json', exported, AbortSignal.abort())).toBeNull()

  const level = { colorIndex: 3, before: null, after: { colorIndex: 3, base: '#AABBCC', display: '#AABBCC' } }
  exported = { ...exported, levels: [{ level, cells: { title: 'Level 3' } }] }
  expect(await read('markdown')).toContain('| Level 3 |  |\n| =1+1')
  expect(await read('csv')).toContain('\r\nLevel 3,\r\n')
  expect(JSON.parse(await read('json'))).toMatchObject({ palette: [level], changes: [{ noteid: 'N-9' }] })
})

test('a change is shown with its certainty, the card on both sides and a link to the call', () => {
  installFakeServiceProcess({})
  const view = mountComponent(ChangeDetail, {
    props: { row: rows[2], topicid: 'T-1', before: createInfo(1), after: createInfo(2) } as never,
  })
  expect(view.text()).toContain('This recorded call names the card.')
  const table = view.find('table[aria-label="The card before and after"]')
  expect(table.find('del').text()).toBe('"Valves"')
  expect(table.find('ins').text()).toBe('"Heart valves"')
  expect(findAllByRole('link').map((link) => link.getAttribute('href'))).toContain('/traffic/x1')
})

test('texts of several words that differ are compared word by word, whichever member holds them', () => {
  installFakeServiceProcess({})
  const createTexts = (text: string) => ({ ...createState('Valves'), members: { texts: [{ index: 0, text }] } })
  const row = {
    ...{ row: 'change', depth: 0, change: 0, noteid: 'N-1', kinds: ['text'], members: ['texts'], cause: nobody },
    ...{ before: createTexts('Four valves in the heart'), after: createTexts('Four valves of the heart') },
  }
  const view = mountComponent(ChangeDetail, {
    props: { row, topicid: 'T-1', before: createInfo(1), after: createInfo(2) } as never,
  })
  expect(view.text()).toContain('texts.0.text')
  expect(view.text()).toContain('The host itself changed the card, or somebody whose requests were not recorded.')
})
