import { afterEach, expect, test, vi } from 'vitest'
import type { Component } from 'vue'
import BundlesPlace from '../../../renderer/places/bundles/BundlesPlace.vue'
import CardPlace from '../../../renderer/places/card/CardPlace.vue'
import DeckPlace from '../../../renderer/places/decks/DeckPlace.vue'
import DocumentsPlace from '../../../renderer/places/documents/DocumentsPlace.vue'
import ExcerptsPlace from '../../../renderer/places/excerpts/ExcerptsPlace.vue'
import HashtagsPlace from '../../../renderer/places/hashtags/HashtagsPlace.vue'
import LibraryPlace from '../../../renderer/places/library/LibraryPlace.vue'
import PagesPlace from '../../../renderer/places/pages/PagesPlace.vue'
import PalettePlace from '../../../renderer/places/palette/PalettePlace.vue'
import SearchPlace from '../../../renderer/places/search/SearchPlace.vue'
import SubMapsPlace from '../../../renderer/places/sub-maps/SubMapsPlace.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { useDataChanges } from '../../../renderer/stores/data-changes.ts'
import { NO_IDS_BY_KIND } from '../../../shared/bridge/data-change.ts'
import { getEndpointById, type EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { readHostLimits } from '../../../shared/bridge/host-limits.ts'
import type { ReadInput } from '../../../shared/ipc/bridge.ts'
import { defaultSettings } from '../../../shared/ipc/settings.ts'
import { createReadReply } from '../../support/vue/read-reply.ts'
import { installFakeServiceProcess, mountComponent, type FakeServiceProcess } from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

afterEach(() => {
  document.body.innerHTML = ''
})

/** Empty answers that fit the contract. */
const bodies: Partial<Record<string, object>> = {
  'studySets.list': { studySets: [] },
  'decks.list': { decks: [] },
  'decks.cards': { cards: [] },
  'studySets.subMaps': { subMaps: [] },
  'studySets.palette': { colors: [], count: 0, source: 's', appearance: 'light', title: 't', topicid: 'T-1' },
  'studySets.documents': { documents: [] },
  'documents.excerpts': { items: [], duplicates: [], title: 't' },
  'documents.outline': { pageCount: 1 },
  'documents.pageParts': { parts: [] },
  'search.get': { hits: [] },
  'bundles.list': { bundles: [] },
  'notes.batchGet': { items: [{ noteid: 'N-1', title: 'Heart' }] },
}

/** A host that answers everything, with answers as large as `byteLength`. */
function host(byteLength: number): FakeServiceProcess {
  return installFakeServiceProcess({
    'bridge.limits': () => readHostLimits(null),
    'settings.get': () => defaultSettings,
    'bridge.read': (input) => {
      const { endpoint } = input as ReadInput
      const response = createReadReply(endpoint, JSON.stringify(bodies[endpoint] ?? {}))
      return { ...response, meta: { ...response.meta, byteLength, receivedAt: Date.now() } }
    },
  })
}

const reads = ({ calls }: FakeServiceProcess, endpoint: string): number =>
  calls.filter(({ method, input }) => method === 'bridge.read' && (input as ReadInput).endpoint === endpoint).length

/** A panel has sent this request, which the host says it has done. */
function change(door: FakeServiceProcess, endpoint: EndpointId, ids: Partial<typeof NO_IDS_BY_KIND> | object): void {
  const { dataKinds: concerns, path, method } = getEndpointById(endpoint)
  const cause = { exchangeId: 'x', origin: { kind: 'panel', label: 'My panel' }, endpoint, method, path }
  const dataChange = {
    at: Date.now(),
    cause,
    fact: null,
    matters: concerns,
    ids: { ...NO_IDS_BY_KIND, ...ids },
    isCertain: true,
  }
  door.push({ topic: 'bridge.dataChanged', payload: { changes: [dataChange] } })
}

const set = { cards: [], sets: ['T-1'] }
const card = { cards: ['N-1'] }

type Case = [name: string, place: Component, route: string, address: string, reads: string, by: EndpointId, ids: object]
const cases: Case[] = [
  ['the library', LibraryPlace, '/library', '/library', 'studySets.list', 'notes.blankBands', card],
  ['decks', LibraryPlace, '/library', '/library?list=decks', 'decks.list', 'decks.create', {}],
  ['a deck', DeckPlace, '/decks/:deckId', '/decks/D-1', 'decks.cards', 'decks.addCards', { sets: ['D-1'] }],
  [
    'hashtags',
    HashtagsPlace,
    '/study-sets/:topicid/hashtags',
    '/study-sets/T-1/hashtags',
    'studySets.hashtags',
    'notes.hashtags',
    card,
  ],
  [
    'colors',
    PalettePlace,
    '/study-sets/:topicid/palette',
    '/study-sets/T-1/palette',
    'studySets.palette',
    'notes.metadata',
    card,
  ],
  [
    'sub-maps',
    SubMapsPlace,
    '/study-sets/:topicid/sub-maps',
    '/study-sets/T-1/sub-maps',
    'studySets.subMaps',
    'notes.foldIntoSubMap',
    card,
  ],
  [
    'documents',
    DocumentsPlace,
    '/study-sets/:topicid/documents',
    '/study-sets/T-1/documents',
    'studySets.documents',
    'studySets.addDocuments',
    set,
  ],
  [
    'excerpts',
    ExcerptsPlace,
    '/documents/:bookmd5/excerpts',
    '/documents/B-1/excerpts',
    'documents.excerpts',
    'notes.text',
    card,
  ],
  [
    'pages',
    PagesPlace,
    '/documents/:bookmd5/pages',
    '/documents/B-1/pages',
    'documents.outline',
    'documents.toc',
    { documents: ['B-1'] },
  ],
  ['search results', SearchPlace, '/search', '/search?q=heart', 'search.get', 'notes.title', card],
  ['bundles', BundlesPlace, '/bundles', '/bundles', 'bundles.list', 'bundles.discard', { bundles: ['X'] }],
  ['a card', CardPlace, '/notes/:noteid', '/notes/N-1', 'notes.batchGet', 'notes.practiceVerdict', card],
]

async function opened([, place, route, address, endpoint]: Case, byteLength = 100) {
  const door = host(byteLength)
  const page = mountComponent(place, { route })
  useDataChanges()
  await page.vm.$router.push(address)
  useConnection().state = createConnectionState()
  await vi.waitFor(() => expect(reads(door, endpoint)).toBeGreaterThan(0))
  await vi.waitFor(() => expect(page.find('[role=progressbar]').exists()).toBe(false))
  await new Promise((resolve) => setTimeout(resolve, 50))
  return { door, page, before: reads(door, endpoint) }
}

test.each(cases)('%s: is read again after a write that affects it', async (...testCase) => {
  const [, , , , endpoint, by, ids] = testCase
  const { door, page, before } = await opened(testCase)
  change(door, by, ids)
  await vi.waitFor(() => expect(reads(door, endpoint)).toBe(before + 1))
  expect(page.text()).not.toContain('hanged since')
  page.unmount()
})

test.each(cases.filter(([name]) => name !== 'a card'))(
  '%s: is marked as stale and can be reloaded if it is large',
  async (...testCase) => {
    const [, , , , endpoint, by, ids] = testCase
    const { door, page, before } = await opened(testCase, 600_000)
    change(door, by, ids)
    await vi.waitFor(() => expect(page.find('[role=status].stale').exists()).toBe(true))
    const mark = page.find('[role=status].stale')
    expect(mark.text()).toMatch(/^Changed since it was read, \d\d:\d\d:\d\d·POST \/.* \(panel: My panel\)/)
    await mark.find('button').trigger('click')
    await vi.waitFor(() => expect(page.find('[role=status].stale').exists()).toBe(false))
    expect(reads(door, endpoint)).toBe(before + 1)
    page.unmount()
  },
)
