import { expect, test } from 'vitest'
import { createTempDir } from '../../../support/data/temp-dir.ts'
import { runFaults } from '../../../support/fault-run/run.ts'

// The same with a thousand operations: npm run bench:faults.
test('safety 41, safety 43: whatever goes wrong, nothing is sent twice, nothing is lost, and every record is true', async () => {
  const run = await runFaults({ dataDir: createTempDir(), operations: 48, seed: 7, hostRestarts: 1, appRestarts: 1 })
  expect(run.problems).toEqual([])
  expect(run.records).toBe(48)
  expect(Object.values(run.faults).reduce((a, b) => a + b, 0)).toBeGreaterThan(20)
  expect(Object.keys(run.states).length).toBeGreaterThan(4)
  expect(run.received).toBeLessThanOrEqual(48)
})
