import { chmodSync, copyFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { writeOutKitTypes } from './kit-types.ts'
import { licensesPlugin } from './licenses.ts'
import { nodeBuiltinsPlugin, nodeOutput } from './node-builtins.ts'
import { ownGlobalsPlugin } from './own-globals.ts'

const resolvePath = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const PROGRAM = 'bridge-inspector.js'

/** Makes the one file executable that users run by its name. */
const program: Plugin = {
  name: 'bridge-inspector:program',
  writeBundle: () => chmodSync(resolvePath(`../../out/cli/${PROGRAM}`), 0o755),
}

/** The declarations of the kit for tests import nothing but each other and Playwright. */
const kitTypes: Plugin = {
  name: 'bridge-inspector:kit-types',
  writeBundle: () => {
    writeFileSync(resolvePath('../../out/cli/testing.d.ts'), writeOutKitTypes(resolvePath('../../testing/api.ts')))
    copyFileSync(resolvePath('../../testing/playwright-api.ts'), resolvePath('../../out/cli/playwright.d.ts'))
  },
}

/** Builds the command line and the kit for tests as plain JavaScript. */
export default defineConfig({
  // A plugin's tests need the Playwright that runs them.
  ssr: { noExternal: true, external: ['@playwright/test'], target: 'node' },
  plugins: [nodeBuiltinsPlugin(), ownGlobalsPlugin(), licensesPlugin({ emit: true }), program, kitTypes],
  build: {
    ssr: true,
    outDir: resolvePath('../../out/cli'),
    target: 'node22.16',
    reportCompressedSize: false,
    rolldownOptions: {
      // Named here, it stays outside also where it was never built.
      external: ['bridge-inspector/testing'],
      input: {
        'bridge-inspector': resolvePath('../../cli/start.ts'),
        main: resolvePath('../../cli/main.ts'),
        'demo-host': resolvePath('../../electron/demo-host/main.ts'),
        worker: resolvePath('../../electron/demo-host/worker.ts'),
        traffic: resolvePath('../../electron/services/traffic/thread/worker.ts'),
        snapshots: resolvePath('../../electron/services/snapshots/thread/worker.ts'),
        'source-maps': resolvePath('../../electron/services/panel/source-map-thread/worker.ts'),
        testing: resolvePath('../../testing/index.ts'),
        playwright: resolvePath('../../testing/playwright.ts'),
      },
      output: {
        ...nodeOutput,
        banner: ({ name }) => (name === 'bridge-inspector' ? '#!/usr/bin/env node' : ''),
      },
    },
  },
})
