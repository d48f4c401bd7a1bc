import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Component } from 'vue'
import BundlesPlace from '../../../renderer/places/bundles/BundlesPlace.vue'
import HashtagsPlace from '../../../renderer/places/hashtags/HashtagsPlace.vue'
import ContextView from '../../../renderer/places/host/ContextView.vue'
import StatusView from '../../../renderer/places/host/StatusView.vue'
import LibraryPlace from '../../../renderer/places/library/LibraryPlace.vue'
import PagesPlace from '../../../renderer/places/pages/PagesPlace.vue'
import PalettePlace from '../../../renderer/places/palette/PalettePlace.vue'
import SearchPlace from '../../../renderer/places/search/SearchPlace.vue'
import SubMapsPlace from '../../../renderer/places/sub-maps/SubMapsPlace.vue'
import TreePlace from '../../../renderer/places/tree/TreePlace.vue'
import { useConnection } from '../../../renderer/stores/connection.ts'
import { installFakeServiceProcess, mountComponent } from '../../support/vue/mounting.ts'
import { createConnectionState } from '../../support/vue/states.ts'

/** A worker that never finishes: the tree itself is not under test here. */
class Silent {
  onmessage = null
  onerror = null
  postMessage(): void {
    return undefined
  }
  terminate(): void {
    return undefined
  }
}

const meta = {
  exchangeId: 'e1',
  method: 'GET',
  path: '/x',
  status: 200,
  contentType: 'application/json',
  headers: {},
  durationMs: 1,
  receivedAt: 1,
  epoch: 1,
  byteLength: 1,
}

