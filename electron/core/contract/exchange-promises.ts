import type { Endpoint } from '../../../shared/bridge/endpoints/endpoint.ts'
import type { Basis } from '../../../shared/bridge/basis.ts'
import { getLimit, getLimitBasis, type HostLimits } from '../../../shared/bridge/host-limits.ts'
import { getMember, isObject } from '../../../shared/json/object.ts'
import { parsePointer, getValueAtPointer } from '../../../shared/json/pointer.ts'
import type { DeviationLog, NewDeviation } from './deviation-log.ts'
import type { JudgedExchange } from './judged-exchange.ts'

/** A response without its wrapper, and with its list in the place that the schema shows. */
export interface ResponseContent {
  /** Undefined if the response is no JSON. */
  readonly value: unknown
  /** Place of the value in the response as sent. */
  readonly trail: readonly string[]
  /** The list, if it was sent in another place; the steps lead to it from the value. */
  readonly movedMember: { readonly name: string; readonly steps: readonly string[] } | null
}

/** Returns where a value is in the response as sent. */
export function toSentTrail(
  { trail, movedMember }: ResponseContent,
  [name, ...steps]: readonly string[],
): readonly string[] {
  return [...trail, ...(name === undefined ? [] : movedMember?.name === name ? movedMember.steps : [name]), ...steps]
}

interface Scene {
  readonly id: string
  /** A parameter that occurs more than once has no value, because hosts read it differently. */
  readonly query: ReadonlyMap<string, string>
  readonly exchange: JudgedExchange
  /** As in `ResponseContent`. */
  readonly value: unknown
  readonly limits: HostLimits | null
  /** Adds a deviation whose trail begins at `value`. */
  readonly add: (deviation: NewDeviation) => void
}

/** Compares a response with its request and with the limits (spec §8, observed-0.49). */
export function judgePromises(
  {
    endpoint: { id },
    exchange,
    content,
    limits,
  }: {
    readonly endpoint: Endpoint
    readonly exchange: JudgedExchange
    readonly content: ResponseContent
    readonly limits: HostLimits | null
  },
  log: DeviationLog,
): void {
  const queryStart = exchange.path.indexOf('?')
  const query = new Map<string, string>()
  for (const [name, text] of new URLSearchParams(queryStart < 0 ? '' : exchange.path.slice(queryStart + 1)))
    query.set(name, query.has(name) ? '' : text)
  const add = ({ trail, ...deviation }: NewDeviation): void =>
    log.add({ ...deviation, trail: toSentTrail(content, trail) })
  const scene: Scene = { id, query, exchange, value: content.value, limits, add }
  judges[id]?.(scene)
  judgeEcho(scene)
  judgeVersion(scene, log)
}

const judges: Readonly<Record<string, (scene: Scene) => void>> = {
  'studySets.tree': judgeTree,
  'studySets.palette': judgePaletteCount,
  'documents.excerpts': judgeExcerptCount,
  'documents.pages': (scene) => judgeListLength(scene, 'pages', countRequestedPages(scene.query)),
  'documents.tocCandidates': judgeScannedPages,
  'notes.batchGet': (scene) => {
    const noteIds = getMember(scene.exchange.requestBody, 'noteIds')
    judgeListLength(scene, 'items', Array.isArray(noteIds) ? noteIds.length : null, 'noteIds')
  },
  'sync.events': (scene) => judgeListLength(scene, 'events', readInteger(scene.query, 'limit'), 'limit'),
  'writing.pencilResult': judgeFinishedCommit,
  'notes.content': judgeImageEdge,
  'documents.pageContent': judgeImageEdge,
}

/** Returns null for an absent value, and for one that hosts may read differently. */
function readInteger(query: Scene['query'], name: string): number | null {
  const text = query.get(name) ?? ''
  return /^\d{1,9}$/.test(text) ? Number(text) : null
}

function countRequestedPages(query: Scene['query']): number | null {
  const [start, end] = [readInteger(query, 'start'), readInteger(query, 'end')]
  return start === null || end === null || end < start ? null : end - start + 1
}

function getList(value: unknown, member: string): readonly unknown[] | null {
  const list = getMember(value, member)
  return Array.isArray(list) ? list : null
}

