/**
 * The host's own search and its results. Searching an id belongs to `places/lens`, filtering a list
 * to the list's place. Start with `SearchPlace.vue`.
 */
import { Search } from '@lucide/vue'
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'search',
  nav: { labelKey: 'search.title', icon: Search, group: 'explore', order: 2, to: '/search', key: 'F' },
  routes: [
    {
      path: '/search',
      name: 'search',
      component: () => import('./SearchPlace.vue'),
      meta: { titleKey: 'search.title' },
    },
  ],
})
