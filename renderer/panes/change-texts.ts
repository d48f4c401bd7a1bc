import { inject } from 'vue'
import { useI18n } from 'vue-i18n'
import type { ChangeMark, SnapshotCardState, SnapshotChangeRow } from '../../shared/ipc/snapshots.ts'
import type { ChangeKind } from '../../shared/snapshots/card-content.ts'
import type { LevelChange } from '../../shared/snapshots/palette.ts'
import { hasAllExcerpts, type SnapshotInfo } from '../../shared/snapshots/snapshot.ts'
import { toSingleLine } from '../components/text-truncation.ts'
import { isToday } from '../model/format/day.ts'
import { useExchangeTexts } from './exchange-texts.ts'
import { onlyRecordingKey } from './only-recording.ts'

/** A card that changed, where it is or where it was. */
export type ChangedCardRow = Extract<SnapshotChangeRow, { row: 'change' | 'ghost' }>

export function isChangedCard(row: SnapshotChangeRow | undefined): row is ChangedCardRow {
  return row?.row === 'change' || row?.row === 'ghost'
}

const MAX_VALUE_CHARS = 30
/** @returns null for a value that does not fit into a line with others */
function formatShortValue(value: unknown): string | null {
  if (value === undefined) return '–'
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value.length <= MAX_VALUE_CHARS ? value : null
}

export function useChangeTexts() {
  const { t, n, d } = useI18n()
  const exchangeTexts = useExchangeTexts()
  const isOnlyRecording = inject(onlyRecordingKey, () => false)

  const formatKinds = (kinds: readonly ChangeKind[]): string =>
    kinds.map((kind) => t(`changes.kind.${kind}`)).join(t('common.comma'))
  const formatTime = (timestamp: number): string => d(timestamp, isToday(timestamp) ? 'seconds' : 'short')
  /** For a change that no known call explains. */
  const formatNobody = (): string => t(isOnlyRecording() ? 'changes.inRecording.none' : 'changes.nobody')
  const explainCertainty = ({ certainty, writes }: ChangedCardRow['cause']): string =>
    isOnlyRecording()
      ? t(`changes.inRecording.text.${certainty}`, writes.length)
      : t(`changes.certaintyText.${certainty}`, writes.length)
  /** Why a snapshot is not whole; empty if it is. */
  const formatGaps = ({ gaps }: SnapshotInfo): string =>
    gaps.map((gap) => t(`changes.gap.${gap}`)).join(t('common.comma'))

  function formatPlace({ parentId, parentTitle, position }: SnapshotCardState): string {
    const parent = parentId === '' ? t('changes.top') : toSingleLine(parentTitle || parentId)
    return t('changes.place', { parent, n: n(position) })
  }

  function describeMember(name: string, oldValue: unknown, newValue: unknown): string {
    const values = [oldValue, newValue].map(formatShortValue)
    return values.includes(null) ? name : `${name} ${values.map((text) => text ?? '').join(' → ')}`
  }

  /** The former and the present place, the former title, or the members that differ. */
  function describeChange({ row, kinds, members, before, after }: ChangedCardRow): string {
    if (before === null) return after === null ? '' : t('changes.in', { place: formatPlace(after) })
    if (after === null) return t('changes.wasIn', { place: formatPlace(before) })
    if (row === 'ghost') return `→ ${formatPlace(after)}`
    const parts = [
      ...(kinds.includes('renamed') && before.title !== ''
        ? [t('changes.wasNamed', { title: toSingleLine(before.title) })]
        : []),
      ...(kinds.includes('moved') ? [`${formatPlace(before)} → ${formatPlace(after)}`] : []),
    ]
    const otherMembers = members
      .filter((name) => name !== 'title')
      .map((name) => describeMember(name, before.members[name], after.members[name]))
    const texts = [...parts, ...(otherMembers.length > 0 ? [otherMembers.join(t('common.comma'))] : [])]
    return toSingleLine(texts.join(' · '))
  }

  /** The color before or after; with the one of the theme where only that differs. */
  function formatLevelColor({ before, after }: LevelChange, side: 'before' | 'after'): string {
    const color = side === 'before' ? before : after
    if (color === null) return t('changes.palette.noLevel')
    return before?.base === after?.base ? t('changes.palette.display', { color: color.display }) : color.base
  }

  return {
    /** The cells of a color level in the list of changes. */
    formatLevel: (level: LevelChange): Readonly<Record<'kind' | 'title' | 'change', string>> => ({
      kind: t('changes.palette.kind'),
      title: t('swatches.levelName', { level: level.colorIndex }),
      change: `${formatLevelColor(level, 'before')} → ${formatLevelColor(level, 'after')}`,
    }),
    formatLevelColor,
    /** The title, or the id of a card whose title is empty or was not listed. */
    formatTitle(row: SnapshotChangeRow): string {
      if (row.row === 'gap') return t('changes.unchanged', { n: n(row.count) }, row.count)
      if (row.row === 'context') return row.title || row.noteid
      return (row.row === 'ghost' ? row.before?.title : (row.after ?? row.before)?.title) || row.noteid
    },
    formatKinds,
    describeChange,
    /** The call and its origin, with how sure that is, and the kinds that it does not explain. */
    formatCause(
      { certainty, writes }: NonNullable<ChangeMark['cause']>,
      unexplained?: ChangedCardRow['unexplained'],
    ): string {
      const [write] = writes
      if (!write) return formatNobody()
      const origin = exchangeTexts.formatOrigin(write.origin)
      const others = writes.length > 1 ? [t('changes.otherCalls', { n: n(writes.length - 1) }, writes.length - 1)] : []
      const certainties = certainty === 'named' ? [] : [t(`changes.certainty.${certainty}`)]
      const rest = unexplained ? [t('changes.unexplained', { kinds: formatKinds(unexplained) })] : []
      return [toSingleLine(`${write.method} ${write.path}`), origin, ...certainties, ...others, ...rest].join(' · ')
    },
    formatNobody,
    explainCertainty,
    formatTime,
    formatSnapshot: (snapshot: SnapshotInfo): string =>
      [
        formatTime(snapshot.endedAt),
        t('changes.cards', { n: n(snapshot.cards) }, snapshot.cards),
        snapshot.isRequested ? t('changes.requested') : exchangeTexts.formatOrigin(snapshot.origin),
        ...(snapshot.detailed > 0 ? [t('changes.detailed', { n: n(snapshot.detailed) })] : []),
        ...(hasAllExcerpts(snapshot) ? [t('changes.hasExcerpts')] : []),
        ...(snapshot.palette ? [t('changes.hasPalette')] : []),
        ...(snapshot.gaps.length > 0 ? [t('changes.partial')] : []),
      ].join(' · '),
    formatGaps,
  }
}
