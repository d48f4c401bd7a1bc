import { computed, type ComputedRef } from 'vue'
import { useI18n } from 'vue-i18n'
import type { ExcerptRow } from '../../model/excerpts/excerpt-rows.ts'
import type { Column } from '../../components/grid/columns.ts'
import { useLibrary } from '../../stores/library.ts'

/** The user chooses the order of these columns and which are shown. */
export function useExcerptColumns(): ComputedRef<readonly Column<ExcerptRow>[]> {
  const { t, n } = useI18n()
  const library = useLibrary()
  const createNumberColumn = (id: 'page' | 'startpos' | 'endpos', width: number): Column<ExcerptRow> => ({
    id,
    header: t(`excerpts.column.${id}`),
    width,
    align: 'end',
    value: (row) => row[id],
    text: (row) => (row[id] === null ? '' : n(row[id])),
  })
  return computed(() => [
    { id: 'text', header: t('excerpts.column.text'), width: 320, minWidth: 320, grow: true, value: ({ text }) => text },
    createNumberColumn('page', 64),
    createNumberColumn('startpos', 84),
    createNumberColumn('endpos', 84),
    {
      id: 'studySet',
      header: t('excerpts.column.studySet'),
      width: 180,
      minWidth: 100,
      hidePriority: 1,
      value: ({ topicid }) => library.titleOf(topicid) ?? topicid,
    },
    {
      id: 'cardNoteId',
      header: t('excerpts.column.cardNoteId'),
      width: 220,
      minWidth: 120,
      hidePriority: 2,
      mono: true,
      value: (row) => row.cardNoteId,
    },
    {
      id: 'noteid',
      header: t('excerpts.column.noteid'),
      width: 290,
      hidePriority: 3,
      mono: true,
      value: ({ noteid }) => noteid,
    },
  ])
}