/** @param requested the number of entries that the request asked for; null if it is unknown */
function judgeListLength(
  { id, value, limits, add }: Scene,
  member: string,
  requested: number | null,
  limitName = member,
): void {
  const list = getList(value, member)
  if (list === null) return
  const limit = getLimit(limits, id, limitName)
  judgeCount(add, [member], list.length, {
    max: limit.max,
    maxBasis: getLimitBasis(id, limitName, limit.sources.max),
    requested: keepInRange(requested, limit),
    requestBasis: 'observed',
  })
}

/** A host may refuse, correct or ignore a number outside its limits, so it promises nothing. */
const keepInRange = (
  requested: number | null,
  { min, max }: { readonly min: number | null; readonly max: number | null },
): number | null =>
  requested === null || requested < (min ?? requested) || requested > (max ?? requested) ? null : requested

function judgeCount(
  add: Scene['add'],
  trail: readonly string[],
  count: number,
  {
    max,
    maxBasis,
    requested,
    requestBasis,
    unit = '',
  }: {
    readonly max: number | null
    readonly maxBasis: Basis
    /** Null if the request asked for no number. */
    readonly requested: number | null
    readonly requestBasis: Basis
    readonly unit?: string
  },
): void {
  const toText = (bound: number): string => `≤ ${bound}${unit}`
  const actual = `${count}${unit}`
  if (max !== null && count > max)
    add({ kind: 'limit-exceeded', basis: maxBasis, trail, expected: toText(max), actual })
  else if (requested !== null && count > requested)
    add({ kind: 'broken-promise', basis: requestBasis, trail, expected: toText(requested), actual })
}

function judgeTree(scene: Scene): void {
  const { id, value, query, limits, add } = scene
  const nodes = getList(value, 'nodes')
  if (nodes === null || !isObject(value)) return
  const limit = getLimit(limits, id, 'limit')
  const sentLimit = keepInRange(readInteger(query, 'limit'), limit)
  // An older host sends everything in one page, and has neither a limit nor counts.
  const isPaged =
    sentLimit !== null || ['nextCursor', 'nodeTotal', 'truncated'].some((name) => Object.hasOwn(value, name))
  const requested = query.has('limit') ? sentLimit : limit.default
  const maxBasis = getLimitBasis(id, 'limit', limit.sources.max)
  if (isPaged) judgeCount(add, ['nodes'], nodes.length, { max: limit.max, maxBasis, requested, requestBasis: 'spec' })
  // A page that counts, or that says that it is the last, is one that the spec shows whole.
  const isShownWhole = value['nextCursor'] === null || PAGE_MEMBERS.some((name) => Object.hasOwn(value, name))
  for (const name of isShownWhole ? ['topicid', 'nextCursor', ...PAGE_MEMBERS] : [])
    if (!Object.hasOwn(value, name)) add({ kind: 'missing', basis: 'spec', trail: [name] })
  const hasMore =
    (typeof value['nextCursor'] === 'string' && value['nextCursor'] !== '') || value['walkLimitReached'] === true
  if (hasMore && value['truncated'] === false) add(UNTRUE_TRUNCATED)
  if (query.get('sort') === 'document') {
    for (const name of ['docPage', 'docBookmd5'])
      for (const node of nodes)
        if (isObject(node) && !Object.hasOwn(node, name))
          add({ kind: 'missing', basis: 'spec', trail: ['nodes', '*', name] })
  } else if (value['sort'] !== undefined && query.get('sort') !== '')
    add({ kind: 'broken-promise', basis: 'spec', trail: ['sort'], actual: String(value['sort']), value: value['sort'] })
}

/** The response says that it is complete, and shows that it is not. */
const UNTRUE_TRUNCATED: NewDeviation = {
  kind: 'broken-promise',
  basis: 'spec',
  trail: ['truncated'],
  expected: 'true',
  actual: 'false',
  value: false,
}

/** The members that count, besides the cursor (spec §2 Mind-map tree). */
const PAGE_MEMBERS = ['nodeTotal', 'truncation', 'walkLimitReached', 'truncated'] as const

