/**
 * Runs a plugin's panel and shows its calls, console output and permissions. Which calls are
 * allowed is decided in the service process, not here. Start with `PanelPlace.vue`.
 */
import { AppWindow } from '@lucide/vue'
import { usePanel } from '../../stores/panel.ts'
import { definePlace } from '../../stores/place-definition.ts'
import { panelActions } from './panel-actions.ts'

export const place = definePlace({
  id: 'panel',
  nav: { labelKey: 'panel.title', icon: AppWindow, group: 'debug', order: 1, to: '/panel', key: 'P' },
  actions: Object.values(panelActions),
  routes: [
    {
      path: '/panel',
      name: 'panel',
      component: () => import('./PanelPlace.vue'),
      meta: {
        titleKey: 'panel.title',
        inspector: false,
        staysMounted: () => ['starting', 'running'].includes(usePanel().state?.phase ?? 'none'),
      },
    },
  ],
})
