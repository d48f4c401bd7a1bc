import { toFields, toBoolean, toList, parseHostNumber, toText, type HostFields } from '../../../shared/cards.ts'

/** A blank band (spec §2 Band); null for what was omitted or has another type. */
export interface BandView {
  readonly index: number
  readonly role: string | null
  /** Height in the host's unit, which the contract does not name. */
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

/** A trace shows that a card has blank space even if the host sends no list of bands. */
interface BandTrace {
  readonly from: 'text' | 'part'
  readonly index: number | null
  readonly kind: string
  readonly contentId: string | null
}

export interface CardBands {
  /** Bands in the order of `seq`; null if the host sent no list. */
  readonly bands: readonly BandView[] | null
  readonly traces: readonly BandTrace[]
  /** When the bands were listed on creating one (epoch ms); null if they come with the card. */
  readonly respondedAt: number | null
}

/** Converts a host's list of bands, in the order of `seq`; null if the value is no list. */
export function parseBandList(value: unknown): readonly BandView[] | null {
  return Array.isArray(value) ? value.map((entry: unknown, index) => toBand(entry, index)).sort(compareBands) : null
}

export function toBand(entry: unknown, index: number): BandView {
  const fields = toFields(entry) ?? {}
  return {
    index,
    role: toText(fields['role']),
    height: parseHostNumber(fields['height']),
    seq: parseHostNumber(fields['seq']),
    pageNo: parseHostNumber(fields['pageNo']),
    blankPageNo: parseHostNumber(fields['blankPageNo']),
    live: toBoolean(fields['live']),
    closed: toBoolean(fields['closed']),
    hasInk: toBoolean(fields['hasInk']),
    inkParts: parseHostNumber(fields['inkParts']),
    owner: toText(fields['owner']),
    physicalNoteId: toText(fields['physicalNoteId']),
    noteid: toText(fields['noteid']),
  }
}

/**
 * Reads the bands of an item of `POST /notes/batch-get`. The contract shows bands only in the
 * response that creates one (spec §4 blank-bands). Bands that the host sends with the card take
 * precedence over `created`, the last response that created a band; an empty list does not. Blank
 * texts and parts are traces of bands.
 */
export function parseCardBands(
  item: HostFields,
  created?: { readonly timestamp: number; readonly body: unknown },
): CardBands {
  const creation = toFields(created?.body)
  const ownBands = listBands(item)
  const createdBands =
    (ownBands ?? []).length === 0 && creation !== null
      ? (listBands(creation) ?? (creation['band'] === undefined ? null : [creation['band']]))
      : null
  const bands = parseBandList(createdBands ?? ownBands)
  const respondedAt = createdBands === null ? null : (created?.timestamp ?? null)
  return { bands, respondedAt, traces: [...findTraces(item, 'texts'), ...findTraces(item, 'parts')] }
}

const listBands = (item: HostFields): readonly unknown[] | null =>
  Array.isArray(item['bands']) ? toList(item['bands']) : null

const compareBands = (a: BandView, b: BandView): number => (a.seq ?? a.index) - (b.seq ?? b.index)

function findTraces(item: HostFields, member: 'texts' | 'parts'): BandTrace[] {
  return toList(item[member]).flatMap((entry) => {
    const fields = toFields(entry) ?? {}
    const kind = toText(fields['kind']) ?? ''
    if (kind !== 'blank' && kind !== 'blank_image') return []
    const from = member === 'texts' ? ('text' as const) : ('part' as const)
    return [{ from, index: parseHostNumber(fields['index']), kind, contentId: toText(fields['contentId']) }]
  })
}
