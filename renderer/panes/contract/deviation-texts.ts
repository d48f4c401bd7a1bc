import { useI18n } from 'vue-i18n'
import type { Deviation, DeviationKind } from '../../../shared/contract/deviation.ts'
import { findEndpointById } from '../../../shared/bridge/endpoints/index.ts'

interface DeviationTexts {
  formatKind(kind: DeviationKind): string
  /** Says in one sentence what the host does otherwise. */
  describeKind(kind: DeviationKind): string
  formatRoute(deviation: Pick<Deviation, 'method' | 'template'>): string
  formatPointer(pointer: string): string
  /** Formats what the contract shows and what was sent, such as “string → number”. */
  formatChange(deviation: Pick<Deviation, 'expected' | 'actual'>): string
  /** Formats how often it was seen, and in how many exchanges. */
  formatCounts(deviation: Pick<Deviation, 'count' | 'exchangeCount'>): string
  formatVersions(deviation: Pick<Deviation, 'hostVersions' | 'hasMoreVersions' | 'hasUnknownVersion'>): string
  formatMarkdown(deviations: readonly Deviation[]): string
}

export function useDeviationTexts(): DeviationTexts {
  const { t, n, d } = useI18n()
  const formatKind = (kind: DeviationKind): string => t(`contractPlace.drift.kind.${kind}`)
  const formatRoute: DeviationTexts['formatRoute'] = ({ method, template }) => `${method} ${template}`
  const formatPointer = (pointer: string): string => pointer || t('contractPlace.drift.wholeResponse')
  const formatChange: DeviationTexts['formatChange'] = ({ expected, actual }) =>
    `${expected || t('contractPlace.drift.nothing')} → ${actual || t('contractPlace.drift.nothing')}`
  const formatVersions: DeviationTexts['formatVersions'] = ({ hostVersions, hasMoreVersions, hasUnknownVersion }) =>
    [
      ...hostVersions,
      ...(hasMoreVersions ? [t('contractPlace.drift.moreVersions')] : []),
      ...(hasUnknownVersion ? [t('contractPlace.drift.unknownVersion')] : []),
    ].join(t('common.comma'))

  const formatCounts: DeviationTexts['formatCounts'] = ({ count, exchangeCount }) =>
    t('contractPlace.drift.counted', {
      times: t('contractPlace.drift.times', { n: n(count) }, count),
      exchanges: t('contractPlace.drift.exchanges', { n: n(exchangeCount) }, exchangeCount),
    })

  function formatDeviation(deviation: Deviation): string {
    const { kind, pointer, example, firstAt, lastAt, endpoint } = deviation
    const spec = findEndpointById(endpoint ?? '')?.spec
    const times = { first: d(firstAt, 'exact'), last: d(lastAt, 'exact') }
    return [
      `- **${formatKind(kind)}** \`${formatRoute(deviation)}\` \`${formatPointer(pointer)}\``,
      `  ${describeKind(kind)} ${formatChange(deviation)}`,
      ...(example === null ? [] : [`  ${t('contractPlace.drift.example')}: \`${example.replaceAll('`', 'ˋ')}\``]),
      `  ${formatCounts(deviation)}. ${t('contractPlace.drift.seen', times)}`,
      `  ${t('contractPlace.drift.versions')}: ${formatVersions(deviation)}`,
      ...(spec === undefined ? [] : [`  ${spec}`]),
    ].join('\n')
  }
  const describeKind = (kind: DeviationKind): string => t(`contractPlace.drift.what.${kind}`)
  return {
    formatKind,
    describeKind,
    formatRoute,
    formatPointer,
    formatChange,
    formatCounts,
    formatVersions,
    formatMarkdown: (deviations) => deviations.map((deviation) => `${formatDeviation(deviation)}\n`).join(''),
  }
}
