import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../../scripts/lib/paths.mjs'

/** What a suite counted, in the order in which it is to be read. A text is a note, such as why it was left out. */
export type Figures = Readonly<Record<string, number | string>>

/** Leaves the figures of a suite where the report finds them. Call it at the end of what was counted: a suite that failed has none. */
export function figure(suite: string, figures: Figures): void {
  const folder = path.join(root, 'test-results', 'foreign')
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, `${suite}.json`), JSON.stringify(figures))
}
