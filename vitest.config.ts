import vue from '@vitejs/plugin-vue'
import { globSync, readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const root = fileURLToPath(new URL('.', import.meta.url))

// Compiling is a third of the cost of tests that start the whole program, its threads included, so
// its result is cached.
process.env['NODE_COMPILE_CACHE'] ??= path.join(root, 'test-results/compile-cache')

/**
 * These times apply only to tests that fail; a busy machine may need that long to reach a state.
 * `test/support/setup/patience.ts` does the same for `vi.waitFor`.
 */
const patience = { testTimeout: 180_000, hookTimeout: 60_000, expect: { poll: { timeout: 60_000, interval: 20 } } }

/**
 * These files replace a module or the clock, which would affect other tests in the same process, or
 * depend on what others do there.
 */
const isolatedFiles = findTestFiles(/\bvi\.(mock|doMock|useFakeTimers)\(|@runs-alone/)

/**
 * These files start the whole program often, or go through all of something. `npm test` leaves them
 * out (`TEST_PART=core`), and `npm run test:all -- --rest` runs them (`TEST_PART=rest`).
 */
const slowFiles = findTestFiles(/@module-tag slow/)
const part = process.env['TEST_PART']

function findTestFiles(pattern: RegExp): string[] {
  const files = globSync('test/**/*.test.ts', { cwd: root })
  return files.filter((file) => pattern.test(readFileSync(path.join(root, file), 'utf8')))
}

const isInPart = (file: string): boolean => part === undefined || slowFiles.includes(file) === (part === 'rest')

/**
 * Splits a suite into two projects: most files share their modules, because a file would spend most
 * of its time on loading them again; `isolatedFiles` run alone.
 */
const suite = <T extends { test: { name: string; include: string[] } }>({ test, ...options }: T) => [
  {
    ...options,
    test: {
      ...test,
      isolate: false,
      ...(part === 'rest' ? { include: slowFiles.filter((file) => isIncluded(file, test.include)) } : {}),
      exclude: [...isolatedFiles, ...(part === 'core' ? slowFiles : [])],
    },
  },
  {
    ...options,
    test: {
      ...test,
      name: `${test.name}-alone`,
      include: isolatedFiles.filter((file) => isInPart(file) && isIncluded(file, test.include)),
    },
  },
]

const isIncluded = (file: string, globs: readonly string[]): boolean =>
  globs.some((glob) => path.matchesGlob(file, glob))

const unit = suite({
  test: {
    name: 'unit',
    setupFiles: ['test/support/setup/seed.ts', 'test/support/setup/patience.ts'],
    environment: 'node',
    include: [
      ...['test/unit/**/*.test.ts', 'test/contract/**/*.test.ts', 'test/foreign/**/*.test.ts'],
      'resources/demo/panels/*/test/*.test.js',
    ],
  },
  // The tests of the sample panels import the kit by the name that it has for plugins.
  resolve: { alias: { 'bridge-inspector/testing': path.join(root, 'testing/index.ts') } },
})

const component = suite({
  plugins: [vue()],
  resolve: { alias: { '#transport': path.join(root, 'renderer/transport/index.ts') } },
  test: {
    name: 'component',
    environment: 'happy-dom',
    // After a change to a style sheet that components share, a cached component lacks what
    // `@vitejs/plugin-vue` needs to compile the sheet, and its tests fail until the cache is deleted.
    fsModuleCache: false,
    include: ['test/component/**/*.test.ts'],
    setupFiles: ['test/support/setup/patience.ts', 'test/support/setup/own-page.ts'],
  },
})

export default defineConfig({
  test: {
    // One worker more than the cores keeps them busy, because many tests wait for a host that is
    // slow on purpose.
    maxWorkers: os.availableParallelism() + 1,
    // `npm run test:long` runs these tests in full; `npm test` runs a sample of each. See
    // test/support/data/run-count.ts.
    tags: [{ name: 'long', timeout: 600_000 }, { name: 'slow' }],
    projects: [...unit, ...component].map((project) => ({ ...project, test: { ...project.test, ...patience } })),
  },
})
