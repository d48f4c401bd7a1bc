import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { DemoHost } from '../../electron/demo-host/server.ts'
import { root } from '../../scripts/lib/paths.mjs'

/**
 * What to do besides going to the address, so that the place reads what it only reads on request.
 */
export type Act =
  'select' | 'follow' | 'find' | 'reconnect' | { readonly compose: string; readonly values: Record<string, string> }

/** A place, or one view of it, that reads from the host. */
export interface Station {
  readonly name: string
  readonly hash: string
  readonly act?: Act
  /**
   * Whether the station lists the program's own requests, so that a text may be out of sight only
   * because newer entries moved it.
   */
  readonly flows?: boolean
}

/**
 * Whether the shell uses the response in every place, so that it is changed in one view of each.
 */
export const isShared = ({ responseKey }: { readonly responseKey: string }): boolean =>
  responseKey === 'GET /library/study-sets' || responseKey === 'GET /decks' || responseKey === 'GET /capabilities'

/**
 * The stations in which the shell's responses are changed as well: the first of each place, and
 * those that list them.
 */
export function selectForShared(stations: readonly Station[]): ReadonlySet<Station> {
  const places = new Map<string, Station>()
  for (const station of stations) {
    const place = station.name.split(':')[0] ?? ''
    if (station.act !== 'reconnect' && !places.has(place)) places.set(place, station)
  }
  return new Set([...places.values(), ...stations.filter(({ name }) => /^library|^host: routes/.test(name))])
}

