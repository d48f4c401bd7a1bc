import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../../scripts/lib/paths.mjs'

/**
 * The figures of a suite, in the order in which the report shows them. A text is a note, such as
 * why something was skipped.
 */
export type Figures = Readonly<Record<string, number | string>>

/** Where the figures of a run are kept until the report is written. */
export const folder = path.join(root, 'test-results', 'foreign')

/**
 * Saves the figures of a suite for the report. Call it last, so that a suite that failed has none.
 */
export function figure(suite: string, figures: Figures): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, `${suite}.json`), JSON.stringify(figures))
}
