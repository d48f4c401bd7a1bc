import { useI18n } from 'vue-i18n'
import { toSingleLine } from '../../components/text-truncation.ts'
import type { BandView } from '../../model/cards/bands.ts'

/** The order is the table's. The owner comes early, where a narrow table does not cut it off. */
export const bandFields = [
  'seq',
  'role',
  'owner',
  'height',
  'hasInk',
  'inkParts',
  'live',
  'closed',
  'pageNo',
  'blankPageNo',
  'physicalNoteId',
] as const
type BandField = (typeof bandFields)[number]

export function useBandTexts() {
  const { t, n } = useI18n()

  const formatFlag = (field: 'live' | 'closed', value: boolean | null): string =>
    value === null ? t(`bands.${field}.unknown`) : t(`bands.${field}.${value ? 'yes' : 'no'}`)

  function formatInk({ hasInk, inkParts }: BandView): string {
    if (hasInk === null) return t('bands.ink.unknown')
    if (!hasInk) return t('bands.ink.no')
    return inkParts === null ? t('bands.ink.yes') : t('bands.ink.parts', { n: n(inkParts) }, inkParts)
  }

  /** Example: “Band 0 · practice · height 240 · ink in 3 parts · live · not closed”. */
  function describeBand(band: BandView): string {
    return [
      t('bands.band', { seq: band.seq === null ? band.index : band.seq }),
      ...(band.role ? [toSingleLine(band.role)] : []),
      band.height === null ? t('bands.heightUnknown') : t('bands.heightOf', { height: n(band.height) }),
      formatInk(band),
      formatFlag('live', band.live),
      formatFlag('closed', band.closed),
    ].join(' · ')
  }

  const formatField = (band: BandView, field: BandField): string => {
    const value = band[field]
    if (value === null) return '–'
    if (typeof value === 'boolean') return t(value ? 'bands.true' : 'bands.false')
    return typeof value === 'number' ? n(value) : toSingleLine(value)
  }

  return {
    describeBand,
    formatField,
    explainField: (field: BandField): string => t(`bands.explain.${field}`),
  }
}
