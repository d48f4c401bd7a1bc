import { misfits, readOtherwise } from '../../model/answers/misfits.ts'
import { member } from '../../../shared/json/object.ts'
import { sentPlace } from '../../../shared/bridge/read-answer.ts'
import { noteItemSchema, type BatchGet, type NoteItem } from '../../../shared/bridge/resources/notes.ts'
import { salvage } from '../../../shared/bridge/salvage.ts'
import type { AppError } from '../../../shared/errors.ts'
import type { Finding } from '../../../shared/json/findings.ts'
import { decodeUtf8, inspectJson } from '../../../shared/json/inspect.ts'
import { elementText } from '../../model/json/slice.ts'
import { unfit, type Answer } from '../read.ts'

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
  const whole = answer.findings.filter(({ kind }) => kind === 'bom' || kind === 'invalid-utf8')
  if (item === null) return { source: null, findings: whole, findingTotal: whole.length, conforms: answer.conforms }
  const place = sentPlace(answer.lists, 'items', index)
  const cut = elementText(decodeUtf8(new Uint8Array(answer.raw)).text, place.member, place.at)
  const inspected = cut === null ? null : inspectJson(new TextEncoder().encode(cut))
  // If `items` occurs twice in an answer, the text may be another card's.
  const own = inspected?.ok === true && member(inspected.value, 'noteid') === item.noteid
  const { problems, total, readAs } = salvage(noteItemSchema, own ? inspected.value : item)
  const differences = misfits(problems, own && cut !== null ? cut : JSON.stringify(item))
  const findings = [...whole, ...(own ? inspected.findings : []), ...differences, ...readOtherwise(readAs)]
  return {
    source: own ? cut : null,
    findings,
    findingTotal: whole.length + (own ? inspected.findingTotal : 0) + total + readAs.length,
    conforms: total === 0,
  }
}
