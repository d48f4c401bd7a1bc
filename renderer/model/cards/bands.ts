import { toFields, toFlag, toList, toNumber, toText, type HostFields } from '../../../shared/cards.ts'

/** A blank band (spec §2 Band). Whatever the host left out, or sent with another type, is null. */
export interface BandView {
  /** Place in the list as sent. */
  readonly index: number
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
  readonly respondedAt: number | null
}

function bandOf(entry: unknown, at = 0): BandView {
  const fields = toFields(entry) ?? {}
  return {
    index: at,
    role: toText(fields['role']),
    height: toNumber(fields['height']),
    seq: toNumber(fields['seq']),
    pageNo: toNumber(fields['pageNo']),
    blankPageNo: toNumber(fields['blankPageNo']),
    live: toFlag(fields['live']),
    closed: toFlag(fields['closed']),
    hasInk: toFlag(fields['hasInk']),
    inkParts: toNumber(fields['inkParts']),
    owner: toText(fields['owner']),
    physicalNoteId: toText(fields['physicalNoteId']),
    noteid: toText(fields['noteid']),
  }
}

/**
 * The bands of an item of `POST /notes/batch-get`. The contract shows bands only in the answer that creates them (spec §4 blank-bands). A
 * host that sends them with the card is taken at its word; otherwise `created`, the last answer to a creation, has them as they were then,
 * and blank texts and parts are the traces they leave.
 */
export function parseCardBands(
  item: HostFields,
  created?: { readonly timestamp: number; readonly body: unknown },
): CardBands {
  const answer = toFields(created?.body)
  const own = listIn(item)
  const kept = own === null && answer !== null ? (listIn(answer) ?? listIn({ bands: [answer['band']] })) : null
  const bands = (own ?? kept)?.map(bandOf).sort(bySeq) ?? null
  const answeredAt = kept === null ? null : (created?.timestamp ?? null)
  return { bands, respondedAt: answeredAt, traces: [...tracesOf(item, 'texts'), ...tracesOf(item, 'parts')] }
}

const listIn = (item: HostFields): readonly unknown[] | null =>
  Array.isArray(item['bands']) ? toList(item['bands']) : null

const bySeq = (a: BandView, b: BandView): number => (a.seq ?? a.index) - (b.seq ?? b.index)

function tracesOf(item: HostFields, member: 'texts' | 'parts'): BandTrace[] {
  return toList(item[member]).flatMap((entry) => {
    const fields = toFields(entry) ?? {}
    const kind = toText(fields['kind']) ?? ''
    if (kind !== 'blank' && kind !== 'blank_image') return []
    const from = member === 'texts' ? ('text' as const) : ('part' as const)
    return [{ from, index: toNumber(fields['index']), kind, contentId: toText(fields['contentId']) }]
  })
}
