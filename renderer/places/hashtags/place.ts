/**
 * The hashtags of a study set as a tree, and the cards of the selected tag. Parsing of tags belongs
 * to `model/responses`. Start with `HashtagsPlace.vue`.
 */
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
