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

/** Modules with lazy members that load much: a second HTTP client, WebCrypto, file streams. */
const LAZY_MODULES = ['crypto', 'fs', 'http', 'util', 'worker_threads']
/** A test that fakes the timers of Node's modules replaces what an import refers to. */
const FAKED_MODULES = ['timers/promises']
const REPLACED_MODULES = [...LAZY_MODULES, ...FAKED_MODULES]
const ID_PREFIX = '\0bridge-inspector:'

/**
 * Creates a plugin that replaces imports of such modules by a variable, because an import evaluates
 * everything that a module exports: for `node:http` alone, 30 ms of processor time in each thread.
 */
export function nodeBuiltinsPlugin(): Plugin {
  return {
    name: 'bridge-inspector:builtins',
    apply: 'build',
    enforce: 'pre',
    resolveId: (id) =>
      REPLACED_MODULES.includes(id.replace(/^node:/, '')) ? ID_PREFIX + id.replace(/^node:/, '') : null,
    load: (id) => (id.startsWith(ID_PREFIX) ? createModule(`node:${id.slice(ID_PREFIX.length)}`) : null),
  }
}

/** Members that nobody imports are left out of the bundle, because reading some of them warns. */
function createModule(id: string): string {
  const members = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(id)))
  const names = members.filter(([, member]) => 'value' in member).map(([name]) => name)
  return `const builtin = process.getBuiltinModule('${id}')
const readMember = (name) => builtin[name]
export default builtin
${names.map((name) => `export const ${name} = /* @__PURE__ */ readMember('${name}')`).join('\n')}`
}
