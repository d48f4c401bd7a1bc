/**
 * Contents of a document: heading candidates, locating text, export as PDF. The pages themselves
 * belong to `places/pages`. Start with `OutlinePlace.vue`.
 */
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'contents',
  routes: [
    {
      path: '/documents/:bookmd5/contents',
      name: 'contents',
      component: () => import('./OutlinePlace.vue'),
      meta: { titleKey: 'contents.title', nav: 'library' },
    },
  ],
})