/** Every view of every place, with the richest objects in the demo library. */
export function listStations({ state }: DemoHost): readonly Station[] {
  const { library } = state
  const cards = library.sets.flatMap((set) => set.cards)
  const card = pickRichest(cards, ({ bands, parts, practice, texts, hashtags }) => [
    bands.length > 1,
    parts.length > 1,
    parts.some(({ kind, masks }) => kind === 'image' && masks !== undefined),
    practice.length > 0,
    texts.length > 1,
    hashtags.length > 1,
  ])
  const set = library.sets.find(({ topicid }) => topicid === card.topicid) ?? library.sets[0]
  const book = set?.documents[0] ?? ''
  const page = library.books.get(book)?.pages.findIndex(({ parts }) => parts.length > 0) ?? 0
  const deck = library.decks[0]?.deckId ?? ''
  const buildSetHash = (name: string): string => `#/study-sets/${set?.topicid ?? ''}/${name}`
  const noteid = card.noteid
  const buildNoteHash = (tab: string): string => `#/notes/${noteid}?tab=${tab}`
  const tag = card.hashtags[0]?.replace(/^#/, '') ?? ''
  const buildWriteAct = (compose: string): Act => ({ compose, values: { noteid, noteIds: noteid } })
  return [
    { name: 'connection', hash: '#/host', act: 'reconnect' },
    { name: 'connect', hash: '#/connect' },
    ...['status', 'routes', 'limits', 'guide', 'context', 'interface', 'sync', 'setup'].map((view) => ({
      name: `host: ${view}`,
      hash: `#/host?view=${view}`,
    })),
    { name: 'contract: drift', hash: '#/contract', flows: true },
    { name: 'contract: compare', hash: '#/contract/compare', flows: true },
    ...['learned', 'routes', 'guide', 'coverage'].map((view) => ({
      name: `contract: ${view}`,
      hash: `#/contract?view=${view}`,
      flows: view === 'learned',
    })),
    {
      name: 'contract: past',
      hash: `#/contract/past?method=GET&template=%2Fdecks&assertion=${encodeURIComponent('{"kind":"schema"}')}`,
      flows: true,
    },
    { name: 'library: study sets', hash: '#/library', act: 'select' },
    { name: 'library: decks', hash: '#/library?list=decks', act: 'select' },
    { name: 'library: folders', hash: '#/library?list=folders&folder=Textbooks' },
    { name: 'deck', hash: `#/decks/${deck}`, act: 'select' },
    { name: 'tree', hash: buildSetHash('tree'), act: 'select' },
    { name: 'tree: a card', hash: `${buildSetHash('tree')}?note=${noteid}` },
    { name: 'map', hash: buildSetHash('map') },
    { name: 'map: path of calls', hash: `${buildSetHash('map')}?calls=this-run` },
    { name: 'changes', hash: buildSetHash('changes') },
    { name: 'documents', hash: buildSetHash('documents'), act: 'select' },
    { name: 'documents: snapshots', hash: `${buildSetHash('documents')}?view=snapshots` },
    { name: 'documents: notebooks', hash: `${buildSetHash('documents')}?view=notebooks` },
    { name: 'palette', hash: buildSetHash('palette'), act: 'select' },
    { name: 'sub-maps', hash: buildSetHash('sub-maps'), act: 'select' },
    { name: 'sub-maps: outline', hash: `${buildSetHash('sub-maps')}?view=outline` },
    { name: 'hashtags', hash: buildSetHash('hashtags'), act: 'select' },
    { name: 'hashtags: a tag', hash: `${buildSetHash('hashtags')}?tag=${encodeURIComponent(tag)}` },
    { name: 'print', hash: buildSetHash('print') },
    { name: 'contents: a text', hash: `#/documents/${book}/contents?view=locate&page=1&text=a` },
    { name: 'excerpts', hash: `#/documents/${book}/excerpts`, act: 'select' },
    { name: 'excerpts: by card', hash: `#/documents/${book}/excerpts?group=card` },
    { name: 'excerpts: duplicates', hash: `#/documents/${book}/excerpts?view=duplicates` },
    { name: 'pages', hash: `#/documents/${book}/pages/${page + 1}` },
    { name: 'pages: blocks', hash: `#/documents/${book}/pages/${page + 1}?blocks=1` },
    ...['overview', 'parts', 'bands', 'content', 'render', 'raw'].map((tab) => ({
      name: `card: ${tab}`,
      hash: buildNoteHash(tab),
    })),
    { name: 'search', hash: '#/search?q=the', act: 'select' },
    { name: 'lens', hash: `#/id/${noteid}?view=about` },
    { name: 'bundles', hash: '#/bundles' },
    { name: 'bundles: files', hash: '#/bundles/bundle-1' },
    { name: 'bundles: a file', hash: '#/bundles/bundle-1?path=manifest.json' },
    { name: 'operations', hash: '#/operations' },
    { name: 'recordings', hash: '#/recordings' },
    { name: 'runs', hash: '#/recordings/compare?after=this-run&before=this-run', flows: true },
    { name: 'runs: lanes', hash: '#/recordings/compare?after=this-run&before=this-run&view=lanes', flows: true },
    { name: 'traffic', hash: '#/traffic', act: 'select', flows: true },
    { name: 'findings', hash: '#/findings', flows: true },
    { name: 'traffic: all filters', hash: '#/traffic?larger=1&earlier=1', act: 'select', flows: true },
    {
      name: 'console',
      hash: `#/console?method=GET&path=${encodeURIComponent(`/study-sets/${set?.topicid ?? ''}/tree`)}`,
    },
    { name: 'panel', hash: '#/panel' },
    { name: 'lab', hash: `#/lab?note=${noteid}` },
    { name: 'settings', hash: '#/settings' },
    { name: 'following', hash: '#/library', act: 'follow' },
    { name: 'command palette', hash: '#/operations', act: 'find' },
    ...[
      'writing.pencilCommit',
      'writing.sessionPause',
      'notes.practiceVerdict',
      'notes.metadata',
      'notes.hashtags',
    ].map((endpoint) => ({ name: `write: ${endpoint}`, hash: '#/operations', act: buildWriteAct(endpoint) })),
  ]
}

/** Those that differ by their address or by a selected row, which is what a person sees at once. */
export const listViews = (host: DemoHost): readonly Station[] =>
  listStations(host).filter(({ act }) => act === undefined || act === 'select')

function pickRichest<T>(items: readonly T[], facts: (thing: T) => readonly boolean[]): T {
  const computeScore = (item: T): number => facts(item).filter(Boolean).length
  const [first, ...rest] = items
  if (first === undefined) throw new Error('the demo library has no cards')
  return rest.reduce((best, item) => (computeScore(item) > computeScore(best) ? item : best), first)
}

/** Routes of the program without a station: a place added without one would not be visited. */
export function listUncovered(stations: readonly Station[]): readonly string[] {
  const folder = path.join(root, 'renderer', 'places')
  const routes = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const text = readFileSync(path.join(folder, name, 'place.ts'), 'utf8')
      return [...text.matchAll(/\bpath: '([^']+)'/g)].map(([, route = '']) => route)
    })
  return routes.filter((route) => !stations.some(({ hash }) => matches(route, hash)))
}

function matches(route: string, hash: string): boolean {
  const pattern = route.replace(/\/:\w+(?:\([^)]*\))?(\?)?/g, (_all, optional) => (optional ? '(?:/[^/]+)?' : '/[^/]+'))
  return new RegExp(`^${pattern}$`).test(hash.slice(1).split('?')[0] ?? '')
}
