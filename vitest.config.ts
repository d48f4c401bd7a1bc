import vue from '@vitejs/plugin-vue'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const host = fileURLToPath(new URL('./renderer/host/index.ts', import.meta.url))

// Many tests start the whole program, its threads included, or a process of it: compiling is a third of what that costs.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('./test-results/compile-cache', import.meta.url))

/**
 * How long a test waits for a state, and may take in all: as long as a busy machine may need. Only failing tests take that long.
 * `test/support/patience.ts` does the same for `vi.waitFor`.
 */
const patience = { testTimeout: 180_000, hookTimeout: 60_000, expect: { poll: { timeout: 20_000, interval: 20 } } }

export default defineConfig({
  test: {
    // One more than the cores: many tests wait for a host that is slow on purpose.
    maxWorkers: os.availableParallelism() + 1,
    // In full with `npm run test:long`; `npm test` runs a sample of each. See test/support/amount.ts.
    tags: [{ name: 'long', timeout: 600_000 }],
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles: ['test/support/seed.ts', 'test/support/patience.ts'],
          environment: 'node',
          include: ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts', 'test/foreign/**/*.test.ts'],
          ...patience,
        },
      },
      {
        plugins: [vue()],
        resolve: { alias: { '#host': host } },
        test: {
          name: 'component',
          environment: 'happy-dom',
          include: ['test/component/**/*.test.ts'],
          setupFiles: ['test/support/patience.ts'],
          ...patience,
        },
      },
    ],
  },
})
