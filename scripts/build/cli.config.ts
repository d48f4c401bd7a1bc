import { chmodSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { licensesPlugin } from './licenses.ts'
import { nodeBuiltinsPlugin, nodeOutput } from './node-builtins.ts'

const resolvePath = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const PROGRAM = 'bridge-inspector.js'

/** Makes the one file executable that users run by its name. */
const program: Plugin = {
  name: 'bridge-inspector:program',
  writeBundle: () => chmodSync(resolvePath(`../../out/cli/${PROGRAM}`), 0o755),
}

/** Builds the command line as plain JavaScript, for every Node from 20.18 on. */
export default defineConfig({
  ssr: { noExternal: true, target: 'node' },
  plugins: [nodeBuiltinsPlugin(), licensesPlugin({ emit: true }), program],
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
