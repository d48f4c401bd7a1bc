import type { ActionInfo } from '../../stores/shortcuts.ts'

export const changeActions = {
  next: { id: 'changes.next', titleKey: 'changes.next', groupKey: 'changes.title', keys: 'N' },
  previous: { id: 'changes.previous', titleKey: 'changes.previous', groupKey: 'changes.title', keys: 'P' },
} as const satisfies Record<string, ActionInfo>
