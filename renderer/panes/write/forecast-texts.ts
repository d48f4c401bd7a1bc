import { useI18n } from 'vue-i18n'
import type { ForecastDifference } from '../../../shared/snapshots/forecast-check.ts'
import type { ForecastCard, ForecastMember, ForecastPlace } from '../../../shared/snapshots/forecast-card.ts'
import { revealInvisible } from '../../../shared/format/invisible-characters.ts'
import { isToday } from '../../model/format/day.ts'
import { truncateText } from '../../components/text-truncation.ts'

/** A longer value stands in full in the body of the request. */
const MAX_VALUE_CHARS = 120

export function useForecastTexts() {
  const { t, n, d } = useI18n()
  const shorten = (text: string): string =>
    revealInvisible(text.length > MAX_VALUE_CHARS ? `${truncateText(text, MAX_VALUE_CHARS)}…` : text)

  function formatValue(value: unknown): string {
    if (typeof value === 'string') return t('changes.forecast.quoted', { text: shorten(value) })
    if (Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string'))
      return shorten(value.join(t('common.comma')))
    const isNothing = value === undefined || value === null || (Array.isArray(value) && value.length === 0)
    return isNothing ? t('changes.forecast.nothing') : shorten(JSON.stringify(value))
  }

  const formatTitle = ({ title, noteid }: { readonly title: string; readonly noteid: string }): string =>
    shorten(title) || noteid
  const formatPlace = (place: ForecastPlace): string => (place.noteid === '' ? t('changes.top') : formatTitle(place))

  function describePlace({ kinds, below, place }: ForecastCard): string[] {
    if (kinds.includes('removed')) {
      const parent = place?.after ?? { noteid: '', title: '' }
      const key = parent.noteid === '' ? 'changes.forecast.childrenToTop' : 'changes.forecast.children'
      const children = t(key, { n: n(below), parent: formatPlace(parent) }, below)
      return [t('changes.forecast.removed'), ...(below > 0 ? [children] : [])]
    }
    if (!place) return []
    if (kinds.includes('added')) {
      const copied = t('changes.forecast.copied', { parent: formatPlace(place.after) })
      return [copied, ...(below > 0 ? [t('changes.forecast.along', { n: n(below) }, below)] : [])]
    }
    const [before, after] = [formatPlace(place.before), formatPlace(place.after)]
    const along = t('changes.forecast.along', { n: n(below) }, below)
    return [t('changes.forecast.moved', { before, after }), ...(below > 0 ? [along] : [])]
  }

  function describeMember({ name, change, after, index = 0, ...rest }: ForecastMember): string {
    const values = { member: index > 0 ? `${name}[${index}]` : name, after: formatValue(after) }
    if (change === 'remove' && after === undefined) return t('changes.forecast.removeUnknown', values)
    if (change !== 'set') return t(`changes.forecast.${change}`, values)
    return 'before' in rest
      ? t('changes.forecast.set', { ...values, before: formatValue(rest.before) })
      : t('changes.forecast.setUnknown', values)
  }

  return {
    formatTitle,
    describeCard: (card: ForecastCard): string =>
      [...describePlace(card), ...card.members.map(describeMember)].join(' · '),
    describeDifference({ kind, member, actual }: ForecastDifference): string {
      const isAtTop = kind === 'place' && actual === ''
      const place = isAtTop ? t('changes.top') : String(actual)
      return t(`changes.forecast.difference.${kind}`, { member, value: formatValue(actual), place })
    },
    formatTime: (timestamp: number): string => d(timestamp, isToday(timestamp) ? 'seconds' : 'short'),
  }
}
