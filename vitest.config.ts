import vue from '@vitejs/plugin-vue'
import os from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const host = fileURLToPath(new URL('./renderer/host/index.ts', import.meta.url))

export default defineConfig({
  test: {
    // Most of them wait for real hosts, journals and clocks: two cores have time for four.
    maxWorkers: Math.max(4, os.availableParallelism()),
    projects: [
      {
        test: {
          name: 'unit',
          setupFiles: ['test/support/seed.ts'],
          environment: 'node',
          include: ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
      {
        plugins: [vue()],
        resolve: { alias: { '#host': host } },
        test: {
          name: 'component',
          environment: 'happy-dom',
          include: ['test/component/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
    ],
  },
})