let errors: unknown[] = []
beforeEach(() => {
  errors = []
  vi.stubGlobal('Worker', Silent)
  // happy-dom has no layout: pretend there is room for some rows.
  Object.defineProperty(HTMLElement.prototype, 'clientHeight', { configurable: true, value: 400 })
  Object.defineProperty(HTMLElement.prototype, 'offsetWidth', { configurable: true, value: 600 })
})
afterEach(() => {
  document.body.innerHTML = ''
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/**
 * Renders a place over a host that returns this, or what a function makes of the query; everything
 * else is empty.
 */
async function mountPlace(place: Component, path: string, responses: Readonly<Record<string, unknown>>): Promise<void> {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const empty = { studySets: [], decks: [], subMaps: [], colors: [] }
  const outer = installFakeServiceProcess({
    'bridge.read': (input) => {
      const { endpoint, query } = input as { endpoint: string; query: Readonly<Record<string, unknown>> }
      const response = responses[endpoint] ?? empty
      const sentValue: unknown = typeof response === 'function' ? response(query) : response
      const bytes = new TextEncoder().encode(JSON.stringify(sentValue)).buffer
      return { meta: { ...meta, endpoint }, bytes }
    },
  })
  const route = path
    .replace('/T/', '/:topicid/')
    .replace('/B/', '/:bookmd5/')
    .replace('/b1', '/:bundleId')
    .replace(/\d+$/, ':index')
  const wrapper = mountComponent(place, { route: route.replace(/\?.*/, '') })
  const app = wrapper.vm.$.appContext
  app.config.errorHandler = (error) => void errors.push(error)
  await wrapper.vm.$router.push(path)
  useConnection().state = createConnectionState()
  const { calls } = outer
  await vi.waitFor(() => expect(calls.length).toBeGreaterThan(0))
}

const text = (): string => document.body.textContent
const waitForText = (part: string): Promise<void> => vi.waitFor(() => expect(text()).toContain(part))
const filter = (value: string): void => {
  const field = document.querySelector<HTMLInputElement>('input[type=search], .filter input')
  if (!field) throw new Error('no filter')
  field.value = value
  field.dispatchEvent(new Event('input'))
}

describe('safety 54: a wrong type in a response', () => {
  test.each([7, { de: 'Titel' }, [null], true])(
    'does not break the library if a study set has the title %j',
    async (title) => {
      const studySets = [
        { topicid: 'id-of-a', title, noteCount: 'many', lastModifiedAt: {} },
        { topicid: 'B', title: 'Anatomy', noteCount: 3 },
        { topicid: 9, title: 'No id' },
      ]
      await mountPlace(LibraryPlace, '/library', { 'studySets.list': { studySets } })
      await waitForText('Anatomy')
      await waitForText('id-of-a')
      expect(text()).not.toContain('(untitled)')
      await waitForText('Otherwise than seen on 0.49 · 1 entry could not be read')
      expect(text()).not.toContain('fit the contract')
      filter('anat')
      await vi.waitFor(() => expect(text()).not.toContain('id-of-a'))
      expect(text()).toContain('Anatomy')
      expect(errors).toEqual([])
    },
  )

  test('is distinguished from an empty list if no entry is readable or the list is none', async () => {
    await mountPlace(LibraryPlace, '/library', { 'studySets.list': { studySets: [null, { title: 'No id' }] } })
    await waitForText('2 entries could not be read')
    await waitForText('Nothing readable here')
    expect(text()).not.toMatch(/no study sets/i)
    document.body.innerHTML = ''
    await mountPlace(LibraryPlace, '/library', { 'studySets.list': { studySets: 7 } })
    await waitForText('in a shape that this program doesn’t know')
    expect(text()).not.toMatch(/malformed|contract, and none/i)
    expect(text()).not.toMatch(/no study sets/i)
    expect(errors).toEqual([])
  })

  test.each<[string, unknown]>([
    ['in groups of their own', { found: { documents: [{ bookmd5: 'B', title: 'Heart' }], notes: [] } }],
    ['by their ids', { found: { 'N-10001': { title: 'Heart' } } }],
  ])('finds hits of a search %s', async (_case, response) => {
    await mountPlace(SearchPlace, '/search?q=heart', { 'search.get': response })
    await waitForText('1 result')
    await waitForText('Heart')
    expect(errors).toEqual([])
  })

  test('shows a search in a shape that is not known as sent, and not as empty', async () => {
    await mountPlace(SearchPlace, '/search?q=heart', { 'search.get': { hits: { pairs: [['N-10001', 'Heart']] } } })
    await waitForText('in a shape that this program doesn’t know')
    expect(text()).not.toMatch(/nothing found|finds nothing|no results|malformed/i)
    const button = [...document.querySelectorAll('button')].find(({ textContent }) =>
      /original response/i.test(textContent),
    )
    button?.click()
    await vi.waitFor(() => expect(button?.getAttribute('aria-expanded')).toBe('true'))
    expect(errors).toEqual([])
  })

  test('is reported for a color without rgba, and the other colors are shown', async () => {
    const good = { hex: '#AABBCC', rgba: { r: 170, g: 187, b: 204, a: 1 } }
    const colors = [
      { colorIndex: 0, baseColor: good, displayColor: good },
      { colorIndex: 1, baseColor: good, displayColor: { hex: '#010203' } },
    ]
    await mountPlace(PalettePlace, '/study-sets/T/palette', { 'studySets.palette': { colors } })
    await vi.waitFor(() => expect(document.querySelectorAll('tbody tr')).toHaveLength(1))
    await waitForText('1 entry doesn’t fit the contract')
    expect(errors).toEqual([])
  })

  test('tags are found by what they are, with their cards', async () => {
    const tags = { '#sea/kelp': { by: ['card-of-kelp'] }, '#field': { by: [] } }
    await mountPlace(HashtagsPlace, '/study-sets/T/hashtags?tag=sea/kelp', { 'studySets.hashtags': { tags } })
    await waitForText('card-of-kelp')
    expect(text()).toContain('2 hashtags')
    expect(text()).not.toMatch(/no card ids|withNotes/i)
    expect(errors).toEqual([])
  })

  test('facts of the connection are shown for a host without the route of the status', async () => {
    const routes = [{ method: 'GET', path: '/ui-state' }]
    await mountPlace(StatusView, '/host', { 'capabilities.get': { routes } })
    await waitForText('Address')
    expect(text()).not.toMatch(/could not be read|doesn’t list/)
  })

  test('does not break the context if documents and selected cards are null', async () => {
    await mountPlace(ContextView, '/host?view=context', {
      'context.get': {
        available: true,
        studySet: { topicid: 'T', title: 'Anatomy' },
        documents: [null, { bookmd5: 'B', title: 'Gray' }],
        selectedNotes: [null, { noteid: 'N', title: 'Heart' }],
        focusedNote: 7,
      },
    })
    for (const title of ['Anatomy', 'Gray', 'Heart']) await waitForText(title)
    expect(errors).toEqual([])
  })

  test('does not break the toolbar of the tree if sub-maps are null', async () => {
    await mountPlace(TreePlace, '/study-sets/T/tree', {
      'studySets.subMaps': [null, { noteid: 'N', title: 7 }, { noteid: 'M', title: 'Veins' }],
    })
    await vi.waitFor(() =>
      expect([...document.querySelectorAll('option')].map(({ textContent }) => textContent)).toContain('Veins'),
    )
    expect(errors).toEqual([])
  })

  test('does not break the first filter if the title of a sub-map is a number', async () => {
    await mountPlace(SubMapsPlace, '/study-sets/T/sub-maps', {
      'studySets.subMaps': [
        { noteid: 'id-of-n', title: 7, cardCount: 'x', parentPath: [] },
        { noteid: 'M', title: 'Veins', parentPath: [] },
      ],
    })
    await waitForText('Veins')
    filter('vei')
    await vi.waitFor(() => expect(text()).not.toMatch(/untitled|id-of-n/))
    expect(text()).toContain('Veins')
    expect(errors).toEqual([])
  })

  test('is reported above the page if the texts of a page cannot be read', async () => {
    const pages = [{ page: 1, text: 'Heart' }, null, { page: 2, text: 7 }]
    await mountPlace(PagesPlace, '/documents/B/pages/1', {
      'documents.outline': { pageCount: 2, segments: [] },
      'documents.pages': { bridgeApiVersion: [], pages },
    })
    await waitForText('Heart')
    await waitForText('The host returned no text for this page')
    expect(text()).not.toContain('No text on this page')
    await waitForText('Otherwise than seen on 0.49 · 1 entry could not be read')
    expect(text()).not.toContain('fit the contract')
    expect(errors).toEqual([])
  })

  const routes = (paths: readonly string[]): object => ({ routes: paths.map((path) => ({ method: 'GET', path })) })

  test('a host without outline and texts shows handwriting by the page number alone', async () => {
    await mountPlace(PagesPlace, '/documents/B/pages/3', {
      'capabilities.get': routes(['/documents/{id}/pages/{index}/parts', '/search']),
      'documents.pageParts': { bridgeApiVersion: '0.91', contentIds: ['ink-1', 'ink-2'] },
    })
    await waitForText('2 images')
    await vi.waitFor(() => expect(document.querySelector('.index')).toBeNull())
    await vi.waitFor(() => expect(document.querySelector('section.text')).toBeNull())
    expect(text()).not.toContain('ROUTE_UNLISTED')
    expect(errors).toEqual([])
  })

  test('a page in a shape that is not known has not no images', async () => {
    await mountPlace(PagesPlace, '/documents/B/pages/3', {
      'documents.outline': { pageCount: 2, segments: [] },
      'documents.pageParts': { drawings: { ink: 3 } },
    })
    await waitForText('in a shape that this program doesn’t know')
    expect(text()).not.toMatch(/0 images|no images/)
    expect(errors).toEqual([])
  })

  test.each<[string, Component, string, Readonly<Record<string, unknown>>]>([
    ['folders', LibraryPlace, '/library?list=folders', { 'library.folders': { shelves: [{ label: 'Textbooks' }] } }],
    [
      'folders, entry by entry',
      LibraryPlace,
      '/library?list=folders',
      { 'library.folders': { folders: [{ label: 'A' }] } },
    ],
    [
      'the files of a bundle',
      BundlesPlace,
      '/bundles/b1',
      { 'bundles.list': { bundles: [{ bundleId: 'b1' }] }, 'bundles.files': { contents: { size: 3 } } },
    ],
    ['hashtags', HashtagsPlace, '/study-sets/T/hashtags', { 'studySets.hashtags': { nodes: [{ label: 'heart' }] } }],
  ])('a list of %s in a shape that is not known is none that is empty', async (_name, place, path, responses) => {
    await mountPlace(place, path, responses)
    await waitForText('in a shape that this program doesn’t know')
    expect(text()).not.toMatch(/no documents|without their documents|lists no files|no hashtags|could not be read/i)
    expect(errors).toEqual([])
  })

  test('a list of files that is empty is called so', async () => {
    const responses = { 'bundles.list': { bundles: [{ bundleId: 'b1' }] }, 'bundles.files': { files: [] } }
    await mountPlace(BundlesPlace, '/bundles/b1', responses)
    await waitForText('The host lists no files')
  })

  test('a document of a folder, or a segment of an outline, without a title is not called untitled', async () => {
    const documents = [{ bookmd5: 'D1' }, { bookmd5: 'D2', title: '' }]
    await mountPlace(LibraryPlace, '/library?list=folders&folder=A', { 'library.folders': { folders: [], documents } })
    await waitForText('Untitled')
    expect([...document.querySelectorAll('a bdi')].map(({ textContent }) => textContent)).toEqual(['D1', 'Untitled'])
    document.body.innerHTML = ''
    const segments = [{ startPage: 1 }, { startPage: 2, title: '' }]
    await mountPlace(PagesPlace, '/documents/B/pages/1', { 'documents.outline': { pageCount: 2, segments } })
    await waitForText('(untitled)')
    await waitForText('(title not read)')
    expect(errors).toEqual([])
  })

  test('is reported beside the documents of a folder', async () => {
    const inFolder = { bridgeApiVersion: [], path: 7, folders: [], documents: [{ bookmd5: 'D', title: 'Gray' }] }
    const root = { folders: [{ path: 'Textbooks', name: 'Textbooks' }] }
    await mountPlace(LibraryPlace, '/library?list=folders&folder=Textbooks', {
      'library.folders': ({ path }: { path?: string }) => (path === undefined ? root : inFolder),
    })
    await vi.waitFor(() => expect(text()).toContain('Gray'))
    expect(document.querySelector('.chosen')?.textContent).toContain('Otherwise than seen on 0.49')
    expect(errors).toEqual([])
  })
})
