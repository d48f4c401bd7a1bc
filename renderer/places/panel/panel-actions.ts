import type { ActionInfo } from '../../stores/shortcuts.ts'

export const panelActions = {
  switchFocus: { id: 'panel.switchFocus', titleKey: 'panel.switchFocus', groupKey: 'panel.title', keys: 'F6' },
} as const satisfies Record<string, ActionInfo>
