import { definePlace } from '../../stores/place-definition.ts'

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
