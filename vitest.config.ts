import vue from '@vitejs/plugin-vue'
import { globSync, readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('.', import.meta.url))

// Many tests start the whole program, its threads included, or a process of it: compiling is a third of what that costs.
process.env['NODE_COMPILE_CACHE'] ??= path.join(root, 'test-results/compile-cache')

/**
 * How long a test waits for a state, and may take in all: as long as a busy machine may need. Only failing tests take that long.
 * `test/support/setup/patience.ts` does the same for `vi.waitFor`.
 */
const patience = { testTimeout: 180_000, hookTimeout: 60_000, expect: { poll: { timeout: 20_000, interval: 20 } } }

/** Files that replace a module or the clock; what they leave in a module would be another file's puzzle. */
const alone = globSync('test/**/*.test.ts', { cwd: root }).filter((file) =>
  /\bvi\.(mock|doMock|useFakeTimers)\(/.test(readFileSync(path.join(root, file), 'utf8')),
)

/** A suite as two projects: most files share their modules, since a file would spend most of its time on loading them again. */
const suite = <T extends { test: { name: string; include: string[] } }>({ test, ...options }: T) => [
  { ...options, test: { ...test, isolate: false, exclude: alone } },
  {
    ...options,
    test: {
      ...test,
      name: `${test.name}-alone`,
      include: alone.filter((file) => test.include.some((glob) => path.matchesGlob(file, glob))),
    },
  },
]

const unit = suite({
  test: {
    name: 'unit',
    setupFiles: ['test/support/setup/seed.ts', 'test/support/setup/patience.ts'],
    environment: 'node',
    include: ['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts', 'test/foreign/**/*.test.ts'],
  },
})

const component = suite({
  plugins: [vue()],
  resolve: { alias: { '#transport': path.join(root, 'renderer/transport/index.ts') } },
  test: {
    name: 'component',
    environment: 'happy-dom',
    include: ['test/component/**/*.test.ts'],
    setupFiles: ['test/support/setup/patience.ts', 'test/support/setup/own-page.ts'],
  },
})

export default defineConfig({
  test: {
    // One more than the cores: many tests wait for a host that is slow on purpose.
    maxWorkers: os.availableParallelism() + 1,
    // In full with `npm run test:long`; `npm test` runs a sample of each. See test/support/data/run-count.ts.
    tags: [{ name: 'long', timeout: 600_000 }],
    projects: [...unit, ...component].map((each) => ({ ...each, test: { ...each.test, ...patience } })),
  },
})
