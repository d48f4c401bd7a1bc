import { chmodSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { licenses } from './licenses.ts'
import { builtins, nodeOutput } from './node-builtins.ts'

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const PROGRAM = 'bridge-inspector.js'

/** The one file that is run by its name. */
const program: Plugin = {
  name: 'bridge-inspector:program',
  writeBundle: () => chmodSync(at(`../../out/cli/${PROGRAM}`), 0o755),
}

/** The command line as plain JavaScript, on every Node from 20.18 on. */
export default defineConfig({
  ssr: { noExternal: true, target: 'node' },
  plugins: [builtins(), licenses({ emit: true }), program],
  build: {
    ssr: true,
    outDir: at('../../out/cli'),
    target: 'node20.18',
    reportCompressedSize: false,
    rolldownOptions: {
      input: {
        'bridge-inspector': at('../../cli/main.ts'),
        'demo-host': at('../../electron/demo-host/main.ts'),
        worker: at('../../electron/demo-host/worker.ts'),
        traffic: at('../../electron/services/traffic/thread/worker.ts'),
      },
      output: {
        ...nodeOutput,
        banner: ({ name }) => (name === 'bridge-inspector' ? '#!/usr/bin/env node' : ''),
      },
    },
  },
})
