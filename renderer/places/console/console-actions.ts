import type { ActionInfo } from '../../stores/shortcuts.ts'

export const consoleActions = {
  send: { id: 'console.send', titleKey: 'console.send', groupKey: 'console.title', keys: '$mod+Enter' },
  save: { id: 'console.save', titleKey: 'console.save', groupKey: 'console.title', keys: '$mod+S' },
} as const satisfies Record<string, ActionInfo>
