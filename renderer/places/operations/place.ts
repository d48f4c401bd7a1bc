import { PenLine } from '@lucide/vue'
import { definePlace } from '../../stores/places.ts'
import { useI18n } from 'vue-i18n'
import { useRoute } from 'vue-router'
import type { EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { cardValues } from '../../panes/write/card-values.ts'
import { writeIds } from '../../panes/write/write-ids.ts'
import { useWriteTitle } from '../../panes/write/titles.ts'
import { useListed } from '../../stores/listed.ts'
import { useOperations } from '../../stores/operations.ts'
import { usePaletteSource } from '../../stores/palette.ts'
import { filledText } from '../../../shared/json/object.ts'

/** Offers every write in the command palette, with the current card and study set filled in. */
function useWriteSource(): void {
  const route = useRoute()
  const { t } = useI18n()
  const listed = useListed()
  const titleOf = useWriteTitle()
  usePaletteSource({
    id: 'writes',
    titleKey: 'operations.newSection',
    items() {
      const topicid = filledText(route.params['topicid']) ?? filledText(route.query['topicid'])
      const noteid = filledText(route.params['noteid']) ?? filledText(route.query['note'])
      const values = noteid === null ? (topicid === null ? {} : { topicid }) : cardValues(noteid, topicid)
      const isListed = (id: EndpointId): boolean => listed.lists(id) !== false
      return [...writeIds.filter(isListed), ...writeIds.filter((id) => !isListed(id))].map((id) => ({
        id,
        title: titleOf(id),
        detail: id,
        ...(isListed(id) ? {} : { unavailable: t('write.unlisted') }),
        run: () => useOperations().compose(id, values),
      }))
    },
  })
}

export const place = definePlace({
  id: 'operations',
  install: useWriteSource,
  nav: { labelKey: 'operations.title', icon: PenLine, order: 50, to: '/operations' },
  routes: [
    {
      path: '/operations/:id?',
      name: 'operations',
      component: () => import('./OperationsPlace.vue'),
      meta: { titleKey: 'operations.title', inspector: false },
    },
  ],
})
