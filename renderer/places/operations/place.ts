/**
 * The journal of writes: list of records, and one record with its events. Composing and reviewing a
 * write belongs to `panes/write`. Start with `OperationsPlace.vue`.
 */
import { PenLine } from '@lucide/vue'
import { definePlace } from '../../stores/place-definition.ts'
import { useI18n } from 'vue-i18n'
import { useRoute } from 'vue-router'
import type { EndpointId } from '../../../shared/bridge/endpoints/index.ts'
import { getCardFieldValues } from '../../panes/write/card-field-values.ts'
import { writeEndpointIds } from '../../panes/write/write-endpoint-ids.ts'
import { useWriteTitle } from '../../panes/write/write-title.ts'
import { useHostCapabilities } from '../../stores/host-capabilities.ts'
import { useOperations } from '../../stores/operations.ts'
import { usePaletteSource } from '../../stores/palette.ts'
import { toNonEmptyText } from '../../../shared/json/object.ts'

/** Offers every write in the palette, with the current card and study set filled in. */
function useWriteSource(): void {
  const route = useRoute()
  const { t } = useI18n()
  const hostCapabilities = useHostCapabilities()
  const getWriteTitle = useWriteTitle()
  usePaletteSource({
    id: 'writes',
    titleKey: 'operations.newSection',
    items() {
      const topicid = toNonEmptyText(route.params['topicid']) ?? toNonEmptyText(route.query['topicid'])
      const noteid = toNonEmptyText(route.params['noteid']) ?? toNonEmptyText(route.query['note'])
      const values = noteid === null ? (topicid === null ? {} : { topicid }) : getCardFieldValues(noteid, topicid)
      const isListed = (id: EndpointId): boolean => hostCapabilities.isListed(id) !== false
      return [...writeEndpointIds.filter(isListed), ...writeEndpointIds.filter((id) => !isListed(id))].map((id) => ({
        id,
        title: getWriteTitle(id),
        detail: id,
        ...(isListed(id) ? {} : { unavailableReason: t('write.unlisted') }),
        run: () => useOperations().compose(id, values),
      }))
    },
  })
}

export const place = definePlace({
  id: 'operations',
  install: useWriteSource,
  nav: { labelKey: 'operations.title', icon: PenLine, group: 'prove', order: 1, to: '/operations', key: 'O' },
  routes: [
    {
      path: '/operations/:id?',
      name: 'operations',
      component: () => import('./OperationsPlace.vue'),
      meta: { titleKey: 'operations.title', inspector: false },
    },
  ],
})
