/**
 * Every exchange with the host: filters, list with waterfall, comparison. The view of one exchange
 * is `panes/exchange`, findings are `panes/findings`. Start with `TrafficPlace.vue`.
 */
import { ArrowRightLeft } from '@lucide/vue'
import { MAX_HEAD_SEQS } from '../../../shared/ipc/traffic.ts'
import { isBodySearch } from '../../../shared/traffic/traffic-filter.ts'
import { prefetch } from '../../ipc/call.ts'
import { parseSortQuery, parseTrafficFilterQuery } from '../../model/traffic/traffic-query.ts'
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'traffic',
  nav: { labelKey: 'traffic.title', icon: ArrowRightLeft, group: 'debug', order: 2, to: '/traffic', key: 'T' },
  routes: [
    {
      path: '/traffic/:id?',
      name: 'traffic',
      component: () => import('./TrafficViews.vue'),
      meta: {
        titleKey: 'traffic.title',
        inspector: false,
        prefetch({ query }) {
          const filter = parseTrafficFilterQuery(query)
          const input = { filter, sort: parseSortQuery(query), limit: MAX_HEAD_SEQS }
          if (query['view'] !== 'findings' && !isBodySearch(filter)) prefetch('traffic.head', input)
        },
      },
    },
  ],
})
