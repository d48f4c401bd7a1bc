import { chmodSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { licenses } from './licenses.ts'
import { builtins, nodeOutput } from './node-builtins.ts'

const resolvePath = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const PROGRAM = 'bridge-inspector.js'

/** The one file that is run by its name. */
const program: Plugin = {
  name: 'bridge-inspector:program',
  writeBundle: () => chmodSync(resolvePath(`../../out/cli/${PROGRAM}`), 0o755),
}

/** The command line as plain JavaScript, on every Node from 20.18 on. */
export default defineConfig({
  ssr: { noExternal: true, target: 'node' },
  plugins: [builtins(), licenses({ emit: true }), program],
  build: {
    ssr: true,
    outDir: resolvePath('../../out/cli'),
    target: 'node20.18',
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        'bridge-inspector': resolvePath('../../cli/main.ts'),
        'demo-host': resolvePath('../../electron/demo-host/main.ts'),
        worker: resolvePath('../../electron/demo-host/worker.ts'),
        traffic: resolvePath('../../electron/services/traffic/thread/worker.ts'),
      },
      output: {
        ...nodeOutput,
        banner: ({ name }) => (name === 'bridge-inspector' ? '#!/usr/bin/env node' : ''),
      },
    },
  },
})
