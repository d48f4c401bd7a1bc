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
