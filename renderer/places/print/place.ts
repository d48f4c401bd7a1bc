/**
 * The host's print plan of a mind map, drawn as sheets of paper. Planning and writing the PDF is
 * done by the host. Start with `PrintPlace.vue`.
 */
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'print',
  routes: [
    {
      path: '/study-sets/:topicid/print',
      name: 'print',
      component: () => import('./PrintPlace.vue'),
      meta: { titleKey: 'print.title', nav: 'library' },
    },
  ],
})
