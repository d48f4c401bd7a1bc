import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { LocatedFinding } from '../../../shared/protocol/finding.ts'
import { findingSeverities } from '../../../shared/protocol/rule-table.ts'
import { formatInitiatorPlace } from '../../../shared/traffic/call-initiator.ts'
import type { Column } from '../../components/grid/columns.ts'
import { isToday } from '../../model/format/day.ts'
import { useExchangeTexts } from '../exchange-texts.ts'
import { useFindingTexts } from './finding-texts.ts'

/**
 * What happened stands first, then the line that did it and how often; the rule is secondary.
 * @param getPath returns the method and the path of the last exchange; empty until it is loaded
 */
export function useFindingColumns(
  getPath: (finding: LocatedFinding) => string,
): ComputedRef<readonly Column<LocatedFinding>[]> {
  const { t, n, d } = useI18n()
  const words = useFindingTexts()
  const exchange = useExchangeTexts()
  return computed(() => [
    {
      id: 'what',
      fitsText: (finding) => shortenIds(words.describeFinding(finding)),
      header: t('protocol.column.what'),
      width: 420,
      minWidth: 400,
      grow: true,
      value: words.describeFinding,
    },
    {
      id: 'line',
      neverCut: true,
      header: t('panel.initiator.title'),
      width: 150,
      minWidth: 110,
      mono: true,
      hidePriority: 1,
      value: formatFindingLine,
    },
    {
      id: 'count',
      neverCut: true,
      header: t('protocol.column.count'),
      width: 64,
      minWidth: 56,
      align: 'end',
      value: ({ count }) => count,
      text: ({ count }) => t('protocol.times', { n: n(count) }),
    },
    {
      id: 'severity',
      neverCut: true,
      header: t('protocol.column.severity'),
      width: 88,
      value: ({ rule }) => findingSeverities.indexOf(words.getSeverity(rule)),
      text: ({ rule }) => words.formatSeverity(rule),
    },
    {
      id: 'rule',
      fitsText: true,
      header: t('protocol.column.rule'),
      width: 220,
      minWidth: 160,
      hidePriority: 2,
      value: ({ rule }) => words.getTitle(rule),
    },
    {
      id: 'origin',
      fitsText: true,
      header: t('protocol.column.origin'),
      width: 120,
      minWidth: 120,
      hidePriority: 3,
      value: ({ origins }) => origins.map(exchange.formatOrigin).filter(isFirst).join(', '),
    },
    {
      id: 'path',
      fitsText: (finding) => shortenIds(getPath(finding)),
      header: t('protocol.column.path'),
      width: 260,
      minWidth: 140,
      mono: true,
      hidePriority: 4,
      value: getPath,
    },
    {
      id: 'time',
      header: t('protocol.column.time'),
      width: 84,
      hidePriority: 5,
      value: ({ at }) => at,
      text: ({ at }) => (isToday(at) ? d(at, 'seconds') : d(at, 'short')),
    },
  ])
}

export function formatFindingLine({ initiator }: LocatedFinding): string {
  return initiator ? formatInitiatorPlace({ ...initiator, column: null }) : ''
}

/** Every second part is an id, or another long text without blanks, such as a cursor. */
export function splitIds(text: string): readonly string[] {
  return text.split(/\b([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b|[\da-f]{32}\b|[\w+=-]{40,})/i)
}

/** As wide as the text is where the middle of ids is hidden. */
const shortenIds = (text: string): string =>
  splitIds(text)
    .map((part, index) => (index % 2 === 0 ? part : part.slice(-16)))
    .join('')

const isFirst = <T>(value: T, index: number, list: readonly T[]): boolean => list.indexOf(value) === index
