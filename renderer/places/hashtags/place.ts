import { definePlace } from '../../stores/places.ts'

export const place = definePlace({
  id: 'hashtags',
  routes: [
    {
      path: '/study-sets/:topicid/hashtags',
      name: 'hashtags',
      component: () => import('./HashtagsPlace.vue'),
      meta: { titleKey: 'hashtags.title', nav: 'library' },
    },
  ],
})
