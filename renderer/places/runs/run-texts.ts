import { useI18n } from 'vue-i18n'
import type { ListedPair } from '../../../shared/ipc/recordings.ts'
import type { RunComparison } from '../../stores/run-comparison.ts'
import { useExchangeTexts } from '../../panes/exchange-texts.ts'

type Difference = ListedPair['responses']['differences'][number]
type Row = NonNullable<ListedPair['beforeRow']>

export function useRunTexts() {
  const { t, n } = useI18n()
  const texts = useExchangeTexts()
  const formatDuration = ({ durationMs }: Row): string => (durationMs === null ? '' : texts.formatDuration(durationMs))
  /** How a request ended, and how long it took. */
  const formatOutcome = (row: Row | null): string =>
    row === null ? '' : [texts.describeOutcome(row).text, formatDuration(row)].filter(Boolean).join(' · ')

  function formatDifference({ kind, pointer, expected, actual }: Difference): string {
    const place = pointer === '' ? t(`runs.part.${kind}`) : pointer
    const before = expected ?? t('runs.nothing')
    return t('runs.difference', { place, before, after: actual ?? t('runs.nothing') })
  }

  function describeRequest({ beforeRow, afterRow }: ListedPair): string {
    if (beforeRow === null || beforeRow.path === afterRow?.path) return t('runs.about.body')
    return t('runs.about.request', { path: beforeRow.path })
  }

  /** Describes the difference in one line. */
  function describe(pair: ListedPair): string {
    const { kinds, responses, effects, beforeRow, afterRow } = pair
    const [first] = kinds
    if (first === 'missing' || first === 'extra') return t(`runs.about.${first}`)
    const others = (differences: ListedPair['responses']): string[] => {
      const [difference] = differences.differences
      if (!difference) return []
      const more = differences.total - 1
      return [formatDifference(difference), ...(more > 0 ? [t('runs.more', { n: n(more) })] : [])]
    }
    const parts = [
      ...(kinds.includes('request') ? [describeRequest(pair)] : []),
      ...others(effects),
      ...others(responses),
      ...(kinds.includes('order')
        ? [t('runs.about.order', { before: n((pair.before ?? 0) + 1), after: n((pair.after ?? 0) + 1) })]
        : []),
      ...(kinds.includes('slower') && beforeRow && afterRow
        ? [t('runs.about.slower', { before: formatDuration(beforeRow), after: formatDuration(afterRow) })]
        : []),
    ]
    return parts.join(t('common.comma'))
  }

  return {
    formatKinds: ({ kinds }: ListedPair): string => kinds.map((kind) => t(`runs.kind.${kind}`)).join(t('common.comma')),
    describe,
    formatDifference,
    formatOutcome,
    /** Gaps of the comparison. */
    listNotes: ({ notCompared, areTextsComparable, haveForeignIds }: RunComparison): readonly string[] => [
      ...(areTextsComparable ? [] : [t('runs.note.texts')]),
      ...(haveForeignIds ? [t('runs.note.foreign')] : []),
      ...Object.entries(notCompared).map(([reason, count]) =>
        t('runs.note.bodies', { n: n(count), reason: t(`runs.reason.${reason}`) }, count),
      ),
    ],
  }
}
