import vue from '@vitejs/plugin-vue'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const host = fileURLToPath(new URL('./renderer/host/index.ts', import.meta.url))

export default defineConfig({
  test: {
    // By default one core would stay idle.
    maxWorkers: '100%',
    // In full by `npm run test:long`; `npm test` runs a sample of each. See test/support/amount.ts.
    tags: [{ name: 'long', timeout: 600_000 }],
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
