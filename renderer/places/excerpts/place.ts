/**
 * The excerpts of one document: table, duplicates and export. The pages of the document belong to
 * `places/pages`. Start with `ExcerptsPlace.vue`.
 */
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'excerpts',
  routes: [
    {
      path: '/documents/:bookmd5/excerpts',
      name: 'excerpts',
      component: () => import('./ExcerptsPlace.vue'),
      meta: { titleKey: 'excerpts.title', nav: 'library' },
    },
  ],
})