function judgeScannedPages({ id, value, limits, add }: Scene): void {
  const count = getMember(value, 'pagesScanned')
  const limit = getLimit(limits, id, 'pages')
  const maxBasis = getLimitBasis(id, 'pages', limit.sources.max)
  if (typeof count === 'number')
    judgeCount(add, ['pagesScanned'], count, { max: limit.max, maxBasis, requested: null, requestBasis: 'observed' })
}

function judgePaletteCount({ value, add }: Scene): void {
  const colors = getList(value, 'colors')
  const count = getMember(value, 'count')
  if (colors !== null && typeof count === 'number' && count !== colors.length)
    add({
      kind: 'broken-promise',
      basis: 'spec',
      trail: ['count'],
      expected: String(colors.length),
      actual: String(count),
      value: count,
    })
}

/** `truncated` is true if the document has more excerpts than the list holds. */
function judgeExcerptCount({ value, query, add }: Scene): void {
  const items = getList(value, 'items')
  const total = getMember(value, 'total')
  if (items === null || typeof total !== 'number' || query.size > 0) return
  if (total > items.length && getMember(value, 'truncated') === false) add(UNTRUE_TRUNCATED)
}

function judgeImageEdge({ id, exchange: { imageSize }, query, limits, add }: Scene): void {
  if (imageSize === null) return
  const limit = getLimit(limits, id, 'maxEdge')
  const edge = Math.max(imageSize.width, imageSize.height)
  // A text that is no plain number may be read in several ways.
  const requested = query.has('maxEdge') ? keepInRange(readInteger(query, 'maxEdge'), limit) : limit.default
  const maxBasis = getLimitBasis(id, 'maxEdge', limit.sources.max)
  judgeCount(add, [], edge, { max: limit.max, maxBasis, requested, requestBasis: 'spec', unit: ' px' })
}

/** Callers read these members once the commit is settled (spec §4 pencil-result). */
function judgeFinishedCommit({ value, add }: Scene): void {
  if (getMember(value, 'settled') !== true || !isObject(value)) return
  for (const name of ['outcome', 'persistedSnapshotVerified', 'snapshotCurrent'])
    if (!Object.hasOwn(value, name)) add({ kind: 'missing', basis: 'spec', trail: [name] })
}

/** Observed hosts sent numbers with dots; the spec does not show the format (§9). */
function judgeVersion({ exchange: { body }, value, add }: Scene, log: DeviationLog): void {
  if (value === undefined) return
  // A wrapper may have the version beside it.
  const outerVersion = body.kind === 'json' ? getMember(body.value, 'bridgeApiVersion') : undefined
  const version = outerVersion ?? getMember(value, 'bridgeApiVersion')
  if (typeof version !== 'string' || /^v?\d/.test(version)) return
  const deviation: NewDeviation = {
    kind: 'unknown-value',
    basis: 'observed',
    trail: ['bridgeApiVersion'],
    expected: '0.91, 1.0…',
    actual: JSON.stringify(version),
    value: version,
  }
  if (outerVersion === undefined) add(deviation)
  else log.add(deviation)
}

/** Members of the request that the acknowledgement repeats (spec §2). */
const ECHOED_POINTERS: Readonly<Record<string, readonly string[]>> = {
  'writing.pencilCommit': ['/surfaceId', '/requestId'],
  'writing.sessionFocusBegin': ['/requestId', '/runId'],
  'writing.sessionReserve': ['/requestId', '/runId'],
  'writing.sessionPause': ['/requestId', '/runId'],
}

function judgeEcho({ id, exchange: { requestBody }, value, add }: Scene): void {
  for (const pointer of Object.hasOwn(ECHOED_POINTERS, id) ? (ECHOED_POINTERS[id] ?? []) : []) {
    const [requested, echoed] = [getValueAtPointer(requestBody, pointer), getValueAtPointer(value, pointer)]
    if (typeof requested !== 'string' || typeof echoed !== 'string' || requested === echoed) continue
    add({
      kind: 'broken-promise',
      basis: 'spec',
      trail: parsePointer(pointer),
      expected: requested,
      actual: echoed,
      value: echoed,
    })
  }
}
