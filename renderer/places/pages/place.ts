/**
 * The pages of a document: text, blocks, handwriting and blanks. Excerpts and heading candidates
 * have places of their own. Start with `PagesPlace.vue`.
 */
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'pages',
  routes: [
    {
      path: '/documents/:bookmd5/pages/:index(\\d+)?',
      name: 'pages',
      component: () => import('./PagesPlace.vue'),
      meta: { titleKey: 'pages.title', nav: 'library' },
    },
  ],
})
