/** @module-tag slow */

import { expect, test } from 'vitest'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { runFaults } from '../../../support/fault-run/run.ts'

// The benchmark `npm run bench:faults` does the same with a thousand operations.
test('safety 41, safety 43: no fault sends a write twice, loses one, or leaves a wrong record', async () => {
  const run = await runFaults({ dataDir: createTempDir(), operations: 48, seed: 7, hostRestarts: 1, appRestarts: 1 })
  expect(run.problems).toEqual([])
  expect(run.records).toBe(48)
  expect(Object.values(run.faults).reduce((a, b) => a + b, 0)).toBeGreaterThan(20)
  expect(Object.keys(run.states).length).toBeGreaterThan(4)
  expect(run.received).toBeLessThanOrEqual(48)
})
