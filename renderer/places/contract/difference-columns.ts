import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { SchemaDifference } from '../../../shared/contract/schema-difference.ts'
import type { Column } from '../../components/grid/columns.ts'

export interface DifferenceRow extends SchemaDifference {
  readonly key: number
}

/** A rule about a request or a response is called after what it is about. */
const toRuleName = (rule: SchemaDifference['rule']): string => rule.replace(/^(?:request|response)-/, '')

/** The columns of the differences of two schemas, with what each means for a caller. */
export function useDifferenceColumns(): ComputedRef<readonly Column<DifferenceRow>[]> {
  const { t } = useI18n()
  const header = (name: string): string => t(`contractPlace.compare.column.${name}`)
  const formatSide = (text: string): string => text || t('contractPlace.drift.nothing')
  return computed(() => [
    {
      id: 'breaking',
      header: header('breaking'),
      width: 90,
      neverCut: true,
      value: ({ isBreaking }) => t(`contractPlace.compare.${isBreaking ? 'breaking' : 'harmless'}`),
    },
    {
      id: 'rule',
      fitsText: true,
      header: header('rule'),
      width: 210,
      minWidth: 140,
      value: ({ rule }) => t(`contractPlace.compare.rule.${toRuleName(rule)}`),
    },
    {
      id: 'route',
      neverCut: true,
      header: t('contractPlace.drift.column.route'),
      width: 140,
      mono: true,
      value: ({ method, template }) => `${method} ${template}`,
    },
    {
      id: 'place',
      fitsText: true,
      header: header('place'),
      width: 220,
      minWidth: 130,
      grow: true,
      mono: true,
      value: ({ part, pointer, variant }) =>
        [t(`contractPlace.compare.part.${part}`), pointer, variant ?? ''].filter((text) => text !== '').join(' '),
    },
    {
      id: 'change',
      header: header('change'),
      width: 240,
      minWidth: 130,
      grow: true,
      hidePriority: 2,
      value: ({ before, after }) => `${formatSide(before)} → ${formatSide(after)}`,
    },
    {
      id: 'consequence',
      fitsText: true,
      header: header('consequence'),
      width: 220,
      minWidth: 140,
      hidePriority: 1,
      value: ({ consequence }) => t(`contractPlace.compare.consequence.${consequence}`),
    },
  ])
}
