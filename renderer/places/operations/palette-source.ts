import { useRoute } from 'vue-router'
import { cardValues } from '../../panes/write/card-values.ts'
import { writeIds } from '../../panes/write/write-ids.ts'
import { useWriteTitle } from '../../panes/write/titles.ts'
import { useOperations } from '../../stores/operations.ts'
import { usePaletteSource } from '../../stores/palette.ts'
import { filledText } from '../../../shared/json/filled-text.ts'

/** Offers every write in the command palette, with the current card and study set filled in. */
export function useWriteSource(): void {
  const route = useRoute()
  const titleOf = useWriteTitle()
  usePaletteSource({
    id: 'writes',
    titleKey: 'operations.newSection',
    items() {
      const topicid = filledText(route.params['topicid']) ?? filledText(route.query['topicid'])
      const noteid = filledText(route.params['noteid']) ?? filledText(route.query['note'])
      const values = noteid === null ? (topicid === null ? {} : { topicid }) : cardValues(noteid, topicid)
      return writeIds.map((id) => ({
        id,
        title: titleOf(id),
        detail: id,
        run: () => useOperations().compose(id, values),
      }))
    },
  })
}
