import { noteItemSchema, type BatchGet, type NoteItem } from '../../../shared/bridge/resources/notes.ts'
import { AppError } from '../../../shared/errors.ts'
import type { AnswerMeta } from '../../../shared/ipc/bridge.ts'
import type { Finding } from '../../../shared/json/findings.ts'
import { decodeUtf8, inspectJson } from '../../../shared/json/inspect.ts'
import { elementText } from '../../../shared/tree/slice.ts'
import type { Answer } from '../read.ts'

/** What a batch said of one id: the card, or that there is none. */
export interface Found {
  /** As the host sent it; it may differ from the contract. Null = asked for, and not among the items. */
  readonly item: NoteItem | null
  /** Place among the items of the answer; -1 where it is not among them. */
  readonly index: number
  readonly answer: Answer<BatchGet>
}

/** A closer look at one card of a batch, made when it is shown and not for every row of a list. */
export interface CardDetails {
  /** The card's exact JSON text; null where it cannot be cut out of the answer with certainty. */
  readonly source: string | null
  readonly findings: readonly Finding[]
  readonly findingTotal: number
  readonly conforms: boolean
}

/**
 * What an answer of `POST /notes/batch-get` says of each id that was asked for. Ids are compared as written, then without
 * regard to case. Throws a `malformed` error where the answer holds no items at all: that no card is there would be a lie.
 */
export function takeApart(answer: Answer<BatchGet>, ids: readonly string[]): Map<string, Found> {
  const items: unknown = (answer.value as Partial<BatchGet> | null)?.items
  if (!Array.isArray(items)) throw noItems(answer.meta)
  const exact = new Map<string, number>()
  const folded = new Map<string, number>()
  items.forEach((item: unknown, index) => {
    const noteid = typeof item === 'object' && item !== null ? (Reflect.get(item, 'noteid') as unknown) : undefined
    if (typeof noteid !== 'string') return
    if (!exact.has(noteid)) exact.set(noteid, index)
    if (!folded.has(noteid.toUpperCase())) folded.set(noteid.toUpperCase(), index)
  })
  return new Map(
    ids.map((id) => {
      const index = exact.get(id) ?? folded.get(id.toUpperCase()) ?? -1
      return [id, { item: index < 0 ? null : (items[index] as NoteItem), index, answer }]
    }),
  )
}

const details = new WeakMap<Found, CardDetails>()

/** The exact text of a card and everything that must be said about it. */
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
  const cut = elementText(decodeUtf8(new Uint8Array(answer.raw)).text, 'items', index)
  const inspected = cut === null ? null : inspectJson(new TextEncoder().encode(cut))
  // Where `items` stands twice in an answer the text may be another card's.
  const own = inspected?.ok === true && (inspected.value as Partial<NoteItem> | null)?.noteid === item.noteid
  const parsed = noteItemSchema.safeParse(item)
  const differences: Finding[] = parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => ({ kind: 'schema', path: `/${path.join('/')}`, message }))
  const findings = [...whole, ...(own ? inspected.findings : []), ...differences]
  return {
    source: own ? cut : null,
    findings,
    findingTotal: whole.length + (own ? inspected.findingTotal : 0) + differences.length,
    conforms: parsed.success,
  }
}

const noItems = (meta: AnswerMeta): AppError =>
  new AppError({
    kind: 'malformed',
    code: 'CARDS_NO_ITEMS',
    message: 'The host answered without a list of items: whether the cards exist is not known.',
    retryable: true,
    status: meta.status,
    exchangeId: meta.exchangeId,
  })
