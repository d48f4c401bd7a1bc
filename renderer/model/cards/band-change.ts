import { errorCodeOf } from '../../../shared/bridge/errors.ts'
import { decodePercent, listPlaceholders, matchPathTemplate } from '../../../shared/bridge/endpoints/path-template.ts'
import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'
import type { Operation } from '../../../shared/ipc/operations.ts'
import { getMember } from '../../../shared/json/object.ts'
import { type OperationEvent, unacceptedStates } from '../../../shared/operations/operation-events.ts'
import { parseBodyText, type PreparedWrite } from '../../../shared/operations/prepared-write.ts'
import { parseBandList, toBand, type BandView } from './bands.ts'

export interface BandState {
  /** Null if the host sent the card without a list of bands. */
  readonly bands: readonly BandView[] | null
  /** From an independent `read`, the write's `response`, or its unconfirmed `request`. */
  readonly source: 'read' | 'response' | 'request'
  /** Epoch milliseconds; null for a request. */
  readonly timestamp: number | null
}

export interface BandChange {
  /** Null if the bands were not read before the write. */
  readonly before: BandState | null
  readonly after: BandState
}

export type BandMark = 'added' | 'removed' | 'changed' | 'moved'

export function addsBands(endpointId: string): boolean {
  const effect = findEndpointById(endpointId)?.effect
  return effect?.rule === 'added' && effect.readBackPointer === '/bands'
}

/** The id of the card to which a prepared write adds a band; null if it adds none. */
export function findCardOfNewBand({ endpoint, path }: Pick<PreparedWrite, 'endpoint' | 'path'>): string | null {
  const row = findEndpointById(endpoint)
  if (!row || !addsBands(endpoint)) return null
  const index = listPlaceholders(row.path).indexOf('noteid')
  const value = matchPathTemplate(row.path, path.split('?', 1)[0] ?? '')?.[index]
  return value === undefined ? null : decodePercent(value)
}

/** The bands after a write that appends one, as the body of the request asks for it. */
export function appendRequestedBand(bands: readonly BandView[] | null, body: string | null): BandState {
  const requested = toBand(parseBodyText(body), bands?.length ?? 0)
  return { bands: [...(bands ?? []), requested], source: 'request', timestamp: null }
}

/**
 * Finds how a write changed the bands of a card: what was read before it and what the host reports
 * after it. An independent read that lists any takes precedence over the response to the write.
 * @returns null if the write neither adds bands nor changed any, as far as was read
 */
export function findBandChange({ summary, body, events }: Operation): BandChange | null {
  const before = findReadState(events, 'before')
  const readAfter = findReadState(events, 'after')
  if (!addsBands(summary.endpoint)) {
    const isChanged = before && readAfter && JSON.stringify(before.bands) !== JSON.stringify(readAfter.bands)
    return isChanged ? { before, after: readAfter } : null
  }
  if (unacceptedStates.has(summary.state)) return null
  const readList = (readAfter?.bands ?? []).length > 0 ? readAfter : null
  const after =
    readList ?? findResponseState(events, before) ?? readAfter ?? appendRequestedBand(before?.bands ?? null, body)
  return { before, after }
}

function findReadState(events: readonly OperationEvent[], when: 'before' | 'after'): BandState | null {
  const event = events.findLast(
    (candidate) => candidate.kind === 'read-back' && candidate.when === when && candidate.error === null,
  )
  // Facts that were too long to record have no members.
  if (event?.kind !== 'read-back' || getMember(event.facts, 'exists') !== true) return null
  return { bands: parseBandList(getMember(event.facts, 'bands')), source: 'read', timestamp: event.at }
}

function findResponseState(events: readonly OperationEvent[], before: BandState | null): BandState | null {
  const event = events.find(({ kind }) => kind === 'answer')
  if (event?.kind !== 'answer' || event.status < 200 || event.status > 299 || errorCodeOf(event.body) !== null)
    return null
  const listed = parseBandList(getMember(event.body, 'bands'))
  const created = getMember(event.body, 'band')
  if (listed === null && created === undefined) return null
  const earlier = before?.bands ?? []
  const bands = listed ?? [...earlier, toBand(created, earlier.length)]
  return { bands, source: 'response', timestamp: event.at }
}

/** Bands are the same if they have the same id or, without ids, the same sequence number. */
export function compareBands(before: readonly BandView[], after: readonly BandView[]) {
  const marks = { before: new Map<number, BandMark>(), after: new Map<number, BandMark>() }
  const [left, right] = [mapByKey(before), mapByKey(after)]
  const leftPositions = mapPositions([...left.keys()].filter((key) => right.has(key)))
  const rightPositions = mapPositions([...right.keys()].filter((key) => left.has(key)))
  for (const [key, { index }] of left) if (!right.has(key)) marks.before.set(index, 'removed')
  for (const [key, band] of right) {
    const earlier = left.get(key)
    if (!earlier) marks.after.set(band.index, 'added')
    else if (JSON.stringify({ ...earlier, index: 0 }) !== JSON.stringify({ ...band, index: 0 }))
      marks.after.set(band.index, 'changed')
    else if (leftPositions.get(key) !== rightPositions.get(key)) marks.after.set(band.index, 'moved')
  }
  return marks
}

const mapByKey = (bands: readonly BandView[]): ReadonlyMap<string, BandView> =>
  new Map(
    bands.map((band) => [band.physicalNoteId ?? (band.seq === null ? `at ${band.index}` : `seq ${band.seq}`), band]),
  )

const mapPositions = (keys: readonly string[]): ReadonlyMap<string, number> =>
  new Map(keys.map((key, position) => [key, position]))
