/**
 * Every exchange with the host: filters, list with waterfall, comparison. The view of one exchange
 * is `panes/exchange`, findings are `panes/findings`. Start with `TrafficPlace.vue`.
 */
import { ArrowRightLeft } from '@lucide/vue'
import { parseSortQuery, parseTrafficFilterQuery } from '../../model/traffic/traffic-query.ts'
import { definePlace } from '../../stores/place-definition.ts'
import { prefetchTrafficHead } from '../../stores/traffic.ts'

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
          if (query['view'] !== 'findings') prefetchTrafficHead(parseTrafficFilterQuery(query), parseSortQuery(query))
        },
      },
    },
  ],
})
