import { definePlace } from '../../stores/places.ts'

export const place = definePlace({
  id: 'contents',
  routes: [
    {
      path: '/documents/:bookmd5/contents',
      name: 'contents',
      component: () => import('./ContentsPlace.vue'),
      meta: { titleKey: 'contents.title', nav: 'library' },
    },
  ],
})
