import { inspectResponsePart } from '../model/responses/schema-violations.ts'
import { getMember } from '../../shared/json/object.ts'
import { locateSentEntry } from '../../shared/bridge/response-reading.ts'
import { noteItemSchema, type BatchGetResponse, type NoteItem } from '../../shared/bridge/resources/notes.ts'
import { toPointer } from '../../shared/json/pointer.ts'
import type { AppError } from '../../shared/errors.ts'
import type { JsonFinding } from '../../shared/json/findings.ts'
import { getElementText, parseListPath } from '../../shared/json/list-elements.ts'
import { decodeUtf8 } from '../../shared/json/inspection.ts'
import { createUnusableResponseError, type HostResponse } from './host-read.ts'

/** The part of a batch response that belongs to one requested id. */
export interface CardLookup {
  /**
   * The card as the host sent it; only id and title were checked. Null if the response does not
   * contain the card.
   */
  readonly item: NoteItem | null
  /** Index of the card in the valid items; -1 if the card is not one of them. */
  readonly index: number
  readonly response: HostResponse<BatchGetResponse>
}

/** Computed when the card is shown, and not for every row of a list. */
interface CardDetails {
  /**
   * The exact JSON text of the card; null if the text cannot be located reliably in the response.
   */
  readonly source: string | null
  readonly findings: readonly JsonFinding[]
  readonly findingTotal: number
  readonly conforms: boolean
}

/**
 * Looks up each requested id in a response to `POST /notes/batch-get`. Ids are compared exactly,
 * then ignoring case. If the response has an invalid entry, a missing card may be that entry, so
 * the id maps to an error instead of "no such card".
 */
export function mapCardsById(
  response: HostResponse<BatchGetResponse>,
  ids: readonly string[],
): Map<string, CardLookup | AppError> {
  const { items } = response.value
  const exact = new Map<string, number>()
  const caseInsensitive = new Map<string, number>()
  items.forEach(({ noteid }, index) => {
    if (!exact.has(noteid)) exact.set(noteid, index)
    if (!caseInsensitive.has(noteid.toUpperCase())) caseInsensitive.set(noteid.toUpperCase(), index)
  })
  return new Map(
    ids.map((id) => {
      const index = exact.get(id) ?? caseInsensitive.get(id.toUpperCase()) ?? -1
      const isUnknown = index < 0 && response.omittedCount > 0
      return [
        id,
        isUnknown
          ? createUnusableResponseError(response.meta, response.findings, response.raw)
          : { item: items[index] ?? null, index, response },
      ]
    }),
  )
}

const cachedDetails = new WeakMap<CardLookup, CardDetails>()

export function getCardDetails(lookup: CardLookup): CardDetails {
  const cached = cachedDetails.get(lookup)
  if (cached) return cached
  const details = examineCard(lookup)
  cachedDetails.set(lookup, details)
  return details
}

function examineCard({ item, index, response }: CardLookup): CardDetails {
  const batchFindings = getBatchFindings(response)
  const batchTotal = batchFindings.filter(({ kind }) => kind !== 'observed').length
  if (item === null)
    return { source: null, findings: batchFindings, findingTotal: batchTotal, conforms: response.conforms }
  const position = locateSentEntry(response.lists, 'items', index)
  const text = getElementText(decodeUtf8(new Uint8Array(response.raw)).text, position.member, position.index)
  const inspection = text === null ? null : inspectResponsePart(noteItemSchema, text)
  // If `items` occurs twice in a response, the text may belong to a different card.
  const isOwnText = inspection !== null && getMember(inspection.value, 'noteid') === item.noteid
  const { findings, findingTotal, conforms } = isOwnText
    ? inspection
    : inspectResponsePart(noteItemSchema, JSON.stringify(item))
  return {
    source: isOwnText ? text : null,
    findings: [...batchFindings, ...findings],
    findingTotal: batchTotal + findingTotal,
    conforms,
  }
}

/** Findings about the batch, without those about its cards. */
function getBatchFindings({ findings, lists }: HostResponse<BatchGetResponse>): JsonFinding[] {
  const { member = 'items', parts = [] } = lists['items'] ?? {}
  const cardPointers = [member, ...parts.map((part) => part.member)].map((list) => `${toPointer(parseListPath(list))}/`)
  return findings.filter(
    (finding) => !('path' in finding && cardPointers.some((list) => finding.path.startsWith(list))),
  )
}
