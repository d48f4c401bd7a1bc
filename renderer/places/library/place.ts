import { LibraryBig } from '@lucide/vue'
import { definePlace } from '../../stores/places.ts'

export const place = definePlace({
  id: 'library',
  nav: { labelKey: 'library.title', icon: LibraryBig, order: 30, to: '/library' },
  routes: [
    {
      path: '/library',
      name: 'library',
      component: () => import('./LibraryPlace.vue'),
      meta: { titleKey: 'library.title' },
    },
  ],
})
