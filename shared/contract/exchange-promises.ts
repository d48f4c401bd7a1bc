import type { Endpoint } from '../bridge/endpoints/endpoint.ts'
import { getLimit, type HostLimits } from '../bridge/host-limits.ts'
import { getMember, isObject } from '../json/object.ts'
import { parsePointer, getValueAtPointer } from '../json/pointer.ts'
import type { DeviationLog } from './deviation-log.ts'
import type { JudgedExchange } from './judged-exchange.ts'

/** The endpoint of an exchange, with what is needed to compare request and response. */
interface Scene {
  readonly id: string
  /** A parameter that occurs more than once has no value, because hosts read it differently. */
  readonly query: ReadonlyMap<string, string>
  readonly exchange: JudgedExchange
  /** The body of the response; undefined if it is no JSON. */
  readonly value: unknown
  readonly limits: HostLimits | null
  readonly log: DeviationLog
}

/** Compares a response with its request and with the limits (spec §8, observed-0.49). */
export function judgePromises(
  { id }: Endpoint,
  exchange: JudgedExchange,
  limits: HostLimits | null,
  log: DeviationLog,
): void {
  const queryStart = exchange.path.indexOf('?')
  const query = new Map<string, string>()
  for (const [name, text] of new URLSearchParams(queryStart < 0 ? '' : exchange.path.slice(queryStart + 1)))
    query.set(name, query.has(name) ? '' : text)
  const value = exchange.body.kind === 'json' ? exchange.body.value : undefined
  const scene: Scene = { id, query, exchange, value, limits, log }
  judges[id]?.(scene)
  judgeEcho(scene)
  judgeVersion(scene)
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
  { id, value, limits, log }: Scene,
  member: string,
  requested: number | null,
  limitName = member,
): void {
  const list = getList(value, member)
  if (list === null) return
  const { max } = getLimit(limits, id, limitName)
  judgeCount(log, [member], list.length, { max, requested })
}

function judgeCount(
  log: DeviationLog,
  trail: readonly string[],
  count: number,
  {
    max,
    requested,
    unit = '',
  }: { readonly max: number | null; readonly requested: number | null; readonly unit?: string },
): void {
  const toText = (bound: number): string => `≤ ${bound}${unit}`
  const actual = `${count}${unit}`
  if (max !== null && count > max) log.add({ kind: 'limit-exceeded', trail, expected: toText(max), actual })
  else if (requested !== null && count > requested)
    log.add({ kind: 'broken-promise', trail, expected: toText(requested), actual })
}

function judgeTree(scene: Scene): void {
  const { id, value, query, limits, log } = scene
  const nodes = getList(value, 'nodes')
  if (nodes === null || !isObject(value)) return
  const limit = getLimit(limits, id, 'limit')
  const requested = readInteger(query, 'limit')
  // An older host sends everything in one page, and has neither a limit nor counts.
  const isPaged =
    requested !== null || ['nextCursor', 'nodeTotal', 'truncated'].some((name) => Object.hasOwn(value, name))
  if (isPaged) judgeCount(log, ['nodes'], nodes.length, { max: limit.max, requested: requested ?? limit.default })
  const hasMore =
    (typeof value['nextCursor'] === 'string' && value['nextCursor'] !== '') || value['walkLimitReached'] === true
  if (hasMore && value['truncated'] === false)
    log.add({ kind: 'broken-promise', trail: ['truncated'], expected: 'true', actual: 'false', value: false })
  if (query.get('sort') === 'document') {
    for (const name of ['docPage', 'docBookmd5'])
      for (const node of nodes)
        if (isObject(node) && !Object.hasOwn(node, name)) log.add({ kind: 'missing', trail: ['nodes', '*', name] })
  } else if (value['sort'] !== undefined)
    log.add({ kind: 'broken-promise', trail: ['sort'], actual: String(value['sort']), value: value['sort'] })
}

function judgeScannedPages({ id, value, limits, log }: Scene): void {
  const count = getMember(value, 'pagesScanned')
  const { max } = getLimit(limits, id, 'pages')
  if (typeof count === 'number') judgeCount(log, ['pagesScanned'], count, { max, requested: null })
}

function judgePaletteCount({ value, log }: Scene): void {
  const colors = getList(value, 'colors')
  const count = getMember(value, 'count')
  if (colors !== null && typeof count === 'number' && count !== colors.length)
    log.add({
      kind: 'broken-promise',
      trail: ['count'],
      expected: String(colors.length),
      actual: String(count),
      value: count,
    })
}

/** `truncated` is true if the document has more excerpts than the list holds. */
function judgeExcerptCount({ value, query, log }: Scene): void {
  const items = getList(value, 'items')
  const total = getMember(value, 'total')
  if (items === null || typeof total !== 'number' || query.size > 0) return
  if (total > items.length && getMember(value, 'truncated') === false)
    log.add({ kind: 'broken-promise', trail: ['truncated'], expected: 'true', actual: 'false', value: false })
}

function judgeImageEdge({ id, exchange: { imageSize }, query, limits, log }: Scene): void {
  if (imageSize === null) return
  const limit = getLimit(limits, id, 'maxEdge')
  const edge = Math.max(imageSize.width, imageSize.height)
  // A text that is no plain number may be read in several ways.
  const requested = query.has('maxEdge') ? readInteger(query, 'maxEdge') : limit.default
  judgeCount(log, [], edge, { max: limit.max, requested, unit: ' px' })
}

/** The contract shows numbers with dots; any of them may be right (spec §9). */
function judgeVersion({ value, log }: Scene): void {
  const version = getMember(value, 'bridgeApiVersion')
  if (typeof version === 'string' && !/^v?\d/.test(version))
    log.add({
      ...{ kind: 'unknown-value', trail: ['bridgeApiVersion'], expected: '0.91, 1.0…' },
      ...{ actual: JSON.stringify(version), value: version },
    })
}

/** Members of the request that the acknowledgement repeats (spec §2). */
const ECHOED_POINTERS: Readonly<Record<string, readonly string[]>> = {
  'writing.pencilCommit': ['/surfaceId', '/requestId', '/target/topicid', '/target/noteid', '/target/layerId'],
  'writing.sessionFocusBegin': ['/requestId', '/runId'],
  'writing.sessionReserve': ['/requestId', '/runId'],
  'writing.sessionPause': ['/requestId', '/runId'],
}

function judgeEcho({ id, exchange: { requestBody }, value, log }: Scene): void {
  for (const pointer of Object.hasOwn(ECHOED_POINTERS, id) ? (ECHOED_POINTERS[id] ?? []) : []) {
    const [requested, echoed] = [getValueAtPointer(requestBody, pointer), getValueAtPointer(value, pointer)]
    if (typeof requested !== 'string' || typeof echoed !== 'string' || requested === echoed) continue
    log.add({
      kind: 'broken-promise',
      trail: parsePointer(pointer),
      expected: requested,
      actual: echoed,
      value: echoed,
    })
  }
}
