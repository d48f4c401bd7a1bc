/**
 * Requests that the user composes, saves in collections and runs in order. The forms and the review
 * of writes belong to `panes/write`. Start with `ConsolePlace.vue`.
 */
import { SquareTerminal } from '@lucide/vue'
import { definePlace } from '../../stores/place-definition.ts'
import { consoleActions } from './console-actions.ts'

export const place = definePlace({
  id: 'console',
  nav: { labelKey: 'console.title', icon: SquareTerminal, group: 'debug', order: 4, to: '/console', key: 'N' },
  actions: Object.values(consoleActions),
  routes: [
    {
      path: '/console',
      name: 'console',
      component: () => import('./ConsolePlace.vue'),
      meta: { titleKey: 'console.title', inspector: false },
    },
  ],
})
