import { inspectPart } from '../model/answers/misfits.ts'
import { member } from '../../shared/json/object.ts'
import { sentPlace } from '../../shared/bridge/read-answer.ts'
import { noteItemSchema, type BatchGet, type NoteItem } from '../../shared/bridge/resources/notes.ts'
import { toPointer } from '../../shared/json/pointer.ts'
import type { AppError } from '../../shared/errors.ts'
import type { Finding } from '../../shared/json/findings.ts'
import { elementText, listSteps } from '../../shared/json/elements.ts'
import { decodeUtf8 } from '../../shared/json/inspect.ts'
import { unfit, type Answer } from './read.ts'

/** What a batch said about one id: the card, or that there is none. */
export interface Found {
  /** As the host sent it, in whatever shape beyond id and title. Null = requested, but not among the items. */
  readonly item: NoteItem | null
  /** Index among the usable items; -1 if it is not among them. */
  readonly index: number
  readonly answer: Answer<BatchGet>
}

/** Details of one card in a batch, computed when it is shown, not for every row of a list. */
interface CardDetails {
  /** The card's exact JSON text; null if it can't be cut out of the answer reliably. */
  readonly source: string | null
  readonly findings: readonly Finding[]
  readonly findingTotal: number
  readonly conforms: boolean
}

/**
 * What an answer to `POST /notes/batch-get` says about each requested id. Ids are compared as written, then case-insensitively. If an entry
 * of the answer could not be used, nothing is known about an id missing from the others: it may be that entry.
 */
export function cardsById(answer: Answer<BatchGet>, ids: readonly string[]): Map<string, Found | AppError> {
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
      const unknown = index < 0 && answer.left > 0
      return [
        id,
        unknown ? unfit(answer.meta, answer.findings, answer.raw) : { item: items[index] ?? null, index, answer },
      ]
    }),
  )
}

const details = new WeakMap<Found, CardDetails>()

/** The exact text of a card and everything to report about it. */
export function detailsOf(found: Found): CardDetails {
  const known = details.get(found)
  if (known) return known
  const made = examine(found)
  details.set(found, made)
  return made
}

function examine({ item, index, answer }: Found): CardDetails {
  const whole = besideCards(answer)
  if (item === null) return { source: null, findings: whole, findingTotal: whole.length, conforms: answer.conforms }
  const place = sentPlace(answer.lists, 'items', index)
  const cut = elementText(decodeUtf8(new Uint8Array(answer.raw)).text, place.member, place.at)
  const sent = cut === null ? null : inspectPart(noteItemSchema, cut)
  // If `items` occurs twice in an answer, the text may be another card's.
  const own = sent !== null && member(sent.value, 'noteid') === item.noteid
  const { findings, findingTotal, conforms } = own ? sent : inspectPart(noteItemSchema, JSON.stringify(item))
  return {
    source: own ? cut : null,
    findings: [...whole, ...findings],
    findingTotal: whole.length + findingTotal,
    conforms,
  }
}

/** What is to be reported about a batch apart from its cards. */
function besideCards({ findings, lists }: Answer<BatchGet>): Finding[] {
  const { member: own = 'items', parts = [] } = lists['items'] ?? {}
  const cards = [own, ...parts.map((part) => part.member)].map((list) => `${toPointer(listSteps(list))}/`)
  return findings.filter((one) => !('path' in one && cards.some((list) => one.path.startsWith(list))))
}
