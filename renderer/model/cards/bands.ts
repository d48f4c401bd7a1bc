import { asFields, flagOf, listOf, numberOf, textOf, type Fields } from '../../../shared/cards.ts'

/** A blank band (spec §2 Band). Whatever the host left out, or sent with another type, is null. */
export interface BandView {
  /** Place in the list as sent. */
  readonly at: number
  readonly role: string | null
  /** Height in the host's own unit, which the contract does not name. */
  readonly height: number | null
  readonly seq: number | null
  readonly pageNo: number | null
  readonly blankPageNo: number | null
  readonly live: boolean | null
  readonly closed: boolean | null
  readonly hasInk: boolean | null
  readonly inkParts: number | null
  readonly owner: string | null
  readonly physicalNoteId: string | null
  readonly noteid: string | null
}

/** What shows that a card has blank space, if the host sends no list of bands. */
interface BandTrace {
  readonly from: 'text' | 'part'
  readonly index: number | null
  readonly kind: string
  readonly contentId: string | null
}

export interface CardBands {
  /** Bands in the order of `seq`; null if the host sends no list with the card. */
  readonly bands: readonly BandView[] | null
  readonly traces: readonly BandTrace[]
  /** When the host listed them in the answer to the creation of one; null where they come with the card. */
  readonly answeredAt: number | null
}

function bandOf(entry: unknown, at = 0): BandView {
  const fields = asFields(entry) ?? {}
  return {
    at,
    role: textOf(fields['role']),
    height: numberOf(fields['height']),
    seq: numberOf(fields['seq']),
    pageNo: numberOf(fields['pageNo']),
    blankPageNo: numberOf(fields['blankPageNo']),
    live: flagOf(fields['live']),
    closed: flagOf(fields['closed']),
    hasInk: flagOf(fields['hasInk']),
    inkParts: numberOf(fields['inkParts']),
    owner: textOf(fields['owner']),
    physicalNoteId: textOf(fields['physicalNoteId']),
    noteid: textOf(fields['noteid']),
  }
}

/**
 * The bands of an item of `POST /notes/batch-get`. The contract shows bands only in the answer that creates them (spec §4 blank-bands). A
 * host that sends them with the card is taken at its word; otherwise `created`, the last answer to a creation, has them as they were then,
 * and blank texts and parts are the traces they leave.
 */
export function bandsOf(item: Fields, created?: { readonly at: number; readonly body: unknown }): CardBands {
  const answer = asFields(created?.body)
  const own = listIn(item)
  const kept = own === null && answer !== null ? (listIn(answer) ?? listIn({ bands: [answer['band']] })) : null
  const bands = (own ?? kept)?.map(bandOf).sort(bySeq) ?? null
  const answeredAt = kept === null ? null : (created?.at ?? null)
  return { bands, answeredAt, traces: [...tracesOf(item, 'texts'), ...tracesOf(item, 'parts')] }
}

const listIn = (item: Fields): readonly unknown[] | null =>
  Array.isArray(item['bands']) ? listOf(item['bands']) : null

const bySeq = (a: BandView, b: BandView): number => (a.seq ?? a.at) - (b.seq ?? b.at)

function tracesOf(item: Fields, member: 'texts' | 'parts'): BandTrace[] {
  return listOf(item[member]).flatMap((entry) => {
    const fields = asFields(entry) ?? {}
    const kind = textOf(fields['kind']) ?? ''
    if (kind !== 'blank' && kind !== 'blank_image') return []
    const from = member === 'texts' ? ('text' as const) : ('part' as const)
    return [{ from, index: numberOf(fields['index']), kind, contentId: textOf(fields['contentId']) }]
  })
}
