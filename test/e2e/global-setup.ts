import type { FullConfig } from '@playwright/test'
import { ensureBuilt } from '../../scripts/lib/build.mjs'

/** Builds what the selected projects need. */
export default function setUp(config: FullConfig): void {
  const names = config.projects.map(({ name }) => name)
  if (names.includes('browser')) ensureBuilt('web')
  if (names.includes('electron')) ensureBuilt('desktop')
}
