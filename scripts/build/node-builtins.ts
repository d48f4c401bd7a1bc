import http from 'node:http'
import type { Plugin } from 'vite'

/** Bundles for Node are written in this form. */
export const nodeOutput = {
  format: 'es',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
  // Each thread compiles the code that it loads at every start, and whitespace costs time too.
  // Names are kept, because the log shows them.
  minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
} as const

const MODULE_ID = '\0bridge-inspector:http'

/**
 * Creates a plugin that replaces imports of `node:http` by a variable. An import evaluates
 * everything that a module exports, and three lazy members of this one load a second HTTP client:
 * 30 ms of processor time in each thread, a fifth of the start of a command.
 */
export function nodeBuiltinsPlugin(): Plugin {
  const members = Object.entries(Object.getOwnPropertyDescriptors(http))
  const names = members.filter(([, member]) => 'value' in member).map(([name]) => name)
  return {
    name: 'bridge-inspector:builtins',
    apply: 'build',
    enforce: 'pre',
    resolveId: (id) => (id === 'node:http' ? MODULE_ID : null),
    load: (id) =>
      id === MODULE_ID
        ? `const http = process.getBuiltinModule('node:http')\nexport default http\nexport const { ${names.join(', ')} } = http`
        : null,
  }
}
