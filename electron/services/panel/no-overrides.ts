import type { PanelSource } from '../../../shared/panel/panel.ts'
import type { AppliedOverrides } from './types.ts'

/** The overrides of whichever panel is open. */
export interface PanelOverrides extends AppliedOverrides {
  /** Takes up the rules of another panel; null for none. */
  open(source: PanelSource | null): void
  counts(): { on: number; all: number }
  close(): void
}

/** No rules at all. */
export const noOverrides: PanelOverrides = {
  open: () => undefined,
  counts: () => ({ on: 0, all: 0 }),
  ruleFor: () => null,
  answer: (_rule, _request, ask) => ask(),
  close: () => undefined,
}
