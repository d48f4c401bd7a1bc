import { definePlace } from '../../stores/places.ts'

export const place = definePlace({
  id: 'findings',
  routes: [
    {
      path: '/findings',
      name: 'findings',
      component: () => import('../../panes/findings/FindingsView.vue'),
      meta: { titleKey: 'protocol.label', nav: 'traffic', inspector: false },
    },
  ],
})
