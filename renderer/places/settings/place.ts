/**
 * Settings of this program, its data on disk, updates and licenses. The settings of one host belong
 * to its profile in `places/connect`. Start with `SettingsPlace.vue`.
 */
import { Settings } from '@lucide/vue'
import { definePlace } from '../../stores/place-definition.ts'

export const place = definePlace({
  id: 'settings',
  nav: { labelKey: 'settings.title', icon: Settings, group: 'settings', order: 1, to: '/settings', key: 'S' },
  routes: [
    {
      path: '/settings',
      name: 'settings',
      component: () => import('./SettingsPlace.vue'),
      meta: { titleKey: 'settings.title', inspector: false },
    },
  ],
})
