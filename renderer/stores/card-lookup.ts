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

/** What a batch said about one id: the card, or that there is none. */
export interface CardLookup {
  /** As the host sent it, in whatever shape beyond id and title. Null = requested, but not among the items. */
  readonly item: NoteItem | null
  /** Index among the usable items; -1 if it is not among them. */
  readonly index: number
  readonly response: HostResponse<BatchGetResponse>
}

/** Details of one card in a batch, computed when it is shown, not for every row of a list. */
interface CardDetails {
  /** The card's exact JSON text; null if it can't be cut out of the answer reliably. */
  readonly source: string | null
  readonly findings: readonly JsonFinding[]
  readonly findingTotal: number
  readonly conforms: boolean
}

/**
 * What an answer to `POST /notes/batch-get` says about each requested id. Ids are compared as written, then case-insensitively. If an entry
 * of the answer could not be used, nothing is known about an id missing from the others: it may be that entry.
 */
export function mapCardsById(
  answer: HostResponse<BatchGetResponse>,
  ids: readonly string[],
): Map<string, CardLookup | AppError> {
  const { items } = answer.value
  const exact = new Map<string, number>()
  const folded = new Map<string, number>()
  items.forEach(({ noteid }, index) => {
    if (!exact.has(noteid)) exact.set(noteid, index)
    if (!folded.has(noteid.toUpperCase())) folded.set(noteid.toUpperCase(), index)
  })
  return new Map(
    ids.map((id) => {
      const index = exact.get(id) ?? folded.get(id.toUpperCase()) ?? -1
      const unknown = index < 0 && answer.omittedCount > 0
      return [
        id,
        unknown
          ? createUnusableResponseError(answer.meta, answer.findings, answer.raw)
          : { item: items[index] ?? null, index, response: answer },
      ]
    }),
  )
}

const details = new WeakMap<CardLookup, CardDetails>()

/** The exact text of a card and everything to report about it. */
export function getCardDetails(found: CardLookup): CardDetails {
  const known = details.get(found)
  if (known) return known
  const made = examine(found)
  details.set(found, made)
  return made
}

function examine({ item, index, response: answer }: CardLookup): CardDetails {
  const whole = besideCards(answer)
  if (item === null) return { source: null, findings: whole, findingTotal: whole.length, conforms: answer.conforms }
  const place = locateSentEntry(answer.lists, 'items', index)
  const cut = getElementText(decodeUtf8(new Uint8Array(answer.raw)).text, place.member, place.index)
  const sent = cut === null ? null : inspectResponsePart(noteItemSchema, cut)
  // If `items` occurs twice in an answer, the text may be another card's.
  const own = sent !== null && getMember(sent.value, 'noteid') === item.noteid
  const { findings, findingTotal, conforms } = own ? sent : inspectResponsePart(noteItemSchema, JSON.stringify(item))
  return {
    source: own ? cut : null,
    findings: [...whole, ...findings],
    findingTotal: whole.length + findingTotal,
    conforms,
  }
}

/** What is to be reported about a batch apart from its cards. */
function besideCards({ findings, lists }: HostResponse<BatchGetResponse>): JsonFinding[] {
  const { member: own = 'items', parts = [] } = lists['items'] ?? {}
  const cards = [own, ...parts.map((part) => part.member)].map((list) => `${toPointer(parseListPath(list))}/`)
  return findings.filter((one) => !('path' in one && cards.some((list) => one.path.startsWith(list))))
}
