import { findEndpointById } from '../../../../shared/bridge/endpoints/index.ts'
import { NodeIdNormalizer, renameNodeIds } from '../../../../shared/bridge/node-ids.ts'
import { getNextCursor } from '../../../../shared/bridge/listing-cursor.ts'
import { getMember, isObject } from '../../../../shared/json/object.ts'
import type { ForecastCard } from '../../../../shared/snapshots/forecast-card.ts'
import { forecastWrite, hasForecast } from '../../../../shared/snapshots/forecast.ts'
import { ForestBuilder, type Forest } from '../../../../shared/snapshots/forest.ts'
import { getHostApiPath } from '../../../../shared/traffic/exchange-url.ts'
import type { RecordedExchange } from '../../../../shared/recordings/recording.ts'
import type { ReplayTimeline, TimelineEntry } from './replay-timeline.ts'
import type { RequestMeaning } from './request-meaning.ts'

/** Nobody read this listing after a write; it follows from the one before and the contract. */
export interface DerivedListing {
  /** The recorded pages of the listing, in order, and those of its pages that is asked for. */
  readonly pages: readonly RecordedExchange[]
  readonly pageIndex: number
  /** The writes after it, in order. */
  readonly writes: readonly RecordedExchange[]
}

/** Parsed responses of the pages, and both bodies of the writes. */
export interface DerivedListingBodies {
  readonly pages: readonly unknown[]
  readonly writes: readonly { readonly requestText: string | null; readonly response: unknown }[]
}

/** Longer listings are not derived. */
const MAX_DERIVED_BYTES = 32 * 1024 * 1024

/** Plans from `doneWrites` (numbers); null if the contract does not say what one of them does. */
export function planDerivedListing(
  timeline: ReplayTimeline,
  meaning: RequestMeaning,
  doneWrites: ReadonlySet<number>,
): DerivedListing | null {
  if (meaning.endpoint?.id !== 'studySets.tree') return null
  // Only the listing as it stands keeps the order in which cards are moved.
  if (Object.keys(meaning.query).some((name) => !['limit', 'cursor'].includes(name))) return null
  const listingKey = meaning.listingKey ?? meaning.key
  const first = timeline.listEntries(listingKey).findLast(({ writesBefore, outcome }) => {
    return outcome === 'whole' && [...Array(writesBefore).keys()].every((number) => doneWrites.has(number))
  })
  if (first?.status !== 200) return null
  const pages = [first, ...listFollowingPages(timeline, listingKey, first)]
  const pageIndex = pages.findIndex(({ key }) => key === meaning.key)
  const byteCount = pages.reduce((sum, { exchange }) => sum + exchange.response.kept, 0)
  if (pageIndex < 0 || byteCount > MAX_DERIVED_BYTES) return null
  const numbers = [...doneWrites]
    .filter((number) => number >= first.writesBefore)
    .sort((first, second) => first - second)
  const concerning = numbers.filter((number) => timeline.isConcerned(number, meaning))
  const writes = concerning.flatMap((number) => timeline.writes[number]?.entry ?? [])
  if (!writes.every(isDerivable)) return null
  return {
    pages: pages.map(({ exchange }) => exchange),
    pageIndex,
    writes: writes.map(({ exchange }) => exchange),
  }
}

/** The pages that were read after the first one, before the listing was read anew or changed. */
function listFollowingPages(timeline: ReplayTimeline, listingKey: string, first: TimelineEntry): TimelineEntry[] {
  const later = timeline.entries.slice(first.index + 1)
  const end = later.findIndex(({ writesBefore, key }) => writesBefore !== first.writesBefore || key === listingKey)
  return later
    .slice(0, end < 0 ? later.length : end)
    .filter((entry) => entry.listingKey === listingKey && entry.outcome === 'whole')
}

const isDerivable = ({ endpoint, status, outcome }: TimelineEntry): boolean =>
  outcome === 'whole' && (status ?? 0) < 300 && hasForecast(endpoint?.id ?? '')

type Node = Record<string, unknown>

/** Members of cards whose values after a write follow from the contract or from the tree. */
const knownMembers: ReadonlySet<string> = new Set([
  'noteid',
  'parent',
  'depth',
  'childCount',
  'title',
  'colorIndex',
  'fillIndex',
  'subMapId',
  'folded',
])
/** Members that a write may set, if the listing has them. */
const settableMembers: ReadonlySet<string> = new Set(['title', 'colorIndex', 'fillIndex'])
/** Longer titles are cut in listings (observed-0.49 §5). */
const MAX_LISTED_TITLE_CHARS = 64

/** A moved branch comes last: the contract names no place. Null if the bodies do not suffice. */
export function deriveListing(
  { pageIndex, writes }: DerivedListing,
  bodies: DerivedListingBodies,
): Record<string, unknown> | null {
  const naming = new NodeIdNormalizer()
  const pages = bodies.pages.map((page) => naming.namePage(page)).filter(isObject)
  if (pages.length < bodies.pages.length || !isCompleteListing(pages)) return null
  const sizes = pages.map(({ nodes }) => (nodes as unknown[]).length)
  const listed = pages.flatMap((page) => page['nodes'] as Node[])
  let nodes = listed
  for (const [index, { row }] of writes.entries()) {
    const body = bodies.writes[index]
    if (!body || !isDoneCompletely(row.endpoint, body.response)) return null
    const changed = applyWrite(nodes, row.endpoint ?? '', getHostApiPath(row), body.requestText)
    if (changed === null) return null
    nodes = changed
  }
  const start = sizes.slice(0, pageIndex).reduce((sum, size) => sum + size, 0)
  const page = pages[pageIndex]
  const isLast = pageIndex === pages.length - 1
  const pageNodes = nodes.slice(start, isLast ? undefined : start + (sizes[pageIndex] ?? 0))
  // A page that lost its last card would have to be left out of the chain of cursors.
  if (!page || (pageNodes.length === 0 && pages.length > 1)) return null
  const { nodeTotal } = page
  const removedCount = listed.length - nodes.length
  return {
    ...page,
    ...(typeof nodeTotal === 'number' ? { nodeTotal: nodeTotal - removedCount } : {}),
    nodes: renameNodeIds(pageNodes, 'noteid', naming.member ?? 'noteid'),
  }
}

