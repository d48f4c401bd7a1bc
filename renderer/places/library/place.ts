import { LibraryBig } from '@lucide/vue'
import { definePlace } from '../../stores/places.ts'
import { useStudySetSource } from './palette-source.ts'

export const place = definePlace({
  id: 'library',
  install: useStudySetSource,
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
