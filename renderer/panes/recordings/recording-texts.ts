import { useI18n } from 'vue-i18n'
import type { RecordingCounts } from '../../../shared/ipc/recordings.ts'
import {
  byteParts,
  lineParts,
  type LeftOut,
  type RecordingManifest,
  type RedactionPolicy,
} from '../../../shared/recordings/recording.ts'
import { isSameDay } from '../../model/format/day.ts'

/** Order in which the parts of a recording are listed; parts of newer versions come last. */
const PARTS: readonly string[] = ['exchanges', 'bodies', ...lineParts, ...byteParts]
const getRank = (part: string): number => (PARTS.includes(part) ? PARTS.indexOf(part) : PARTS.length)

export function useRecordingTexts() {
  const { t, te, n, d } = useI18n()
  const formatPart = (part: string): string => (te(`recordings.part.${part}`) ? t(`recordings.part.${part}`) : part)
  const formatEnd = ({ from, to }: NonNullable<RecordingManifest['span']>): string =>
    d(to, isSameDay(from, to) ? 'time' : 'short')
  return {
    formatPart,
    /** The parts that hold anything, in order, as facts. */
    listCounts: (counts: RecordingCounts) =>
      Object.entries(counts)
        .filter(([, count]) => count > 0)
        .sort(([first], [second]) => getRank(first) - getRank(second))
        .map(([part, count]) => ({ key: part, label: formatPart(part), value: n(count) })),
    formatLeftOut: ({ what, count, why }: LeftOut): string =>
      t(count === 0 ? 'recordings.leftOutPart' : 'recordings.leftOutEntry', {
        what: formatPart(what),
        n: n(count),
        why: t(`recordings.why.${why}`),
      }),
    formatRedaction: (policy: RedactionPolicy | null): string =>
      policy === null
        ? t('recordings.notRedacted')
        : (['texts', 'ids', 'pictures'] as const)
            .map((kind) => t(`recordings.policy.${kind}.short.${policy[kind]}`))
            .join(t('common.comma')),
    formatSpan: (span: RecordingManifest['span']): string =>
      span === null ? '' : t('recordings.spanOf', { from: d(span.from, 'short'), to: formatEnd(span) }),
  }
}