function isCompleteListing(pages: readonly Record<string, unknown>[]): boolean {
  return pages.every((page, index) => {
    const { nodes, walkLimitReached } = page
    if (!Array.isArray(nodes) || walkLimitReached === true) return false
    const hasNext = getNextCursor(page) !== null
    return (
      hasNext === index < pages.length - 1 &&
      nodes.every((node) => isObject(node) && typeof node['noteid'] === 'string')
    )
  })
}

/** Only a write that was done as it was asked for has the effect that the contract describes. */
function isDoneCompletely(endpointId: string | null, response: unknown): boolean {
  const outcome = findEndpointById(endpointId ?? '')?.outcome
  if (!outcome || getMember(response, 'persisted') !== true) return false
  const marks = [...outcome.partial, ...outcome.failure]
  return marks.every(({ pointer, test }) => {
    const [name = '', ...rest] = pointer.split('/').slice(1)
    const value = getMember(response, name)
    if (value === undefined) return true
    if (rest.length === 0) return test === 'false' ? value !== false : hasSome(value) === (test === 'none')
    const word = typeof test === 'object' && 'other' in test ? test.other : []
    const last = rest.at(-1) ?? ''
    return Array.isArray(value) && value.every((entry) => word.includes(String(getMember(entry, last))))
  })
}

const hasSome = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : Boolean(value))

function applyWrite(nodes: Node[], endpoint: string, path: string, body: string | null): Node[] | null {
  // The ids of copies, and the places of cards below merged ones, do not follow from the request.
  const rule = findEndpointById(endpoint)?.placement?.rule
  if (rule === 'copy' || rule === 'merge' || rule === 'subMap') return null
  const forecast = forecastWrite({ endpoint, path, body }, toForest(nodes))
  if (forecast === null) return null
  let result: Node[] | null = nodes
  for (const card of forecast.cards) {
    result = applyForecastCard(result, card)
    if (result === null) return null
  }
  return forecast.cards.every(({ kinds }) => kinds.length > 0) ? completeNodes(result) : null
}

function toForest(nodes: readonly Node[]): Forest {
  const builder = new ForestBuilder()
  for (const { noteid, parent, ...members } of nodes)
    builder.add(String(noteid), typeof parent === 'string' ? parent : '', JSON.stringify(members))
  return builder.build()
}

function applyForecastCard(nodes: Node[], { noteid, kinds, place, members }: ForecastCard): Node[] | null {
  const index = nodes.findIndex((node) => node['noteid'] === noteid)
  const node = nodes[index]
  if (!node || Object.keys(node).some((name) => !knownMembers.has(name))) return null
  if (kinds.includes('removed')) {
    const parent = node['parent']
    return nodes
      .filter((other) => other !== node)
      .map((other) => (other['parent'] === noteid ? { ...other, parent } : other))
  }
  for (const { name, change, after } of members) {
    const isListed = nodes.some((other) => name in other)
    if (!isListed && !knownMembers.has(name)) continue
    if (change !== 'set' || !(name in node) || !settableMembers.has(name)) return null
    if (name === 'title' && (typeof after !== 'string' || [...after].length > MAX_LISTED_TITLE_CHARS)) return null
  }
  const set = Object.fromEntries(members.flatMap(({ name, after }) => (name in node ? [[name, after]] : [])))
  const changed = { ...node, ...set }
  const replaced = nodes.map((other) => (other === node ? changed : other))
  return place === null ? replaced : moveBranch(replaced, index, place.after.noteid)
}

function moveBranch(nodes: readonly Node[], index: number, target: string): Node[] | null {
  const end = findBranchEnd(nodes, index)
  const branch = nodes.slice(index, end)
  const others = [...nodes.slice(0, index), ...nodes.slice(end)]
  const targetIndex = others.findIndex(({ noteid }) => noteid === target)
  const [root, ...below] = branch
  if (targetIndex < 0 || !root) return null
  others.splice(findBranchEnd(others, targetIndex), 0, { ...root, parent: target }, ...below)
  return others
}

/** The index after the last card below this one; in a listing they follow it. */
function findBranchEnd(nodes: readonly Node[], index: number): number {
  const ids = new Set([nodes[index]?.['noteid']])
  let end = index + 1
  while (end < nodes.length && ids.has(nodes[end]?.['parent'])) {
    ids.add(nodes[end]?.['noteid'])
    end += 1
  }
  return end
}

/** Sets the members that follow from the tree, where the listing has them. */
function completeNodes(nodes: readonly Node[]): Node[] {
  const depths = new Map<unknown, number>()
  const childCounts = new Map<unknown, number>()
  for (const { noteid, parent } of nodes) {
    depths.set(noteid, (depths.get(parent) ?? -1) + 1)
    childCounts.set(parent, (childCounts.get(parent) ?? 0) + 1)
  }
  return nodes.map((node) => ({
    ...node,
    ...('depth' in node ? { depth: depths.get(node['noteid']) ?? 0 } : {}),
    ...('childCount' in node ? { childCount: childCounts.get(node['noteid']) ?? 0 } : {}),
  }))
}
