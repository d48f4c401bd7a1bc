import { definePlace } from '../../stores/place-definition.ts'

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
